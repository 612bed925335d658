import { describe, expect, test } from 'vitest';
import { type MetricValues, summarizeValues } from '../src/domain/metric-statistics.ts';

// Reference values: SciPy 1.17.1, statsmodels 0.15.0 and NumPy 2.4.6; each call stands at its
// values.

const summarize = (outputType: MetricValues['outputType'], values: number[]) =>
  summarizeValues({
    outputType,
    passingThreshold: outputType === 'boolean' ? null : 0.5,
    values: Float64Array.from(values),
  });

/** Twenty records of each testcase, of which this share passes. */
const repeated = (shares: number[]) => ({
  passingThreshold: null,
  values: Float64Array.from(
    shares.flatMap((share) => Array.from({ length: 20 }, (_, place) => Number(place < 20 * share))),
  ),
  testcases: Int32Array.from(shares.flatMap((_, testcase) => Array(20).fill(testcase))),
});

describe("the interval of a metric's mean", () => {
  test("of booleans is Wilson's", () => {
    // statsmodels.stats.proportion.proportion_confint(7, 10, method='wilson')
    expect(summarize('boolean', [1, 1, 1, 1, 1, 1, 1, 0, 0, 0])).toMatchObject({
      passRate: 0.7,
      method: 'Wilson score',
      confidenceInterval: {
        low: expect.closeTo(0.39677814746114537, 12),
        high: expect.closeTo(0.8922087325936989, 12),
        level: 0.95,
      },
    });
  });

  test('of booleans with means of several records, and of numbers, is the symmetric bootstrap-t', () => {
    const values = [0.2, 0.5, 0.9, 0.4, 0.7, 0.3, 0.8, 0.6, 0.1, 0.55];
    const ofBooleans = summarizeValues({ outputType: 'boolean', ...repeated(values) });
    for (const summary of [ofBooleans, summarize('float', values)]) {
      const { confidenceInterval, method } = summary;
      expect(method).toBe('symmetric bootstrap-t, 10000 resamples, seed 20250720');
      // NumPy, 400,000 resamples of other random numbers
      expect(Math.abs(confidenceInterval!.low - 0.3165)).toBeLessThan(0.01);
      expect(Math.abs(confidenceInterval!.high - 0.6935)).toBeLessThan(0.01);
    }
    expect(ofBooleans.passRate).toBeCloseTo(0.505, 12);
    expect(summarize('float', values).passRate).toBe(0.6);
  });

  test('of five fives reaches down to 2.9, since other values may not have been drawn', () => {
    // 5 - 4 * (1 - .025 ** (1 / 5))
    expect(summarize('int', [5, 5, 5, 5, 5])).toMatchObject({
      mean: 5,
      method: 'binomial bound',
      confidenceInterval: { low: expect.closeTo(2.91271, 4), high: 5, level: 0.95 },
    });
  });

  test('never leaves the scale', () => {
    const { low, high } = summarize('int', [5, 5, 4, 5, 5, 3, 5, 5, 4, 2]).confidenceInterval!;
    expect([low > 1, high]).toEqual([true, 5]);
  });

  test('of one number, or of nothing, is null', () => {
    for (const values of [[], [3]])
      expect(summarize('int', values)).toMatchObject({
        confidenceInterval: null,
        method: 'too few values',
      });
  });
});
