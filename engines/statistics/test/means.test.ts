import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bootstrapMean as bootstrapMeanOnAnyScale } from '../bootstrap.ts';
import { guardedMeanTest as guardedTestOnAnyScale } from '../guarded-test.ts';
import { signFlipTest } from '../permutation.ts';
import { gatherUnits, movingUnits } from '../units.ts';

/** On a scale with both ends, which always bounds the mean. */
function bootstrapMean(...given: Parameters<typeof bootstrapMeanOnAnyScale>) {
  const result = bootstrapMeanOnAnyScale(...given);
  return { ...result, interval: result.interval! };
}
function guardedMeanTest(...given: Parameters<typeof guardedTestOnAnyScale>) {
  const result = guardedTestOnAnyScale(...given);
  return { ...result, interval: result.interval! };
}

// Reference values: SciPy 1.17.1 and NumPy 2.4.6; each call stands at its values. Those of the
// bootstrap are a NumPy program of its own, with other random numbers: a resample's t is (mean* −
// mean) / standard error*, infinite without spread; 400,000 resamples.

const unitsOf = (values: ArrayLike<number>, groups?: (string | number)[]) =>
  gatherUnits({ values, groups })!;
const times = (count: number, value: number): number[] => new Array<number>(count).fill(value);
const wide = { scale: { low: -100, high: 100 } };
const difference = { scale: { low: -1, high: 1 } };

describe('the sign-flip test', () => {
  const flip = (differences: number[], groups?: (string | number)[]) =>
    signFlipTest(unitsOf(differences, groups));
  const floats = [0.4, -0.1, 0.3, 0.8, -0.2, 0.5, 0.1, 0.9, -0.4, 0.6];
  const ints = [-1, 0, 0, 0, 1, 1, 2, 0, -2, 1, 3, 1];
  const every = 'sign-flip, every flip';

  test('tries every flip of up to 16 pairs, and agrees with SciPy', () => {
    // scipy.stats.permutation_test((d,), mean, permutation_type='samples', n_resamples=inf).pvalue
    expect(flip(floats)).toEqual({ pValue: 0.078125, method: every });
    expect(flip(ints)).toEqual({ pValue: 0.3046875, method: every });
  });

  test('counts every flip of whole numbers, however many pairs, without drawing', () => {
    // A pair without a difference has no say.
    expect(flip([...ints, ...times(3000, 0)])).toEqual({ pValue: 0.3046875, method: every });
    // scipy.stats.binomtest(121, 180, .5).pvalue: of ones, the flips are coins.
    const ones = [...times(121, 1), ...times(59, -1)];
    expect(flip(ones).pValue / 4.4344492637551645e-6).toBeCloseTo(1, 10);
    // The distribution of 3 B(30) + 2 B(25) + B(40), convolved from scipy.stats.binom.pmf.
    const mixed = [
      ...times(19, 3),
      ...times(11, -3),
      ...times(15, 2),
      ...times(10, -2),
      ...times(22, 1),
      ...times(18, -1),
    ];
    expect(flip(mixed)).toEqual({ pValue: expect.closeTo(0.06740800085210066, 12), method: every });
  });

  test('draws 10,000 flips of 17 pairs, close to the p-value of every flip', () => {
    // A pair without a difference has no say, so every flip of the ten tells the p-value of the
    // seventeen.
    const drawn = flip([...floats, ...times(7, 0)]);
    expect(drawn.method).toBe('sign-flip, 10000 flips, seed 20250720');
    expect(Math.abs(drawn.pValue - 0.078125)).toBeLessThan(5 * Math.sqrt((0.078 * 0.922) / 10_000));
  });

  test('flips groups whole', () => {
    // Three groups that all rise: of the eight flips, the observed one and its mirror are as far
    // from 0.
    expect(flip([1, 2, 3, 1, 2, 2], ['a', 'a', 'b', 'b', 'c', 'c']).pValue).toBe(2 / 8);
  });

  test('all one way is as rare as can be, and no difference at all is 1', () => {
    expect(flip(times(10, 1)).pValue).toBe(2 / 1024);
    expect(flip(times(100, 1)).pValue / 2 ** -99).toBeCloseTo(1, 12);
    expect(flip(times(5000, 1)).pValue).toBeGreaterThan(0);
    expect(flip(times(1000, 0.5)).pValue).toBe(1 / 10_001);
    expect(flip(times(1000, 0)).pValue).toBe(1);
  });

  test('is in (0, 1], and the same for swapped runs and for every repeat', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 60 }),
        (differences) => {
          const p = flip(differences).pValue;
          expect(p > 0 && p <= 1).toBe(true);
          expect(flip(differences.map((d) => -d)).pValue).toBe(p);
          expect(flip(differences).pValue).toBe(p);
        },
      ),
      { numRuns: volume(40) },
    );
  });
});

