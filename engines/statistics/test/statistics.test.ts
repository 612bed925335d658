import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cohensKappa, krippendorffsAlpha } from '../agreement.ts';
import { drawBinomial, logFactorial } from '../binomial.ts';
import { distribution, mean, standardDeviation } from '../describe.ts';
import { holmAdjust } from '../holm.ts';
import { normalCdf, normalQuantile } from '../normal.ts';
import { createRandom } from '../random.ts';

// Reference values: SciPy 1.17.1, statsmodels 0.15.0, scikit-learn 1.9.1 and NumPy 2.4.6; each call
// stands at its values.

const relative = (actual: number, expected: number, tolerance: number) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(tolerance * Math.abs(expected));

describe('mean and standard deviation', () => {
  const values = [2.1, 3.4, 1, 8.8, 4.4, 0.5, 6.1, 2.2, 9.7, 3.3];

  test('agree with NumPy', () => {
    expect(mean(values)).toBeCloseTo(4.15, 14);
    // numpy.std(x, ddof=1)
    expect(standardDeviation(values)).toBeCloseTo(3.141567195595925, 14);
  });

  test('of nothing are null, and one value has no deviation', () => {
    expect([mean([]), standardDeviation([]), standardDeviation([3])]).toEqual([null, null, null]);
  });

  test('of equal values are that value and no deviation, whatever rounding does to their sum', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.integer({ min: 2, max: 50 }),
        (value, count) => {
          const equal = new Array<number>(count).fill(value);
          expect(mean(equal)).toBe(value);
          expect(standardDeviation(equal)).toBe(0);
        },
      ),
    );
  });
});

describe('distribution', () => {
  test('counts false and true, and 1 to 5, also where nothing is', () => {
    const scale = { low: 0, high: 1 };
    expect(distribution({ outputType: 'boolean', scale, values: [1, 1, 0] })).toEqual([
      { value: false, count: 1 },
      { value: true, count: 2 },
    ]);
    expect(
      distribution({ outputType: 'int', scale: { low: 1, high: 5 }, values: [5, 1, 5] }).map(
        (entry) => entry.count,
      ),
    ).toEqual([1, 0, 0, 0, 2]);
  });

  test('counts whole numbers of a short scale one by one, and of a long one in ten bins', () => {
    const short = distribution({ outputType: 'int', scale: { low: -1, high: 2 }, values: [2, -1] });
    expect(short).toEqual([
      { value: -1, count: 1 },
      { value: 0, count: 0 },
      { value: 1, count: 0 },
      { value: 2, count: 1 },
    ]);
    const long = distribution({ outputType: 'int', scale: { low: 0, high: 1000 }, values: [1000] });
    expect(long).toHaveLength(10);
    expect(long[9]).toEqual({ low: 900, high: 1000, count: 1 });
  });

  test('goes over the whole of a scale that has both ends, and else from the least value to the largest', () => {
    const values = [10, 90];
    const closed = distribution({ outputType: 'float', scale: { low: 0, high: 100 }, values });
    expect(closed[1]).toEqual({ low: 10, high: 20, count: 1 });
    expect(closed[9]).toEqual({ low: 90, high: 100, count: 1 });
    const open = distribution({ outputType: 'float', scale: { low: 0, high: Infinity }, values });
    expect(open[0]).toEqual({ low: 10, high: 18, count: 1 });
    expect(open[9]).toEqual({ low: 82, high: 90, count: 1 });
  });

  test('puts each tenth into the bin that starts there, and 1 into the last', () => {
    const values = Array.from({ length: 11 }, (_, i) => i / 10);
    const bins = distribution({ outputType: 'float', scale: { low: 0, high: 1 }, values });
    expect(bins.map((bin) => bin.count)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    expect(bins[3]).toEqual({ low: 0.3, high: 0.4, count: 1 });
  });

  test('counts every score once', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (values) => {
        const total = distribution({
          outputType: 'float',
          scale: { low: 0, high: 1 },
          values,
        }).reduce((sum, bin) => sum + bin.count, 0);
        expect(total).toBe(values.length);
      }),
    );
  });
});

