import { describe, expect, test } from 'vitest';
import { detectableDifference, leastThatReaches, meanPower, passRatePower } from '../power.ts';
import { studentCdf } from '../student.ts';

// Reference values: SciPy 1.17.1 and statsmodels 0.15.0; each call stands at its values.

const level = 0.95;
const leastPairs = (changeRate: number, difference: number) =>
  leastThatReaches(
    0.8,
    (pairs) => passRatePower({ pairs, changeRate, difference, level }),
    1_000_000,
  );
const leastUnits = (deviation: number, difference: number) =>
  leastThatReaches(0.8, (units) => meanPower({ units, deviation, difference, level }), 1_000_000);

describe('the distribution function of Student', () => {
  // scipy.stats.t.cdf(t, degrees)
  test.each([
    [1.5, 4, 0.896],
    [2.3, 1, 0.8694524129113772],
    [-1, 7, 0.1753083314101037],
    [3, 30, 0.9973050179671741],
    [-2, 999, 0.0228853084868785],
    [-2, 1000, 0.02288517324662583],
    [0.5, 5000, 0.691451459572983],
  ])('at %d with %d degrees is that of SciPy', (t, degrees, expected) => {
    expect(studentCdf(t, degrees)).toBeCloseTo(expected, degrees < 1000 ? 12 : 6);
  });
});

describe('the power of the mid-p McNemar test', () => {
  // The sum over all tables, with scipy.stats.binom: pmf(m, n, psi) · pmf(k, m, (psi + d) / 2 psi)
  // where 2 · cdf(min(k, m − k), m, .5) − pmf(k, m, .5) ≤ 1 − level and k > m / 2.
  test.each([
    [20, 0.4, 0.2, 0.95, 0.258880365775375],
    [50, 0.2, 0.1, 0.95, 0.3281683845837718],
    [200, 0.1, 0.05, 0.95, 0.6166800857394359],
    [300, 0.3, 0.08, 0.95, 0.7195641654358096],
    [500, 0.2, 0.05, 0.99, 0.4699415758442523],
    [12, 0.5, 0.5, 0.95, 0.8061523437500002],
    [100, 1, 0.25, 0.95, 0.7339137587545079],
  ])('of %d pairs of which %d change, %d apart, is the sum over all tables', (...of) => {
    const [pairs, changeRate, difference, atLevel, expected] = of;
    const power = passRatePower({ pairs, changeRate, difference, level: atLevel });
    expect(power).toBeCloseTo(expected, 7);
  });

  // Connett, Smith and McHugh, with scipy.stats.norm; the sum over all tables is 0.82508.
  test.each([
    [1000, 0.3, 0.05, 0.8239887021073737],
    [20_000, 0.2, 0.01, 0.8854372072638189],
  ])(
    'of %d pairs is that of Connett, Smith and McHugh',
    (pairs, changeRate, difference, expected) => {
      expect(passRatePower({ pairs, changeRate, difference, level })).toBeCloseTo(expected, 10);
    },
  );

  test('leads to the published number of pairs', () => {
    // Chow, Shao, Wang and Lokhnygina, Sample Size Calculations in Clinical Research (2018), the
    // example of McNemar's test: shares of 0.5 and 0.2 that change take 59 pairs.
    expect(leastPairs(0.7, 0.3)).toBeGreaterThanOrEqual(57);
    expect(leastPairs(0.7, 0.3)).toBeLessThanOrEqual(61);
  });

  test('needs five pairs that all change in one direction', () => {
    expect(leastPairs(1, 1)).toBe(5);
  });
});

describe('the power of the test of a mean', () => {
  // statsmodels.stats.power.TTestPower().power(difference, units, 0.05)
  test.each([
    [10, 1, 0.8030968566327218],
    [34, 0.5, 0.8077775012792737],
    [73, 1 / 3, 0.8022989433830339],
    [800, 0.1, 0.8064984489568077],
  ])('of %d units, %d deviations apart, is that of statsmodels', (units, difference, expected) => {
    const power = meanPower({ units, deviation: 1, difference, level });
    expect(Math.abs(power - expected)).toBeLessThan(0.002);
  });

  // TTestPower().solve_power(difference, None, 0.05, 0.8): 33.4, 72.6, 786.8
  test('leads to the number of units of statsmodels', () => {
    expect([leastUnits(1, 0.5), leastUnits(0.3, 0.1), leastUnits(1, 0.1)]).toEqual([34, 73, 787]);
  });

  test('is nothing where so few flips can decide nothing, and certain without spread', () => {
    expect(meanPower({ units: 5, deviation: 0.1, difference: 4, level })).toBe(0);
    expect(meanPower({ units: 6, deviation: 0, difference: 0.1, level })).toBe(1);
  });
});

describe('the least that reaches a power', () => {
  test('is null where even the most does not', () => {
    expect(leastThatReaches(0.8, () => 0.7, 100)).toBeNull();
    expect(detectableDifference(0.8, () => 0.7, 1)).toBeNull();
  });

  test('is the first of a rising power, at its ends too', () => {
    for (const first of [1, 2, 3, 17, 99, 100])
      expect(leastThatReaches(0.8, (count) => (count >= first ? 0.8 : 0.7), 100)).toBe(first);
    expect(detectableDifference(0.8, (difference) => difference, 1)).toBeCloseTo(0.8, 7);
  });
});
