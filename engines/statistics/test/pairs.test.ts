import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bootstrapMean } from '../bootstrap.ts';
import { mean } from '../describe.ts';
import { minimumDetectableDifference } from '../detectable-difference.ts';
import { signFlipTest } from '../permutation.ts';
import { exactMcNemar, newcombePairedInterval, wilsonInterval } from '../proportions.ts';

// Reference values: SciPy 1.17.1, statsmodels 0.15.0 and NumPy 2.4.6; each call stands at its
// values.

const bounds = (interval: { low: number; high: number } | null) => [interval!.low, interval!.high];
const closeTo = (values: number[], digits: number) =>
  values.map((value) => expect.closeTo(value, digits));

describe('Wilson', () => {
  // statsmodels.stats.proportion.proportion_confint(k, n, method='wilson')
  test.each([
    [0, 10, 0, 0.27753279986288926],
    [10, 10, 0.7224672001371106, 1],
    [7, 10, 0.39677814746114537, 0.8922087325936989],
    [81, 263, 0.2552885198782742, 0.36620957698280004],
    [1, 1, 0.2065493143772374, 1],
  ])('%d of %d has the interval of statsmodels', (successes, trials, low, high) => {
    expect(bounds(wilsonInterval({ successes, trials }))).toEqual(closeTo([low, high], 12));
  });

  test('is null without trials, else lies in 0..1 and holds the proportion', () => {
    expect(wilsonInterval({ successes: 0, trials: 0 })).toBeNull();
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), (successes, failures) => {
        fc.pre(successes + failures > 0);
        const [low, high] = bounds(wilsonInterval({ successes, trials: successes + failures })) as [
          number,
          number,
        ];
        const proportion = successes / (successes + failures);
        expect(low >= 0 && low <= proportion && proportion <= high && high <= 1).toBe(true);
      }),
    );
  });
});

describe('exact McNemar', () => {
  // scipy.stats.binomtest(b, b + c, 0.5).pvalue
  test.each([
    [5, 0, 0.0625],
    [1, 9, 0.021484375],
    [12, 2, 0.012939453125],
    [121, 59, 4.4344492637551645e-6],
    [400, 500, 0.0009564441369189373],
    [50_000, 50_800, 0.01184850152997398],
  ])('%d against %d has the p-value of SciPy', (candidateOnly, baselineOnly, expected) => {
    expect(exactMcNemar({ candidateOnly, baselineOnly }) / expected).toBeCloseTo(1, 8);
  });

  test('is 1 without discordant pairs, in (0, 1], and the same for swapped runs', () => {
    expect(exactMcNemar({ candidateOnly: 0, baselineOnly: 0 })).toBe(1);
    expect(exactMcNemar({ candidateOnly: 1_000_000, baselineOnly: 0 })).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(3000), (candidateOnly, baselineOnly) => {
        const p = exactMcNemar({ candidateOnly, baselineOnly });
        expect(p > 0 && p <= 1).toBe(true);
        expect(exactMcNemar({ candidateOnly: baselineOnly, baselineOnly: candidateOnly })).toBe(p);
      }),
    );
  });
});

describe('Newcombe, paired, method 10', () => {
  const interval = (both: number, candidateOnly: number, baselineOnly: number, neither: number) =>
    newcombePairedInterval({ both, candidateOnly, baselineOnly, neither });

  test('gives -0.1186 to -0.0046 for 59, 6, 16, 80', () => {
    // The R package contingencytables, tests/testthat/test-ch8.R,
    // Newcombe_square_and_add_CI_paired_2x2.
    expect(bounds(interval(59, 6, 16, 80))).toEqual(closeTo([-0.1186, -0.0046], 4));
  });

  // The formulas of the paper in Python, over statsmodels' proportion_confint(method='wilson').
  test.each([
    [36, 12, 2, 0, 0.05692958400323875, 0.3404276029749408],
    [14, 5, 0, 22, 0.011483241383033221, 0.2264926843512112],
    [1, 1, 7, 12, -0.506920226686141, -0.025559124164859837],
    [53, 0, 1, 0, -0.09771437488781953, 0.049621661889404076],
    [10, 15, 5, 20, 0.025838416549251064, 0.35693657165919257],
    [0, 9, 0, 0, 0.5769450154083244, 1],
  ])(
    '%d, %d, %d, %d agrees with the formulas worked out in Python',
    (both, candidateOnly, baselineOnly, neither, low, high) => {
      expect(bounds(interval(both, candidateOnly, baselineOnly, neither))).toEqual(
        closeTo([low, high], 12),
      );
    },
  );

  test('is null without pairs, holds the difference, changes sign with the runs, and narrows with more of the same', () => {
    expect(interval(0, 0, 0, 0)).toBeNull();
    const counts = fc
      .tuple(fc.nat(300), fc.nat(300), fc.nat(300), fc.nat(300))
      .filter((cells) => cells.some((cell) => cell > 0));
    fc.assert(
      fc.property(counts, ([a, b, c, d]) => {
        const [low, high] = bounds(interval(a, b, c, d)) as [number, number];
        const difference = (b - c) / (a + b + c + d);
        expect(
          low - 1e-12 <= difference && difference <= high + 1e-12 && low >= -1 && high <= 1,
        ).toBe(true);
        expect(bounds(interval(a, c, b, d))).toEqual(closeTo([-high, -low], 10));
        const [lowOfMore, highOfMore] = bounds(interval(4 * a, 4 * b, 4 * c, 4 * d)) as [
          number,
          number,
        ];
        expect(highOfMore - lowOfMore).toBeLessThan(high - low);
      }),
    );
  });
});

