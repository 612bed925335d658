import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anytimeMean, canDecideMean } from '../anytime-mean.ts';
import {
  anytimePassRateInterval,
  anytimePassRateTest,
  canDecidePassRates,
} from '../anytime-proportions.ts';
import { createRandom } from '../random.ts';
import { gatherUnits, type Units } from '../units.ts';

// Reference values: SciPy 1.17.1; each call stands at its values.

const scale = { low: -1, high: 1 };
const unitsOf = (values: number[], groups?: number[]): Units => gatherUnits({ values, groups })!;

/** So many values whose t statistic is `t`: half of them one above the mean, half one below. */
function withStatistic(count: number, t: number): Units {
  const mean = t / Math.sqrt(count - 1);
  return unitsOf(Array.from({ length: count }, (_, i) => (mean + (i % 2 ? 1 : -1)) / 1000));
}

describe('the p-value of equal pass rates at any look', () => {
  // m = W + L; exp(-(m * log(2) + scipy.special.betaln(6 + W, 6 + L) - betaln(6, 6)))
  test.each([
    [0, 0, 1],
    [10, 2, 0.345470610119048],
    [30, 10, 0.03766341855390968],
    [3, 40, 1.9629199889757103e-6],
    [152, 209, 0.0709556601587514],
  ])(
    'of %d against %d is the inverse of the mixture in SciPy',
    (candidateOnly, baselineOnly, p) => {
      expect(anytimePassRateTest({ candidateOnly, baselineOnly }) / p).toBeCloseTo(1, 9);
    },
  );

  test('is ever 0.05 or less in under 5 of 100 runs that are equally good, looked at after each pair', () => {
    // The chance of each number of gains, without the sequences that were decided before.
    let undecided = [1];
    let decided = 0;
    for (let changed = 1; changed <= 1000; changed++) {
      const next = new Array<number>(changed + 1).fill(0);
      for (const [gains, chance] of undecided.entries()) {
        next[gains]! += chance / 2;
        next[gains + 1]! += chance / 2;
      }
      for (const [gains, chance] of next.entries()) {
        if (chance === 0) continue;
        const counts = { candidateOnly: gains, baselineOnly: changed - gains };
        if (anytimePassRateTest(counts) > 0.05) continue;
        decided += chance;
        next[gains] = 0;
      }
      undecided = next;
    }
    expect(decided).toBeLessThan(0.05);
    expect(decided).toBeGreaterThan(0.02);
  });
});

describe('the interval of a difference of pass rates at any look', () => {
  // scipy.optimize.brentq of log(20) and the log of scipy.integrate.quad over b of
  // scipy.stats.beta.pdf((b + 1) / 2, 6, 6) / 2 * (1 + k(1 - m))**W * (1 - k(1 + m))**L * (1 - km)**S,
  // where k = b / (1 + m) for b > 0, else b / (1 - m)
  test.each([
    [10, 2, 8, -0.19181627198419304, 0.7690940867871634],
    [30, 10, 160, 0.0037039246165225448, 0.19918021403789188],
    [20, 30, 150, -0.15972977845454442, 0.05916984540782849],
    [152, 209, 958, -0.08861479640275305, 0.0017073031879729313],
    [0, 0, 30, -0.26069547477219707, 0.26069547477219707],
  ])(
    'of %d and %d of changed and %d other pairs is that of SciPy',
    (candidateOnly, baselineOnly, others, low, high) => {
      const pairs = candidateOnly + baselineOnly + others;
      const interval = anytimePassRateInterval({ candidateOnly, baselineOnly, pairs });
      expect(interval).toEqual({
        low: expect.closeTo(low, 7),
        high: expect.closeTo(high, 7),
        level: 0.95,
      });
    },
  );

  test('is null without pairs, mirrored for swapped runs, and excludes 0 where the test decides', () => {
    expect(anytimePassRateInterval({ candidateOnly: 0, baselineOnly: 0, pairs: 0 })).toBeNull();
    fc.assert(
      fc.property(
        fc.nat(60),
        fc.nat(60),
        fc.nat(300),
        fc.constantFrom(0.8, 0.95, 0.99),
        (candidateOnly, baselineOnly, others, level) => {
          fc.pre(candidateOnly + baselineOnly + others > 0);
          const changed = { candidateOnly, baselineOnly };
          const pairs = candidateOnly + baselineOnly + others;
          const { low, high } = anytimePassRateInterval({ ...changed, pairs, level })!;
          const swapped = anytimePassRateInterval({
            candidateOnly: baselineOnly,
            baselineOnly: candidateOnly,
            pairs,
            level,
          })!;
          expect(swapped.low).toBeCloseTo(-high, 9);
          expect(swapped.high).toBeCloseTo(-low, 9);
          const pValue = anytimePassRateTest(changed);
          if (Math.abs(pValue - (1 - level)) > 1e-6)
            expect(low > 0 || high < 0).toBe(pValue < 1 - level);
        },
      ),
      { numRuns: volume(25) },
    );
  });
});

