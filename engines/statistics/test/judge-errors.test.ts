import { describe, expect, test } from 'vitest';
import { agreementInterval } from '../agreement-interval.ts';
import { studentTail } from '../student.ts';
import { midPFisher, welchTest } from '../two-samples.ts';

// Reference values: SciPy 1.17.1 and NumPy 2.4.6; each call stands at its values.

const times = <Item>(count: number, item: Item): Item[] =>
  Array.from({ length: count }, () => item);
const near = (low: number, high: number, tolerance = 0.012) => ({
  low: expect.toSatisfy((value: number) => Math.abs(value - low) < tolerance),
  high: expect.toSatisfy((value: number) => Math.abs(value - high) < tolerance),
  level: 0.95,
});

describe('the interval of an agreement', () => {
  const textbook = {
    first: [...times(25, 1), ...times(25, 0)],
    second: [...times(20, 1), ...times(5, 0), ...times(10, 1), ...times(15, 0)],
  };

  test('of booleans is that of a million resamples by NumPy', () => {
    // numpy.quantile(kappa(rng.multinomial(50, [.4, .1, .2, .3], 1_000_000)), [.025, .975])
    const interval = agreementInterval(textbook, { measure: 'kappa', range: 1 });
    expect(interval).toEqual(near(0.1408, 0.64));
    const wider = agreementInterval(textbook, { measure: 'kappa', range: 1, level: 0.99 })!;
    expect(wider.low).toBeLessThan(interval!.low);
  });

  test('of ints with quadratic weights is that of 400,000 resamples by NumPy', () => {
    const first = [1, 2, 3, 4, 5, 3, 2, 1, 4, 5, 5, 2, 3, 3, 1];
    const second = [1, 2, 3, 5, 4, 3, 1, 1, 4, 5, 3, 2, 4, 3, 2];
    expect(agreementInterval({ first, second }, { measure: 'kappa', range: 4 })).toEqual(
      near(0.625, 0.9471),
    );
  });

  test('of floats is that of 400,000 resamples by NumPy, whether pairs are counted or drawn', () => {
    const first = Array.from(
      { length: 40 },
      (_, i) => Math.round((((i * 37) % 41) / 41) * 1e3) / 1e3,
    );
    const second = first.map((value, i) =>
      Math.min(1, Math.max(0, Math.round((value + (((i * 17) % 13) - 6) / 40) * 1e3) / 1e3)),
    );
    const expected = near(0.9248, 0.9711, 0.003);
    expect(agreementInterval({ first, second }, { measure: 'alpha', range: 1 })).toEqual(expected);
    // Ten thousandths apart, so that no two pairs are equal; a tenth of the spread of the mean.
    const many = { first: [] as number[], second: [] as number[] };
    for (let copy = 0; copy < 8; copy++)
      for (let i = 0; i < 40; i++) {
        many.first.push(first[i]! + copy * 1e-7);
        many.second.push(second[i]! + copy * 1e-7);
      }
    const narrow = agreementInterval(many, { measure: 'alpha', range: 1 })!;
    const whole = agreementInterval({ first, second }, { measure: 'alpha', range: 1 })!;
    expect((whole.high - whole.low) / (narrow.high - narrow.low)).toBeCloseTo(Math.sqrt(8), 0);
  });

  test('has a width where the raters never differ: the binomial bound, as large as the scale', () => {
    const equal = [...times(6, 1), ...times(4, 0)];
    // 1 − (1 − .025 ** (1 / 10)) / (2 · .6 · .4)
    expect(
      agreementInterval({ first: equal, second: equal }, { measure: 'kappa', range: 1 }),
    ).toEqual({ low: expect.closeTo(1 - (1 - 0.025 ** 0.1) / 0.48, 12), high: 1, level: 0.95 });
  });

  test('is null where nearly all ratings are the same, and without ratings', () => {
    const [same, single] = [times(30, 1), [...times(29, 1), 0]];
    const of = (first: number[], second: number[]) =>
      agreementInterval({ first, second }, { measure: 'kappa', range: 1 });
    expect([of(same, same), of(same, single), of([], [])]).toEqual([null, null, null]);
  });
});

describe('two shares', () => {
  test('differ by the mid-p value of Fisher: that of SciPy less half the chance of the table', () => {
    const p = (a: number, n: number, b: number, m: number) =>
      midPFisher({ successes: a, trials: n }, { successes: b, trials: m });
    // fisher_exact([[a, n-a], [b, m-b]]).pvalue - hypergeom.pmf(a, n+m, a+b, n) / 2
    for (const [table, expected] of [
      [[190, 200, 156, 200], 5.194887036126716e-7],
      [[3, 10, 8, 10], 0.053703262681590855],
      [[0, 5, 5, 5], 0.005952380952380954],
      [[7, 12, 5, 9], 0.8302452964991665],
      [[1, 1, 0, 3], 0.125],
    ] as const)
      expect(p(table[0], table[1], table[2], table[3]) / expected).toBeCloseTo(1, 10);
    expect([p(0, 0, 3, 5), p(5, 5, 7, 7), p(0, 5, 0, 7)]).toEqual([1, 1, 1]);
  });
});

describe('two means', () => {
  test("differ by Welch's t, its degrees rounded down", () => {
    const [one, other] = [
      [0.1, 0.4, -0.2, 0.3, 0.25, 0.05, 0.6],
      [-0.1, 0, -0.3, 0.1, -0.05],
    ];
    // 2 * t.sf(ttest_ind(x, y, equal_var=False).statistic, 9): the degrees are 9.70.
    expect(welchTest(one!, other!)).toBeCloseTo(0.0397741595889291, 12);
    expect([welchTest([1], [1, 2]), welchTest([1, 1], [2, 2])]).toEqual([null, null]);
  });

  test("use the tail of Student's t", () => {
    // t.sf(distance, degrees)
    for (const [distance, degrees, expected] of [
      [0, 3, 0.5],
      [1.5, 1, 0.18716704181099886],
      [2.5, 8, 0.01847101885681206],
      [3.1, 101, 0.0012538954298416127],
      [1.96, 2000, 0.02506723059710385],
    ] as const)
      expect(studentTail(distance, degrees)).toBeCloseTo(expected, 12);
  });
});