describe('the sign-flip test', () => {
  const floats = [0.4, -0.1, 0.3, 0.8, -0.2, 0.5, 0.1, 0.9, -0.4, 0.6];
  const ints = [-1, 0, 0, 0, 1, 1, 2, 0, -2, 1, 3, 1];

  test('tries every flip of up to 16 pairs, and agrees with SciPy', () => {
    // scipy.stats.permutation_test((d,), mean, permutation_type='samples', n_resamples=inf).pvalue
    expect(signFlipTest({ differences: floats })?.pValue).toBe(0.078125);
    expect(signFlipTest({ differences: ints })).toEqual({
      pValue: 0.3046875,
      flips: 4096,
      method: 'sign-flip, every flip',
    });
  });

  test('draws 10,000 flips of 17 pairs, close to the p-value of every flip', () => {
    // A pair without a difference has no say, so every flip of the ten tells the p-value of the
    // seventeen.
    const drawn = signFlipTest({ differences: [...floats, 0, 0, 0, 0, 0, 0, 0] })!;
    expect(drawn.flips).toBe(10_000);
    expect(Math.abs(drawn.pValue - 0.078125)).toBeLessThan(5 * Math.sqrt((0.078 * 0.922) / 10_000));
  });

  test('flips groups whole', () => {
    const groups = ['a', 'a', 'b', 'b', 'c', 'c'];
    // Three groups that all rise: of the eight flips, the observed one and its mirror are as far
    // from 0.
    expect(signFlipTest({ differences: [1, 2, 3, 1, 2, 2], groups })?.pValue).toBe(2 / 8);
    expect(signFlipTest({ differences: [1, 2, 3], groups: ['a', 'a', 'a'] })).toBeNull();
  });

  test('all one way is as rare as can be, no difference at all is 1, and fewer than two pairs are null', () => {
    expect(signFlipTest({ differences: new Array<number>(10).fill(1) })?.pValue).toBe(2 / 1024);
    expect(signFlipTest({ differences: new Array<number>(1000).fill(1) })?.pValue).toBe(1 / 10_001);
    expect(signFlipTest({ differences: new Array<number>(1000).fill(0) })?.pValue).toBe(1);
    expect([signFlipTest({ differences: [] }), signFlipTest({ differences: [1] })]).toEqual([
      null,
      null,
    ]);
  });

  test('is in (0, 1], and the same for swapped runs and for every repeat', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 60 }),
        (differences) => {
          const p = signFlipTest({ differences })!.pValue;
          expect(p > 0 && p <= 1).toBe(true);
          expect(signFlipTest({ differences: differences.map((d) => -d) })?.pValue).toBe(p);
          expect(signFlipTest({ differences })?.pValue).toBe(p);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the bootstrap of the mean', () => {
  // scipy.stats.bootstrap((x,), numpy.mean, n_resamples=499999, method='BCa'). Ours are 10,000
  // other resamples, so the bounds may be off by a small part of the width.
  test.each([
    ['ten floats', [2.1, 3.4, 1, 8.8, 4.4, 0.5, 6.1, 2.2, 9.7, 3.3], 2.56, 6.32],
    [
      'a long tail',
      [0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 1.2, 1.9, 3.1, 5.7, 12.4],
      0.8333,
      4.66,
    ],
    ['few values', [-1, 0, 0, 0, 1, 1, 2, 0, -2, 1, 3, 0, 0, 1, -1, 2, 1, 0, 0, 1], -0.05, 0.95],
  ])('agrees with SciPy on %s', (_name, values, low, high) => {
    const interval = bootstrapMean({ values })!;
    expect(Math.abs(interval.low - low)).toBeLessThan(0.03 * (high - low));
    expect(Math.abs(interval.high - high)).toBeLessThan(0.03 * (high - low));
    expect(interval.method).toBe('bca, 10000 resamples, seed 20250720');
  });

  test('counts draws of few values by drawing the counts, and agrees with SciPy on rare events', () => {
    const values = Array.from({ length: 2000 }, (_, i) => (i % 400 === 0 ? 1 : 0));
    // scipy.stats.bootstrap(..., n_resamples=100000): 0.001 to 0.0055, in steps of 0.0005
    const [low, high] = bounds(bootstrapMean({ values })) as [number, number];
    expect(Math.abs(low - 0.001)).toBeLessThanOrEqual(0.000_500_1);
    expect(Math.abs(high - 0.0055)).toBeLessThanOrEqual(0.000_500_1);
  });

  test('of more than 10,000 distinct values is analytic, says so, and agrees with SciPy', () => {
    const values = Array.from(
      { length: 12_000 },
      (_, i) => (((i * 48_271) % 2_147_483_647) / 2_147_483_647) ** 4,
    );
    // scipy.stats.bootstrap(..., n_resamples=40000, method='BCa')
    const interval = bootstrapMean({ values })!;
    expect(interval.method).toBe('abc, analytic');
    expect(Math.abs(interval.low - 0.0010332609847120806)).toBeLessThan(1e-6);
    expect(Math.abs(interval.high - 0.0010839058136265663)).toBeLessThan(1e-6);
  });

  test('draws groups whole: a thousand copies of three groups say no more than the three', () => {
    const three = [0.1, 0.5, 0.9];
    const copies = Array.from({ length: 3000 }, (_, i) => three[i % 3]!);
    const groups = copies.map((_, i) => i % 3);
    const whole = bootstrapMean({ values: copies, groups });
    expect(bounds(whole)).toEqual(closeTo(bounds(bootstrapMean({ values: three })), 9));
    expect(bootstrapMean({ values: copies, groups: copies.map(() => 0) })).toBeNull();
  });

  test('is null below two values, and without width where all are equal', () => {
    expect([bootstrapMean({ values: [] }), bootstrapMean({ values: [0.4] })]).toEqual([null, null]);
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.integer({ min: 2, max: 40 }),
        (value, count) => {
          const interval = bootstrapMean({ values: new Array<number>(count).fill(value) });
          expect(interval).toEqual({ low: value, high: value, level: 0.95, method: 'no spread' });
        },
      ),
    );
  });

  const spread = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
    minLength: 12,
    maxLength: 40,
  });

  test('stays within the values, holds the mean, and changes sign with the runs', () => {
    fc.assert(
      fc.property(spread, (values) => {
        const [low, high] = bounds(bootstrapMean({ values })) as [number, number];
        expect(low).toBeLessThanOrEqual(mean(values)! + 1e-12);
        expect(high).toBeGreaterThanOrEqual(mean(values)! - 1e-12);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values) - 1e-12);
        expect(high).toBeLessThanOrEqual(Math.max(...values) + 1e-12);
        expect(bounds(bootstrapMean({ values: values.map((value) => -value) }))).toEqual(
          closeTo([-high, -low], 9),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('narrows when every pair is there four times, and widens with the level', () => {
    fc.assert(
      fc.property(spread, (values) => {
        const width = (interval: { low: number; high: number } | null) =>
          interval!.high - interval!.low;
        const once = width(bootstrapMean({ values }));
        fc.pre(once > 1e-6);
        expect(
          width(bootstrapMean({ values: [...values, ...values, ...values, ...values] })),
        ).toBeLessThan(once);
        expect(width(bootstrapMean({ values, level: 0.8 }))).toBeLessThanOrEqual(once);
      }),
      { numRuns: 40 },
    );
  });

  test('of 100,000 pairs, with the sign-flip test, gives numbers and a p-value', () => {
    const differences = Float64Array.from(
      { length: 100_000 },
      (_, i) => Math.sin(i * i) * 0.3 + 0.002,
    );
    const interval = bootstrapMean({ values: differences })!;
    expect(interval.low < interval.high).toBe(true);
    expect(signFlipTest({ differences })?.flips).toBe(10_000);
  });
});

describe('the minimum detectable difference', () => {
  test('agrees with SciPy', () => {
    // (norm.ppf(.975) + norm.ppf(.8)) * numpy.std(d, ddof=1) / sqrt(10)
    const differences = [0.4, -0.1, 0.3, 0.8, -0.2, 0.5, 0.1, 0.9, -0.4, 0.6];
    expect(minimumDetectableDifference({ differences })).toBeCloseTo(0.38379331635827707, 13);
  });

  test('is null below two pairs, 0 without spread, and half as large with about four times the pairs', () => {
    expect([
      minimumDetectableDifference({ differences: [] }),
      minimumDetectableDifference({ differences: [1] }),
    ]).toEqual([null, null]);
    expect(minimumDetectableDifference({ differences: [1, 1, 1] })).toBe(0);
    const differences = Array.from({ length: 1000 }, (_, i) => Math.sin(i));
    const fourfold = [...differences, ...differences, ...differences, ...differences];
    const ratio =
      minimumDetectableDifference({ differences })! /
      minimumDetectableDifference({ differences: fourfold })!;
    expect(ratio).toBeCloseTo(2, 2);
  });
});