describe('the symmetric bootstrap-t of the mean', () => {
  const bounds = (values: ArrayLike<number>, groups?: number[]) => {
    const { low, high } = bootstrapMean(unitsOf(values, groups), wide).interval;
    return [low, high] as const;
  };
  const few = [-1, 0, 0, 0, 1, 1, 2, 0, -2, 1, 3, 0, 0, 1, -1, 2, 1, 0, 0, 1];

  test.each([
    ['ten floats', [2.1, 3.4, 1, 8.8, 4.4, 0.5, 6.1, 2.2, 9.7, 3.3], 1.5127, 6.7873, 0.01525],
    [
      'a long tail',
      [0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 1.2, 1.9, 3.1, 5.7, 12.4],
      -2.995,
      6.795,
      0.1649,
    ],
    ['few values', few, -0.0828, 0.9828, 0.0943],
  ])('of %s has the interval and the p-value of NumPy', (_name, values, low, high, pValue) => {
    const result = bootstrapMean(unitsOf(values), wide);
    expect(Math.abs(result.interval.low - low)).toBeLessThan(0.02 * (high - low));
    expect(Math.abs(result.interval.high - high)).toBeLessThan(0.02 * (high - low));
    expect(Math.abs(result.pValue! - pValue)).toBeLessThan(
      5 * Math.sqrt((pValue * (1 - pValue)) / 10_000),
    );
    expect(result.method).toBe('symmetric bootstrap-t, 10000 resamples, seed 20250720');
  });

  test('of few distinct values draws how often each comes, and agrees with NumPy on rare events', () => {
    const values = Array.from({ length: 2000 }, (_, i) => (i % 400 === 0 ? 1 : 0));
    const [low, high] = bounds(values);
    // 40,000 resamples: 0.00013 to 0.00487
    expect(Math.abs(low - 0.00013)).toBeLessThan(0.0001);
    expect(Math.abs(high - 0.00487)).toBeLessThan(0.0001);
  });

  test('of more than 10,000 distinct values is analytic, says so, and agrees with NumPy', () => {
    const values = Float64Array.from(
      { length: 12_000 },
      (_, i) => (((i * 48_271) % 2_147_483_647) / 2_147_483_647) ** 4,
    );
    // 20,000 resamples: q = 1.980; two standard errors from 0, p = 0.0449
    const { interval, method } = bootstrapMean(unitsOf(values), wide);
    expect(method).toBe('symmetric bootstrap-t, analytic');
    const [mean, standardError] = [0.0010584984333884273, 1.2884588821150391e-5];
    expect((interval.high - mean) / standardError).toBeCloseTo(1.98, 1);
    const moved = values.map((value) => value - mean + 2 * standardError);
    expect(bootstrapMean(unitsOf(moved), wide).pValue).toBeCloseTo(0.0449, 2);
  });

  test('by its expansion is that of its resamples, where few values are skewed', () => {
    // The same 12,000 values, of which one in 600 is large, as distinct ones and as few.
    const values = Array.from({ length: 12_000 }, (_, i) => (i % 600 === 0 ? 1 : 0));
    const distinct = values.map((value, i) => value + i * 1e-9);
    const [drawn, analytic] = [bounds(values), bounds(distinct)];
    const width = drawn[1] - drawn[0];
    expect(Math.abs(analytic[0] - drawn[0])).toBeLessThan(0.03 * width);
    expect(Math.abs(analytic[1] - drawn[1])).toBeLessThan(0.03 * width);
  });

  test('draws groups whole, and agrees with NumPy on the ratio of their sums and sizes', () => {
    const values = [1, 1, 0, 1, 0, 1, 0, 0, 1, 0, -1, 1, 1];
    const groups = [0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5];
    const [low, high] = bounds(values, groups);
    // sums = 2, 1, 1, 1, -1, 2; sizes = 3, 2, 2, 3, 1, 2: 0.0245 to 0.8986
    expect(Math.abs(low - 0.0245)).toBeLessThan(0.02);
    expect(Math.abs(high - 0.8986)).toBeLessThan(0.02);
  });

  test('of a thousand copies of five groups says no more than the five', () => {
    const five = [0.1, 0.5, 0.9, 0.3, 0.35];
    const copies = Array.from({ length: 5000 }, (_, i) => five[i % 5]!);
    const [low, high] = bounds(
      copies,
      copies.map((_, i) => i % 5),
    );
    expect(low).toBeCloseTo(bounds(five)[0], 9);
    expect(high).toBeCloseTo(bounds(five)[1], 9);
  });

  test('is cut at the ends of the scale', () => {
    const values = [1, 0.9, 1, 0.2, 0.95, 0.9, 1, 0.7];
    const { interval } = bootstrapMean(unitsOf(values), { scale: { low: 0, high: 1 } });
    expect(interval.high).toBe(1);
    expect(interval.low).toBeGreaterThan(0);
  });

  test('of values that hardly vary is the binomial bound, since too many resamples have no spread', () => {
    // scipy.stats.beta.ppf(.975, 3, 18) = 0.31698 may be others, at worst all of them 1.
    const { interval, method } = bootstrapMean(unitsOf([...times(18, 5), 4, 3]), {
      scale: { low: 1, high: 5 },
    });
    expect(method).toBe('binomial bound');
    expect([interval.low, interval.high]).toEqual([expect.closeTo(5 - 4 * 0.316982714, 8), 5]);
  });

  test('of values that do not vary is the binomial bound of how many others there may be', () => {
    // Five fives from 1 to 5: 1 - .025 ** (1 / 5) = 0.5218 may be others.
    const fives = bootstrapMean(unitsOf(times(5, 5)), { scale: { low: 1, high: 5 } });
    expect(fives).toEqual({
      interval: { low: expect.closeTo(2.9127, 4), high: 5, level: 0.95 },
      pValue: null,
      method: 'binomial bound',
    });
    // 1 - .025 ** (1 / 20) = 0.16843
    const gains = bootstrapMean(unitsOf(times(20, 0.1)), difference);
    expect(gains.interval.low).toBeCloseTo(0.1 - 1.1 * 0.16843, 4);
    expect(gains.interval.high).toBeCloseTo(0.1 + 0.9 * 0.16843, 4);
  });

  const spread = fc
    .uniqueArray(fc.integer({ min: -100, max: 100 }), { minLength: 12, maxLength: 40 })
    .map((values) => values.map((value) => value / 100));

  test('stays within the scale, holds the mean, and changes sign with the runs', () => {
    fc.assert(
      fc.property(spread, (values) => {
        const units = unitsOf(values);
        const there = bootstrapMean(units, difference);
        const back = bootstrapMean(unitsOf(values.map((value) => -value)), difference);
        const { low, high } = there.interval;
        expect(-1 <= low && low <= units.estimate && units.estimate <= high && high <= 1).toBe(
          true,
        );
        expect(back.interval.low).toBeCloseTo(-high, 9);
        expect(back.interval.high).toBeCloseTo(-low, 9);
        expect(back.pValue).toBe(there.pValue);
      }),
      { numRuns: volume(40) },
    );
  });

  test('excludes 0 exactly where its p-value is at most 1 − level', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -0.4, max: 1, noNaN: true }), { minLength: 6, maxLength: 12 }),
        fc.constantFrom(0.8, 0.9, 0.95, 0.99),
        (values, level) => {
          const { interval, pValue, method } = bootstrapMean(unitsOf(values), { ...wide, level });
          fc.pre(method !== 'binomial bound');
          expect(interval.low > 0 || interval.high < 0).toBe(pValue! <= 1 - level);
        },
      ),
      { numRuns: volume(60) },
    );
  });

  test('narrows when every pair is there four times, and widens with the level', () => {
    fc.assert(
      fc.property(spread, (values) => {
        const width = (list: number[], level = 0.95) => {
          const { low, high } = bootstrapMean(unitsOf(list), { ...wide, level }).interval;
          return high - low;
        };
        const once = width(values);
        expect(width([...values, ...values, ...values, ...values])).toBeLessThan(once);
        expect(width(values, 0.8)).toBeLessThanOrEqual(once);
      }),
      { numRuns: volume(40) },
    );
  });
});

