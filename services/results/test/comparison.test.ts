import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, times } from './compared-pairs.ts';

// Reference values: SciPy 1.17.1, statsmodels 0.15.0 and NumPy 2.4.6; each call stands at its
// values.

const widthOf = ({ confidenceInterval }: ReturnType<typeof compare>): number =>
  confidenceInterval!.high - confidenceInterval!.low;

describe('the comparison of one metric', () => {
  test('of booleans is mid-p McNemar and the interval of Newcombe', () => {
    const baseline = [...times(36, 1), ...times(12, 0), ...times(2, 1)];
    const candidate = [...times(48, 1), ...times(2, 0)];
    expect(compare({ outputType: 'boolean', baseline, candidate })).toEqual({
      paired: 50,
      baselineMean: 0.76,
      candidateMean: 0.96,
      difference: expect.closeTo(0.2, 12),
      // Newcombe's formulas in Python, over statsmodels' proportion_confint(method='wilson'):
      // statistics-pairs.test.ts
      confidenceInterval: {
        low: expect.closeTo(0.05692958400323875, 12),
        high: expect.closeTo(0.3404276029749408, 12),
        level: 0.95,
      },
      method: 'Newcombe paired score, method 10',
      // scipy.stats.binom: 2 * cdf(2, 14, .5) - pmf(2, 14, .5)
      pValue: expect.closeTo(0.007385253906249991, 12),
      test: 'mid-p McNemar',
      guard: null,
      // The equation of Connett, Smith and McHugh (1987) for 14 of 50, by scipy.optimize.brentq
      minimumDetectableDifference: expect.closeTo(0.20474570081775936, 12),
      anytime: expect.objectContaining({ method: 'Beta(6, 6) mixture of bets' }),
      improved: 12,
      regressed: 2,
      unchanged: 36,
    });
  });

  const ints = {
    outputType: 'int' as const,
    baseline: [3, 2, 4, 5, 1, 3, 2, 4, 3, 2, 5, 1],
    candidate: [4, 2, 4, 5, 3, 4, 4, 3, 5, 2, 5, 2],
  };

  // The bootstrap-t in NumPy, with 400,000 resamples of other random numbers: a resample's t is
  // (mean* − mean) / standard error*.
  const bootstrapT = 'symmetric bootstrap-t, 10000 resamples, seed 20250720';

  test('of ints is the guarded sign-flip test and the bootstrap-t of the mean difference', () => {
    const compared = compare(ints);
    expect(compared).toEqual({
      paired: 12,
      baselineMean: expect.closeTo(35 / 12, 12),
      candidateMean: expect.closeTo(43 / 12, 12),
      difference: expect.closeTo(8 / 12, 12),
      confidenceInterval: { low: expect.any(Number), high: expect.any(Number), level: 0.95 },
      method: bootstrapT,
      // scipy.stats.permutation_test((d,), mean, permutation_type='samples',
      // n_resamples=inf).pvalue; the guard's is 0.042
      pValue: 0.078125,
      test: `sign-flip, every flip, guarded by ${bootstrapT}`,
      guard: 'agrees',
      // (t.ppf(.975, 11) + t.ppf(.8, 11)) * numpy.std(d, ddof=1) / sqrt(12)
      minimumDetectableDifference: expect.closeTo(0.8745536417810251, 10),
      anytime: expect.objectContaining({ interval: null }),
      improved: 6,
      regressed: 1,
      unchanged: 5,
    });
    // NumPy: 0.0066 to 1.3268
    expect(Math.abs(compared.confidenceInterval!.low - 0.0066)).toBeLessThan(0.03);
    expect(Math.abs(compared.confidenceInterval!.high - 1.3268)).toBeLessThan(0.03);
  });

  test('at another level has the interval and the detectable difference of that level', () => {
    // The same calls with the level 0.9 and t.ppf(.95, 11): 0.1492 to 1.1841
    const compared = compare({ ...ints, level: 0.9 });
    expect(compared).toMatchObject({
      confidenceInterval: { level: 0.9 },
      pValue: 0.078125,
      minimumDetectableDifference: expect.closeTo(0.7593967311413747, 10),
    });
    expect(Math.abs(compared.confidenceInterval!.low - 0.1492)).toBeLessThan(0.03);
    expect(Math.abs(compared.confidenceInterval!.high - 1.1841)).toBeLessThan(0.03);
  });

  test('of floats agrees with SciPy', () => {
    const baseline = [0.2, 0.5, 0.9, 0.4, 0.7, 0.3, 0.8, 0.6, 0.1, 0.55];
    const candidate = [0.6, 0.4, 1, 0.9, 0.5, 0.8, 0.9, 1, 0.05, 0.95];
    const compared = compare({ baseline, candidate });
    expect(compared).toMatchObject({
      difference: expect.closeTo(0.205, 12),
      // The flips' own; the guard's is 0.0441 by NumPy.
      pValue: 0.046875,
      guard: 'agrees',
      improved: 7,
      regressed: 3,
      unchanged: 0,
    });
    // NumPy: 0.0044 to 0.4056
    expect(Math.abs(compared.confidenceInterval!.low - 0.0044)).toBeLessThan(0.03 * 0.4);
    expect(Math.abs(compared.confidenceInterval!.high - 0.4056)).toBeLessThan(0.03 * 0.4);
  });

  test('of a mean that a few large changes carry is held back by the guard', () => {
    const gains = [0.05, 0.3, 0.02, 0.9, 0.04, 0.01, 0.03, 0.6, 0.02, -0.01, 0.03, 0.02];
    // The flips alone say 0.0015 (SciPy), the guard 0.136 (NumPy).
    const compared = compare({ baseline: times(12, 0), candidate: gains });
    expect(compared.guard).toBe('held');
    expect(Math.abs(compared.pValue! - 0.136)).toBeLessThan(0.018);
  });

  test('of booleans with means of several records is the test of numbers, on the scale from −1 to 1', () => {
    const compared = compare({
      outputType: 'boolean',
      baseline: [0, 0.5, 0, 1, 0.5, 0, 0, 0.5],
      candidate: [1, 1, 1, 1, 1, 1, 0.5, 1],
    });
    // Seven of eight rise: 2 / 2 ** 7
    expect(compared.pValue).toBeGreaterThanOrEqual(2 / 2 ** 7);
    expect(compared.test).toContain('sign-flip');
    expect(compared.confidenceInterval!.high).toBeLessThanOrEqual(1);
  });

  test('with groups flips and draws them whole, booleans too', () => {
    const grouped = {
      outputType: 'boolean' as const,
      baseline: [0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
      candidate: [1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1],
      groups: [0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 5],
    };
    expect(compare(grouped)).toMatchObject({
      paired: 13,
      numGroups: 6,
      difference: expect.closeTo(6 / 13, 12),
      // scipy.stats.permutation_test((sums,), sum, permutation_type='samples',
      // n_resamples=inf).pvalue, sums = 2, 1, 1, 1, -1, 2
      pValue: 0.15625,
      // (t.ppf(.975, 5) + t.ppf(.8, 5)) * sqrt(sum((sums - sizes * mean) ** 2) * 6 / 5) / 13
      minimumDetectableDifference: expect.closeTo(0.5758806413168126, 10),
    });
    // NumPy, on the ratio of sums and sizes: 0.0245 to 0.8986
    const { low, high } = compare(grouped).confidenceInterval!;
    expect([Math.abs(low - 0.0245) < 0.03, Math.abs(high - 0.8986) < 0.03]).toEqual([true, true]);
  });

  test('of numbers, or of groups, that are too few for a verdict has no interval', () => {
    const noInterval = { confidenceInterval: null, pValue: 1 / 16 };
    expect(compare({ baseline: times(5, 0), candidate: times(5, 1) })).toMatchObject({
      ...noInterval,
      method: 'too few pairs',
    });
    expect(
      compare({
        outputType: 'boolean',
        baseline: times(10, 0),
        candidate: times(10, 1),
        groups: [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
      }),
    ).toMatchObject({ ...noInterval, method: 'too few groups' });
    expect(
      compare({ baseline: times(5, 0), candidate: times(5, 1), level: 0.9 }).confidenceInterval,
    ).not.toBeNull();
  });

  test('infers nothing from fewer than two pairs or two groups', () => {
    const few = { confidenceInterval: null, pValue: null, minimumDetectableDifference: null };
    for (const outputType of ['boolean', 'int', 'float'] as const) {
      expect(compare({ outputType, baseline: [], candidate: [] })).toMatchObject({
        ...few,
        paired: 0,
        baselineMean: null,
        candidateMean: null,
        difference: null,
        test: 'too few pairs',
      });
      expect(compare({ outputType, baseline: [0], candidate: [1] })).toMatchObject({
        ...few,
        paired: 1,
        difference: 1,
        improved: 1,
      });
      expect(
        compare({ outputType, baseline: [0, 0, 0], candidate: [1, 1, 1], groups: [7, 7, 7] }),
      ).toMatchObject({
        ...few,
        numGroups: 1,
        difference: 1,
        method: 'too few groups',
      });
    }
  });

  test('of a few large changes says so, and that no difference is detectable', () => {
    const crashed = [...times(38, 0.9), 0, 0];
    const skewed = compare({ outputType: 'float', baseline: times(40, 0.9), candidate: crashed });
    expect(skewed).toMatchObject({ guard: 'held', minimumDetectableDifference: null });
    expect(skewed.confidenceInterval!.high).toBeGreaterThan(0);
    const many = Array.from({ length: 40 }, (_, place) => 0.9 - (place % 5) / 10);
    const even = compare({ outputType: 'float', baseline: times(40, 0.9), candidate: many });
    expect(even).toMatchObject({
      guard: 'agrees',
      minimumDetectableDifference: expect.any(Number),
    });
  });

  test('where nothing varies has the bound of how many other differences there may be', () => {
    const same = compare({ baseline: times(30, 0.5), candidate: times(30, 0.5) });
    expect(same).toMatchObject({
      difference: 0,
      pValue: 1,
      method: 'binomial bound',
      minimumDetectableDifference: null,
      unchanged: 30,
    });
    // 1 - .025 ** (1 / 30) = 0.11570 of the testcases may differ, at worst by the whole scale.
    expect(same.confidenceInterval).toEqual({
      low: expect.closeTo(-0.1157, 4),
      high: expect.closeTo(0.1157, 4),
      level: 0.95,
    });
  });

  const values = {
    boolean: fc.constantFrom(0, 1),
    int: fc.integer({ min: 1, max: 5 }),
    // No nearer to each other than scores are: a rounding error may decide whether two are equal.
    float: fc.nat(1_000_000).map((millionths) => millionths / 1_000_000),
  };
  const pairsOf = (outputType: keyof typeof values, minLength = 0) =>
    fc.array(
      fc.record({ baseline: values[outputType], candidate: values[outputType], group: fc.nat(6) }),
      { minLength, maxLength: 40 },
    );
  const metrics = fc.constantFrom('boolean', 'int', 'float').chain((outputType) =>
    fc.record({
      outputType: fc.constant(outputType),
      pairs: pairsOf(outputType as 'int'),
      isGrouped: fc.boolean(),
    }),
  ) as fc.Arbitrary<{
    outputType: 'int';
    pairs: { baseline: number; candidate: number; group: number }[];
    isGrouped: boolean;
  }>;

  test('with the runs swapped says the opposite', () => {
    fc.assert(
      fc.property(metrics, ({ outputType, pairs, isGrouped }) => {
        const baseline = pairs.map((pair) => pair.baseline);
        const candidate = pairs.map((pair) => pair.candidate);
        const groups = isGrouped ? { groups: pairs.map((pair) => pair.group) } : {};
        const there = compare({ outputType, baseline, candidate, ...groups });
        const back = compare({ outputType, baseline: candidate, candidate: baseline, ...groups });
        expect([back.improved, back.regressed, back.unchanged]).toEqual([
          there.regressed,
          there.improved,
          there.unchanged,
        ]);
        expect([back.baselineMean, back.candidateMean]).toEqual([
          there.candidateMean,
          there.baselineMean,
        ]);
        expect(back.pValue).toBe(there.pValue);
        expect(back.minimumDetectableDifference).toEqual(there.minimumDetectableDifference);
        if (there.confidenceInterval === null) expect(back.confidenceInterval).toBeNull();
        else {
          expect(back.difference! + there.difference!).toBeCloseTo(0, 12);
          expect(back.confidenceInterval!.low + there.confidenceInterval.high).toBeCloseTo(0, 9);
          expect(back.confidenceInterval!.high + there.confidenceInterval.low).toBeCloseTo(0, 9);
        }
      }),
      { numRuns: volume(60) },
    );
  });

  test.each(['boolean', 'int', 'float'] as const)(
    'with every pair four times has the same difference and a narrower interval: %s',
    (outputType) => {
      fc.assert(
        fc.property(pairsOf(outputType, 12), (pairs) => {
          const fourfold = [...pairs, ...pairs, ...pairs, ...pairs];
          const of = (list: typeof pairs) =>
            compare({
              outputType,
              baseline: list.map((pair) => pair.baseline),
              candidate: list.map((pair) => pair.candidate),
            });
          const [once, more] = [of(pairs), of(fourfold)];
          fc.pre(once.method === more.method && widthOf(once) > 1e-6);
          expect(more.difference).toBeCloseTo(once.difference!, 12);
          expect(widthOf(more)).toBeLessThan(widthOf(once));
        }),
        { numRuns: volume(30) },
      );
    },
  );

  test('with every pair four times in the group of the first says nothing new', () => {
    fc.assert(
      fc.property(pairsOf('float', 12), (pairs) => {
        const of = (list: typeof pairs) =>
          compare({
            baseline: list.map((pair) => pair.baseline),
            candidate: list.map((pair) => pair.candidate),
            groups: list.map((_, place) => place % pairs.length),
          });
        const [once, more] = [of(pairs), of([...pairs, ...pairs, ...pairs, ...pairs])];
        expect(more.numGroups).toBe(once.numGroups);
        expect(more.pValue).toBe(once.pValue);
        expect(widthOf(more)).toBeCloseTo(widthOf(once), 9);
      }),
      { numRuns: volume(30) },
    );
  });
});