describe('the normal distribution', () => {
  // scipy.special.ndtr(x)
  test.each([
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [1, 0.8413447460685429],
    [1.959963984540054, 0.975],
    [4.2, 0.9999866542509841],
    [-3, 0.0013498980316300933],
    [-6, 9.865876450376946e-10],
    [-8, 6.22096057427174e-16],
    [-15, 3.6709661993126986e-51],
    [-30, 4.906713927147908e-198],
  ])('has %d at or below with the probability that SciPy gives', (x, expected) => {
    expect(Math.abs(normalCdf(x) - expected)).toBeLessThan(1e-15);
    relative(normalCdf(x), expected, 1e-6);
  });

  // scipy.special.ndtri(p)
  test.each([
    [1e-300, -37.0470962993612],
    [1e-20, -9.262340089798409],
    [1e-5, -4.264890793922825],
    [0.001, -3.090232306167813],
    [0.025, -1.9599639845400545],
    [0.1, -1.2815515655446004],
    [0.3, -0.5244005127080409],
    [0.5, 0],
    [0.975, 1.959963984540054],
    [0.999999, 4.753424308817087],
  ])('has its quantile at %d where SciPy has it', (probability, expected) => {
    relative(normalQuantile(probability), expected, 1e-14);
  });

  test('quantile and distribution function undo each other, and the ends are infinite', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }), (probability) => {
        expect(Math.abs(normalCdf(normalQuantile(probability)) - probability)).toBeLessThan(1e-13);
      }),
    );
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
  });
});

describe('the generator', () => {
  test('gives the words of xoshiro128** for the state 1, 2, 3, 4', () => {
    // The recurrences of the paper, worked out with Python integers.
    const random = createRandom({ state: Uint32Array.of(1, 2, 3, 4) });
    const expected = [
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597,
      4258142804,
    ];
    expect(expected.map(() => random.word())).toEqual(expected);
  });

  test('gives the same words filled or one by one, and others for another seed', () => {
    const filled = new Uint32Array(100);
    createRandom({ seed: 7 }).fill(filled);
    const single = createRandom({ seed: 7 });
    expect([...filled]).toEqual([...filled].map(() => single.word()));
    expect(createRandom({ seed: 8 }).word()).not.toBe(filled[0]);
  });

  test.each([
    [40, 0.1],
    [1000, 0.3],
    [100_000, 0.9],
    [1_000_000, 0.000_002],
  ])(
    'draws binomial numbers of %d trials at %d with their mean and variance',
    (trials, probability) => {
      const random = createRandom({ seed: 11 });
      const draws = Array.from({ length: 40_000 }, () =>
        drawBinomial({ trials, probability, random }),
      );
      const variance = trials * probability * (1 - probability);
      // Five standard errors of the mean; of the variance about as many.
      expect(Math.abs(mean(draws)! - trials * probability)).toBeLessThan(
        5 * Math.sqrt(variance / draws.length),
      );
      expect(Math.abs(standardDeviation(draws)! ** 2 / variance - 1)).toBeLessThan(0.05);
      expect(draws.every((draw) => Number.isInteger(draw) && draw >= 0 && draw <= trials)).toBe(
        true,
      );
    },
  );

  test('log factorials meet where the table ends and the series begins', () => {
    expect(logFactorial(256) - logFactorial(255)).toBeCloseTo(Math.log(256), 11);
    expect(logFactorial(0)).toBe(0);
  });
});

