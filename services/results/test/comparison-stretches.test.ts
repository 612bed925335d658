import { describe, expect, test } from 'vitest';
import {
  createStretches,
  type Order,
  type Stretch,
  stretchOf,
} from '../src/domain/comparison/stretches.ts';
import type { TestcaseValues } from '../src/domain/comparison/values.ts';

describe('stretches of changed pairs', () => {
  const pair = (testcaseId: string, baseline: number, candidate: number) => ({
    key: testcaseId,
    testcaseId,
    baseline: { value: baseline, records: 1, recordId: `b${testcaseId}` },
    candidate: { value: candidate, records: 1, recordId: `c${testcaseId}` },
  });
  const many = Array.from({ length: 45_000 }, (_, index) =>
    pair(String(index).padStart(6, '0'), 0, index % 3 === 0 ? 0 : 1),
  );
  const order: Order = { keyOf: ({ testcaseId }) => testcaseId, isById: true };
  const isShown = ({ baseline, candidate }: TestcaseValues) => baseline?.value !== candidate?.value;
  const of = (testcases: TestcaseValues[], after: string | undefined): Stretch =>
    stretchOf(testcases, { isShown, order, after });
  const changed = many.filter(({ candidate }) => candidate.value === 1);

  test('hold what changed and nothing else, and lead on where one ends', () => {
    const first = of(many, undefined);
    expect([first.places.length, first.isLast]).toEqual([20_000, false]);
    const second = of(many, first.places.at(-1)!.key);
    expect([...first.places, ...second.places]).toEqual(changed);
    expect(second.isLast).toBe(true);
  });

  test('are gathered once for all pages that they hold, and anew past their end, before their start and for another state of the runs', async () => {
    const stretches = createStretches();
    let gathered = 0;
    const at = (key: string, after: string | undefined): Promise<Stretch> =>
      stretches(key, after, async () => {
        gathered++;
        return of(many, after);
      });
    const first = await at('k', undefined);
    await at('k', first.places[0]!.key);
    await at('k', first.places.at(-2)!.key);
    expect(gathered).toBe(1);
    const second = await at('k', first.places.at(-1)!.key);
    expect([gathered, second.places[0]]).toEqual([2, changed[20_000]]);
    await at('k', second.places.at(-1)!.key);
    expect(gathered).toBe(2);
    expect((await at('k', undefined)).places[0]).toEqual(changed[0]);
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
    expect(await stretches('k', undefined, async () => of([], undefined))).toEqual({
      after: undefined,
      places: [],
      isLast: true,
    });
  });

  test('are gathered once for two who ask at the same time', async () => {
    const stretches = createStretches();
    let gathered = 0;
    const ask = () =>
      stretches('k', undefined, async () => {
        gathered++;
        return of(many, undefined);
      });
    await Promise.all([ask(), ask()]);
    expect(gathered).toBe(1);
  });
});
