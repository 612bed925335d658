import { describe, expect, test } from 'vitest';
import { anytimeFigures } from '../src/domain/comparison/anytime-figures.ts';
import { compare, times } from './compared-pairs.ts';

const passes = (count: number, passed: number) => [
  ...times(passed, 1),
  ...times(count - passed, 0),
];

describe('the figures that hold at any look', () => {
  test('of booleans ask for more than those of one look, and do not depend on the order', () => {
    const [baseline, candidate] = [passes(40, 10), passes(40, 20)];
    const { pValue, anytime } = compare({ outputType: 'boolean', baseline, candidate });
    expect(pValue).toBeLessThan(0.01);
    expect(anytime.pValue).toBeGreaterThan(pValue!);
    const reversed = compare({
      outputType: 'boolean',
      baseline: baseline.toReversed(),
      candidate: candidate.toReversed(),
    });
    expect(reversed.anytime).toEqual(anytime);
  });

  test('of means of repeats are those of numbers', () => {
    const halves = compare({
      outputType: 'boolean',
      baseline: times(30, 0.5),
      candidate: [...times(20, 1), ...times(10, 0.5)],
    });
    expect(halves.anytime).toMatchObject({
      pValue: expect.closeTo(0.0169, 4),
      interval: { level: 0.95 },
      method: 'normal mixture of effects, t statistic',
    });
  });

  test('count a group as one', () => {
    const baseline = times(200, 0);
    const candidate = Array.from({ length: 200 }, (_, pair) => (pair % 3 === 0 ? 0.5 : 0.1));
    const groups = Array.from({ length: 200 }, (_, pair) => pair % 10);
    const alone = compare({ baseline, candidate });
    expect(alone.anytime.pValue).toBeLessThan(0.05);
    expect(compare({ baseline, candidate, groups }).anytime).toMatchObject({ interval: null });
  });

  test('are null with a reason where there are too few pairs, and have no bound where nothing varies', () => {
    expect(compare({ baseline: [1], candidate: [0] }).anytime).toEqual({
      pValue: null,
      interval: null,
      method: 'too few pairs',
    });
    expect(compare({ baseline: times(30, 0.5), candidate: times(30, 0.5) }).anytime).toEqual({
      pValue: 1,
      interval: null,
      method: 'normal mixture of effects, t statistic: no bound yet',
    });
  });

  test('of several metrics are corrected together', () => {
    const metric = (pValue: number | null, difference: number) => ({
      difference,
      anytime: { pValue, interval: null, method: '' },
    });
    expect(
      anytimeFigures([metric(0.03, 1), metric(0.02, -1), metric(null, 1)], 0.95).map(
        ({ anytimeAdjustedPValue, anytimeVerdict }) => [anytimeAdjustedPValue, anytimeVerdict],
      ),
    ).toEqual([
      [0.04, 'better'],
      [0.04, 'worse'],
      [null, 'undecided'],
    ]);
  });
});