describe("Holm's correction", () => {
  test('agrees with statsmodels', () => {
    // statsmodels.stats.multitest.multipletests([.01, .04, .03, .005, .5], method='holm')
    expect(holmAdjust([0.01, 0.04, 0.03, 0.005, 0.5])).toEqual(
      [0.04, 0.09, 0.09, 0.025, 0.5].map((p) => expect.closeTo(p, 14)),
    );
  });

  test('leaves what was not tested out', () => {
    expect(holmAdjust([null, 0.01, null])).toEqual([null, 0.01, null]);
    expect(holmAdjust([])).toEqual([]);
  });

  test('never lowers a p-value, keeps their order, and stays at most 1', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true })), (pValues) => {
        const adjusted = holmAdjust(pValues) as number[];
        adjusted.forEach((p, i) => {
          expect(p).toBeGreaterThanOrEqual(pValues[i]!);
          expect(p).toBeLessThanOrEqual(1);
          adjusted.forEach((q, j) => {
            if (pValues[i]! < pValues[j]!) expect(p).toBeLessThanOrEqual(q);
          });
        });
      }),
    );
  });
});

describe("Cohen's kappa", () => {
  const first = [1, 2, 3, 4, 5, 3, 2, 1, 4, 5, 5, 2, 3, 3, 1];
  const second = [1, 2, 3, 5, 4, 3, 1, 1, 4, 5, 3, 2, 4, 3, 2];

  test('agrees with scikit-learn, unweighted and with quadratic weights', () => {
    // sklearn.metrics.cohen_kappa_score(a, b) and (a, b, weights='quadratic', labels=[1, 2, 3, 4,
    // 5])
    expect(cohensKappa({ first, second, weights: 'none' })).toBeCloseTo(0.4972067039106145, 13);
    expect(cohensKappa({ first, second, weights: 'quadratic' })).toBeCloseTo(
      0.8355663824604141,
      13,
    );
  });

  test('is 1 for full agreement, null for none to judge and for raters who always say the same one thing', () => {
    expect(cohensKappa({ first, second: first, weights: 'quadratic' })).toBe(1);
    expect(cohensKappa({ first: [], second: [], weights: 'none' })).toBeNull();
    expect(cohensKappa({ first: [true, true], second: [true, true], weights: 'none' })).toBeNull();
    expect(cohensKappa({ first: [3, 3], second: [3, 3], weights: 'quadratic' })).toBeNull();
  });

  test('is the same whoever comes first, and weights change nothing for booleans', () => {
    const ratings = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1 });
    fc.assert(
      fc.property(ratings, (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
        const kappa = cohensKappa({ first: a, second: b, weights: 'none' });
        const swapped = cohensKappa({ first: b, second: a, weights: 'none' });
        const weighted = cohensKappa({ first: a, second: b, weights: 'quadratic' });
        if (kappa === null) expect([swapped, weighted]).toEqual([null, null]);
        else
          expect([swapped, weighted]).toEqual([
            expect.closeTo(kappa, 10),
            expect.closeTo(kappa, 10),
          ]);
      }),
    );
  });
});

describe("Krippendorff's alpha", () => {
  test('gives 0.849 for the example of Krippendorff (2011), with ratings missing', () => {
    const _ = null;
    const raters = [
      [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
      [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
      [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
      [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ];
    const units = raters[0]!.map((__, unit) => raters.map((rater) => rater[unit]!));
    // krippendorff.alpha(ratings, level_of_measurement='interval') of the package krippendorff:
    // 0.8491071428571428
    expect(krippendorffsAlpha(units)).toBeCloseTo(0.8491071428571428, 13);
  });

  test('agrees with the package krippendorff on floats', () => {
    const units = [
      [0.1, 0.2],
      [0.5, 0.5],
      [0.9, 0.8],
      [0.4, 0.4],
      [0.7, 0.6],
    ];
    expect(krippendorffsAlpha(units)).toBeCloseTo(0.9525483304042179, 13);
  });

  test('is null where nothing is paired or nothing varies', () => {
    expect([
      krippendorffsAlpha([]),
      krippendorffsAlpha([[1], [2, null]]),
      krippendorffsAlpha([
        [0.1, 0.1],
        [0.1, 0.1, 0.1],
      ]),
    ]).toEqual([null, null, null]);
  });
});
