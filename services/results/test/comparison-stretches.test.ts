import { describe, expect, test } from 'vitest';
import {
  createStretches,
  type Stretch,
  stretchOf,
} from '../src/domain/comparison/changed-pairs.ts';

describe('stretches of changed pairs', () => {
  const pair = (testcaseId: string, baseline: number, candidate: number) => ({
    testcaseId,
    baseline: { value: baseline, recordId: `b${testcaseId}` },
    candidate: { value: candidate, recordId: `c${testcaseId}` },
  });
  const many = Array.from({ length: 45_000 }, (_, index) =>
    pair(String(index).padStart(6, '0'), 0, index % 3 === 0 ? 0 : 1),
  );
  const changed = many.filter(({ candidate }) => candidate.value === 1);

  test('hold what changed and nothing else, and lead on where one ends', () => {
    const first = stretchOf(many, undefined);
    expect([first.pairs.length, first.isLast]).toEqual([20_000, false]);
    const second = stretchOf(many, first.pairs.at(-1)!.testcaseId);
    expect([...first.pairs, ...second.pairs]).toEqual(changed);
    expect(second.isLast).toBe(true);
  });

  test('are gathered once for all pages that they hold, and anew past their end, before their start and for another state of the runs', async () => {
    const stretches = createStretches();
    let gathered = 0;
    const at = (key: string, after: string | undefined): Promise<Stretch> =>
      stretches(key, after, async () => {
        gathered++;
        return stretchOf(many, after);
      });
    const first = await at('k', undefined);
    await at('k', first.pairs[0]!.testcaseId);
    await at('k', first.pairs.at(-2)!.testcaseId);
    expect(gathered).toBe(1);
    const second = await at('k', first.pairs.at(-1)!.testcaseId);
    expect([gathered, second.pairs[0]]).toEqual([2, changed[20_000]]);
    await at('k', second.pairs.at(-1)!.testcaseId);
    expect(gathered).toBe(2);
    expect((await at('k', undefined)).pairs[0]).toEqual(changed[0]);
    await at('other', undefined);
    expect(gathered).toBe(4);
    for (let other = 0; other < 8; other++) await at(`o${other}`, undefined);
    await at('k', undefined);
    expect(gathered).toBe(13);
  });

  test('that could not be gathered are gathered again', async () => {
    const stretches = createStretches();
    await expect(
      stretches('k', undefined, () => Promise.reject(new Error('away'))),
    ).rejects.toThrow('away');
    expect(await stretches('k', undefined, async () => stretchOf([], undefined))).toEqual({
      after: undefined,
      pairs: [],
      isLast: true,
    });
  });

  test('are gathered once for two who ask at the same time', async () => {
    const stretches = createStretches();
    let gathered = 0;
    const ask = () =>
      stretches('k', undefined, async () => {
        gathered++;
        return stretchOf(many, undefined);
      });
    await Promise.all([ask(), ask()]);
    expect(gathered).toBe(1);
  });
});