describe('the guarded test', () => {
  const guarded = (differences: number[], groups?: number[]) =>
    guardedMeanTest(unitsOf(differences, groups), difference);

  test('has the larger p-value of flips and guard', () => {
    // Flips 0.046875, bootstrap-t 0.0441 by NumPy (above).
    const even = [0.4, -0.1, 0.1, 0.5, -0.2, 0.5, 0.1, 0.4, -0.05, 0.4];
    expect(guarded(even)).toMatchObject({ pValue: 0.046875, guard: 'agrees' });
  });

  test('holds a verdict back that a few large changes carry', () => {
    const gains = [0.05, 0.3, 0.02, 0.9, 0.04, 0.01, 0.03, 0.6, 0.02, -0.01, 0.03, 0.02];
    // scipy.stats.permutation_test(...).pvalue; the bootstrap-t by NumPy 0.136
    expect(signFlipTest(unitsOf(gains)).pValue).toBe(0.00146484375);
    const { pValue, guard } = guarded(gains);
    expect(guard).toBe('held');
    expect(Math.abs(pValue - 0.136)).toBeLessThan(0.018);
  });

  test('asks the pairs that changed where most did not', () => {
    const changed = [0.31, 0.22, 0.4, 0.28, 0.35, 0.19, 0.26, 0.3];
    const differences = [...changed, ...times(40, 0)];
    const all = bootstrapMean(unitsOf(differences), difference).pValue!;
    const moving = bootstrapMean(movingUnits(unitsOf(differences))!, difference).pValue!;
    expect(moving).toBeLessThan(all);
    expect(guarded(differences).pValue).toBe(
      Math.max(signFlipTest(unitsOf(differences)).pValue, moving),
    );
  });

  test('has no guard where all that changed, changed alike: there the flips are coins', () => {
    expect(guarded([...times(8, 1), ...times(12, 0)])).toMatchObject({
      pValue: 2 ** -7,
      guard: 'agrees',
    });
    expect(guarded(times(8, 1))).toMatchObject({
      pValue: 2 ** -7,
      guard: 'agrees',
      test: 'sign-flip, every flip',
      method: 'binomial bound',
    });
  });

  test('of groups flips and draws them whole', () => {
    const values = [1, 1, 0, 1, 0, 1, 0, 0, 1, 0, -1, 1, 1];
    const groups = [0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5];
    // scipy.stats.permutation_test((sums,), sum, permutation_type='samples',
    // n_resamples=inf).pvalue, sums = 2, 1, 1, 1, -1, 2
    expect(guarded(values, groups).pValue).toBe(0.15625);
  });

  test('of 100,000 pairs gives numbers and a p-value', () => {
    const differences = Array.from({ length: 100_000 }, (_, i) => Math.sin(i * i) * 0.3 + 0.002);
    const { interval, pValue } = guarded(differences);
    expect(interval.low < interval.high && pValue > 0 && pValue <= 1).toBe(true);
  });
});

test('a scale without an end bounds no mean of values that are all equal, and else as a scale with one', () => {
  const open = { low: 0, high: Infinity };
  const equal = gatherUnits({ values: [5, 5, 5, 5] })!;
  expect(bootstrapMeanOnAnyScale(equal, { scale: open }).interval).toBeNull();
  const units = gatherUnits({ values: [900, 1200, 800, 1500, 700, 1000] })!;
  const far = { low: 0, high: 1e9 };
  expect(bootstrapMean(units, { scale: open })).toEqual(bootstrapMean(units, { scale: far }));
});