describe('the p-value of a mean at any look', () => {
  // The inverse of scipy.integrate.quad over d of nct.pdf(t, n - 1, d * sqrt(n)) *
  // norm.pdf(d, 0, sqrt(0.02)), divided by t.pdf(t, n - 1)
  test.each([
    [20, 3, 0.4515473806616015],
    [60, -3.2, 0.11895486335124046],
    [100, 3.5, 0.03828091622891866],
    [150, 4.5, 0.0017324063449796474],
  ])('of %d values with t = %d is the inverse of the mixture in SciPy', (count, t, p) => {
    expect(anytimeMean(withStatistic(count, t), { scale }).pValue / p).toBeCloseTo(1, 8);
  });

  // scipy.optimize.brentq of the same quotient and 20
  test.each([
    [60, 3.7911598700107842],
    [120, 3.2747919383565622],
  ])('of %d values is 0.05 at the t of SciPy, to which the interval reaches', (count, t) => {
    const units = withStatistic(count, t);
    const { pValue, interval } = anytimeMean(units, { scale });
    expect(pValue).toBeCloseTo(0.05, 8);
    expect(interval!.low / interval!.high).toBeCloseTo(0, 9);
  });

  test('says nothing where nothing varies, and bounds nothing where there are too few', () => {
    expect(anytimeMean(unitsOf([0.5, 0.5, 0.5]), { scale })).toEqual({ pValue: 1, interval: null });
    const { pValue, interval } = anytimeMean(unitsOf([0.5, 0.5, 0.49]), { scale });
    expect(pValue).toBeGreaterThan(0.9);
    expect(interval).toBeNull();
  });

  test('does not depend on the order, excludes 0 where the test decides, and stays on the scale', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 80 }),
        fc.nat(),
        (values, seed) => {
          const units = unitsOf(values);
          const { pValue, interval } = anytimeMean(units, { scale });
          const random = createRandom({ seed });
          const shuffled = values
            .map((value) => ({ value, at: random.uniform() }))
            .sort((a, b) => a.at - b.at)
            .map(({ value }) => value);
          const other = anytimeMean(unitsOf(shuffled), { scale });
          expect(other.pValue).toBeCloseTo(pValue, 9);
          if (interval === null) return;
          expect(interval.low >= -1 && interval.high <= 1).toBe(true);
          if (Math.abs(pValue - 0.05) > 1e-6)
            expect(interval.low > 0 || interval.high < 0).toBe(pValue < 0.05);
        },
      ),
    );
  });
});

describe('what can still be decided', () => {
  test('is everything while there is much to come, and nothing once that is far too little', () => {
    const changed = { candidateOnly: 40, baselineOnly: 40, pairs: 300 };
    expect(canDecidePassRates({ ...changed, toCome: 10_000 })).toBe(true);
    expect(canDecidePassRates({ ...changed, toCome: 20 })).toBe(false);
    expect(canDecidePassRates({ candidateOnly: 0, baselineOnly: 0, pairs: 0, toCome: 5 })).toBe(
      true,
    );
    const units = withStatistic(300, 0.1);
    expect(canDecideMean(units, { scale, toCome: 10_000 })).toBe(true);
    expect(canDecideMean(units, { scale, toCome: 20 })).toBe(false);
    expect(canDecideMean(unitsOf([0, 0]), { scale, toCome: 1 })).toBe(true);
  });
});
