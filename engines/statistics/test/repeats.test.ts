import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passAtK, passHatK, varianceComponents } from '../repeats.ts';

describe('pass@k and pass^k', () => {
  const choose = (n: number, k: number): number =>
    k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k || 0;

  test('are the shares of all draws of k records in which one passes, and in which all do', () => {
    for (let records = 1; records <= 12; records++)
      for (let passes = 0; passes <= records; passes++)
        for (let k = 1; k <= records; k++) {
          const draws = choose(records, k);
          const drawn = { passes, records, k };
          expect(passAtK(drawn)).toBeCloseTo(1 - choose(records - passes, k) / draws, 12);
          expect(passHatK(drawn)).toBeCloseTo(choose(passes, k) / draws, 12);
        }
  });

  // HumanEval's estimate_pass_at_k([200, 200], [13, 100], 10): numpy products of 1 − k / n.
  test('agree with the published estimator', () => {
    const published = (n: number, c: number, k: number): number => {
      let product = 1;
      for (let i = n - c + 1; i <= n; i++) product *= 1 - k / i;
      return n - c < k ? 1 : 1 - product;
    };
    for (const [records, passes, k] of [
      [200, 13, 10],
      [200, 100, 10],
      [100, 1, 100],
      [20, 19, 5],
    ] as const)
      expect(passAtK({ passes, records, k })).toBeCloseTo(published(records, passes, k), 12);
  });

  test('are the share of passes for one record, and lie on its two sides for more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(), fc.nat(), (records, a, b) => {
        const passes = a % (records + 1);
        const k = 1 + (b % records);
        const one = { passes, records, k: 1 };
        expect(passAtK(one)).toBeCloseTo(passes / records, 12);
        expect(passHatK(one)).toBeCloseTo(passes / records, 12);
        expect(passAtK({ passes, records, k })).toBeGreaterThanOrEqual(passes / records - 1e-12);
        expect(passHatK({ passes, records, k })).toBeLessThanOrEqual(passes / records + 1e-12);
      }),
    );
  });
});

describe('the spread of repeats and of testcases', () => {
  test('is that of the analysis of variance, also where testcases have different numbers', () => {
    const testcases = [[3, 5], [2, 5], [6, 8, 9], [6]];
    const total = 8;
    const squaresWithin = 2 + 4.5 + (6 - 23 / 3) ** 2 + (8 - 23 / 3) ** 2 + (9 - 23 / 3) ** 2;
    const within = squaresWithin / (total - 4);
    const mean = 44 / 8;
    const between =
      (2 * (4 - mean) ** 2 + 2 * (3.5 - mean) ** 2 + 3 * (23 / 3 - mean) ** 2 + (6 - mean) ** 2) /
      3;
    const typical = (total - (4 + 4 + 9 + 1) / total) / 3;
    expect(varianceComponents(testcases)).toEqual({
      within: expect.closeTo(Math.sqrt(within), 12),
      between: expect.closeTo(Math.sqrt((between - within) / typical), 12),
    });
  });

  test('has no part of testcases where these differ less than repeats do', () => {
    expect(
      varianceComponents([
        [0, 1],
        [1, 0],
      ]),
    ).toEqual({ within: Math.SQRT1_2, between: 0 });
  });

  test('is unknown without repeats, and that of testcases with one of them', () => {
    expect(varianceComponents([[1], [2]])).toBeNull();
    expect(varianceComponents([[1, 2]])).toEqual({ within: Math.SQRT1_2, between: null });
  });
});
