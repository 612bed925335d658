import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  detectableMeanDifference,
  detectablePassRateDifference,
} from '../detectable-difference.ts';
import {
  midPMcNemar,
  newcombePairedInterval,
  upperProportion,
  wilsonInterval,
} from '../proportions.ts';
import { studentQuantile } from '../student.ts';
import { gatherUnits } from '../units.ts';

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

describe('the upper end of Clopper and Pearson', () => {
  // scipy.stats.beta.ppf(1 - (1 - level) / 2, k + 1, n - k)
  test.each([
    [1, 20, 0.95, 0.24873276277202777],
    [2, 20, 0.95, 0.31698271401908235],
    [3, 100, 0.99, 0.10548125372507824],
    [2, 3, 0.95, 0.9915962413403874],
    [0, 5, 0.95, 1 - 0.025 ** 0.2],
    [4, 4, 0.95, 1],
  ])('of %d of %d at %d is that of SciPy', (successes, trials, level, expected) => {
    expect(upperProportion({ successes, trials, level })).toBeCloseTo(expected, 12);
  });
});

describe('mid-p McNemar', () => {
  // Published: Fagerland, Lydersen and Laake, Statistical Analysis of Contingency Tables (2017),
  // section 8.5, and scipy.stats.binom: 2 * cdf(min(b, c), b + c, .5) - pmf(b, b + c, .5).
  test.each([
    [1, 7, 0.0390625],
    [6, 16, 0.03468966484069824],
    [25, 2, 3.0323863029479947e-6],
    [5, 0, 0.03125],
    [12, 2, 0.007385253906249991],
    [121, 59, 3.2666467957745733e-6],
    [400, 500, 0.0008541955361977088],
    [50_000, 50_800, 0.01174342752615256],
  ])('%d against %d has the p-value of SciPy', (candidateOnly, baselineOnly, expected) => {
    expect(midPMcNemar({ candidateOnly, baselineOnly }) / expected).toBeCloseTo(1, 8);
  });

  test('of as many one way as the other is 1 less half the chance of that', () => {
    // 1 - scipy.stats.binom.pmf(4, 8, .5) / 2
    expect(midPMcNemar({ candidateOnly: 4, baselineOnly: 4 })).toBeCloseTo(0.86328125, 12);
  });

  test('is 1 without discordant pairs, in (0, 1], and the same for swapped runs', () => {
    expect(midPMcNemar({ candidateOnly: 0, baselineOnly: 0 })).toBe(1);
    expect(midPMcNemar({ candidateOnly: 1_000_000, baselineOnly: 0 })).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(3000), (candidateOnly, baselineOnly) => {
        const p = midPMcNemar({ candidateOnly, baselineOnly });
        expect(p > 0 && p <= 1).toBe(true);
        expect(midPMcNemar({ candidateOnly: baselineOnly, baselineOnly: candidateOnly })).toBe(p);
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

describe("Student's t", () => {
  // scipy.stats.t.ppf(p, df)
  test.each([
    [0.975, 1, 12.706204736174694],
    [0.8, 1, 1.3763819204711738],
    [0.975, 2, 4.302652729749462],
    [0.975, 9, 2.262157162798205],
    [0.8, 9, 0.8834038596855346],
    [0.975, 19, 2.0930240544083087],
    [0.9995, 30, 3.6459586350420627],
    [0.975, 99, 1.9842169515864174],
    [0.975, 100, 1.9839715185235518],
    [0.8, 100, 0.8452304244910163],
    [0.9995, 100, 3.390491311164263],
    [0.975, 5000, 1.9604385517065073],
  ])(
    'has its quantile at %d with %d degrees of freedom where SciPy has it',
    (p, degrees, expected) => {
      expect(Math.abs(studentQuantile(p, degrees) / expected - 1)).toBeLessThan(1e-8);
    },
  );
});

describe('the detectable difference of means', () => {
  const detectable = (differences: number[], level = 0.95) =>
    detectableMeanDifference(gatherUnits({ values: differences })!, level);

  test('agrees with SciPy', () => {
    // (t.ppf(.975, 9) + t.ppf(.8, 9)) * numpy.std(d, ddof=1) / sqrt(10)
    const differences = [0.4, -0.1, 0.3, 0.8, -0.2, 0.5, 0.1, 0.9, -0.4, 0.6];
    expect(detectable(differences)).toBeCloseTo(0.4309150722316838, 12);
  });

  test('is 0 without spread, and half as large with about four times the pairs', () => {
    expect(detectable([1, 1, 1])).toBe(0);
    const differences = Array.from({ length: 1000 }, (_, i) => Math.sin(i));
    const fourfold = [...differences, ...differences, ...differences, ...differences];
    expect(detectable(differences) / detectable(fourfold)).toBeCloseTo(2, 2);
  });
});

describe('the detectable difference of pass rates', () => {
  const detectable = (pairs: number, changed: number, level = 0.95) =>
    detectablePassRateDifference(
      { both: pairs - changed, candidateOnly: changed, baselineOnly: 0, neither: 0 },
      level,
    );

  // The equation of Connett, Smith and McHugh (1987), solved by scipy.optimize.brentq.
  test.each([
    [20, 8, 0.37326456699468513],
    [50, 14, 0.20474570081775936],
    [200, 20, 0.062276798776992916],
    [1319, 361, 0.04032036067086252],
    [9, 7, 0.7193210016124806],
  ])(
    'of %d pairs of which %d change solves the equation of the paper',
    (pairs, changed, expected) => {
      expect(detectable(pairs, changed)).toBeCloseTo(expected, 12);
    },
  );

  test('at another level solves it for that level', () => {
    expect(detectable(50, 14, 0.99)).toBeCloseTo(0.248369728205594, 12);
  });

  test('is null where it would exceed the share that changes', () => {
    expect([
      detectable(20, 4),
      detectable(20, 8, 0.99),
      detectable(20, 0),
      detectable(2, 2),
    ]).toEqual([null, null, null, null]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (pairs, changed) => {
        fc.pre(changed <= pairs);
        const difference = detectable(pairs, changed);
        expect(difference === null || (difference > 0 && difference <= changed / pairs)).toBe(true);
      }),
    );
  });
});
