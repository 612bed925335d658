import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparePairs, type MetricPairs } from '../src/domain/comparison/pairs.ts';
import { decide } from '../src/domain/comparison/verdict.ts';
import { warningsOf } from '../src/domain/comparison/warnings.ts';

// Reference values: SciPy 1.17.1, statsmodels 0.15.0 and NumPy 2.4.6; each call stands at its
// values.

const compare = ({
  baseline,
  candidate,
  groups,
  ...change
}: { baseline: number[]; candidate: number[]; groups?: number[] } & Partial<
  Pick<MetricPairs, 'outputType' | 'level'>
>) =>
  comparePairs({
    outputType: 'float',
    level: 0.95,
    ...change,
    baseline: Float64Array.from(baseline),
    candidate: Float64Array.from(candidate),
    ...(groups ? { groups: Int32Array.from(groups) } : {}),
  });

const times = (count: number, value: number): number[] => new Array<number>(count).fill(value);
const widthOf = ({ confidenceInterval }: ReturnType<typeof compare>): number =>
  confidenceInterval!.high - confidenceInterval!.low;

describe('the comparison of one metric', () => {
  test('of booleans is exact McNemar and the interval of Newcombe', () => {
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
      // scipy.stats.binomtest(12, 14, .5).pvalue
      pValue: expect.closeTo(0.012939453125, 12),
      test: 'exact McNemar',
      // (norm.ppf(.975) + norm.ppf(.8)) * numpy.std(d, ddof=1) / sqrt(50)
      minimumDetectableDifference: expect.closeTo(0.19607012158001969, 12),
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

  test('of ints is the sign-flip test and the bootstrap of the mean difference', () => {
    expect(compare(ints)).toEqual({
      paired: 12,
      baselineMean: expect.closeTo(35 / 12, 12),
      candidateMean: expect.closeTo(43 / 12, 12),
      difference: expect.closeTo(8 / 12, 12),
      // scipy.stats.bootstrap((d,), numpy.mean, n_resamples=499999, method='BCa'), in steps of a
      // twelfth
      confidenceInterval: {
        low: expect.closeTo(0.16666666666666666, 12),
        high: expect.closeTo(1.1666666666666667, 12),
        level: 0.95,
      },
      method: 'bca, 10000 resamples, seed 20250720',
      // scipy.stats.permutation_test((d,), mean, permutation_type='samples',
      // n_resamples=inf).pvalue
      pValue: 0.078125,
      test: 'sign-flip, every flip',
      minimumDetectableDifference: expect.closeTo(0.7963999672439653, 12),
      improved: 6,
      regressed: 1,
      unchanged: 5,
    });
  });

  test('at another level has the interval and the detectable difference of that level', () => {
    // The same calls with confidence_level=0.9 and norm.ppf(.95).
    expect(compare({ ...ints, level: 0.9 })).toMatchObject({
      confidenceInterval: {
        low: expect.closeTo(0.25, 12),
        high: expect.closeTo(1.0833333333333333, 12),
        level: 0.9,
      },
      pValue: 0.078125,
      minimumDetectableDifference: expect.closeTo(0.7068242952853543, 12),
    });
  });

  test('of floats agrees with SciPy', () => {
    const baseline = [0.2, 0.5, 0.9, 0.4, 0.7, 0.3, 0.8, 0.6, 0.1, 0.55];
    const candidate = [0.6, 0.4, 1, 0.9, 0.5, 0.8, 0.9, 1, 0.05, 0.95];
    const compared = compare({ baseline, candidate });
    expect(compared).toMatchObject({
      difference: expect.closeTo(0.205, 12),
      pValue: 0.046875,
      improved: 7,
      regressed: 3,
      unchanged: 0,
    });
    // scipy.stats.bootstrap((d,), numpy.mean, n_resamples=499999, method='BCa'): 0.04 to 0.35
    expect(Math.abs(compared.confidenceInterval!.low - 0.04)).toBeLessThan(0.03 * 0.31);
    expect(Math.abs(compared.confidenceInterval!.high - 0.35)).toBeLessThan(0.03 * 0.31);
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
      test: 'sign-flip, every flip',
      // (norm.ppf(.975) + norm.ppf(.8)) * sqrt(sum((sums - sizes * mean) ** 2) * 6 / 5) / 13
      minimumDetectableDifference: expect.closeTo(0.46226951969037444, 12),
    });
    // scipy.stats.bootstrap((sums, sizes), lambda s, n: s.sum() / n.sum(), paired=True,
    // n_resamples=499999, method='BCa'): 0 to 0.6923
    const { low, high } = compare(grouped).confidenceInterval!;
    expect([Math.abs(low) < 0.03, Math.abs(high - 0.6923) < 0.03]).toEqual([true, true]);
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

  test('tells no detectable difference where nothing varies', () => {
    expect(compare({ baseline: times(30, 0.5), candidate: times(30, 0.5) })).toMatchObject({
      difference: 0,
      pValue: 1,
      minimumDetectableDifference: null,
      unchanged: 30,
    });
  });

  const values = {
    boolean: fc.constantFrom(0, 1),
    int: fc.integer({ min: 1, max: 5 }),
    float: fc.double({ min: 0, max: 1, noNaN: true }),
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
      { numRuns: 60 },
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
          fc.pre(widthOf(once) > 1e-6);
          expect(more.difference).toBeCloseTo(once.difference!, 12);
          expect(widthOf(more)).toBeLessThan(widthOf(once));
        }),
        { numRuns: 30 },
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
      { numRuns: 30 },
    );
  });
});

describe('the verdict', () => {
  test("is from Holm's p-values and the sign of the difference", () => {
    // statsmodels.stats.multitest.multipletests([0.0129, 0.3, 0.02], method='holm'): 0.0387, 0.3,
    // 0.04
    expect(
      decide(
        [
          { pValue: 0.0129, difference: 0.2 },
          { pValue: 0.3, difference: 0.1 },
          { pValue: 0.02, difference: -0.4 },
        ],
        0.95,
      ),
    ).toEqual([
      { adjustedPValue: expect.closeTo(0.0387, 12), verdict: 'better' },
      { adjustedPValue: 0.3, verdict: 'undecided' },
      { adjustedPValue: 0.04, verdict: 'worse' },
    ]);
    // Alone it would be decided; with two others it is not: multipletests([0.01, 0.04, 0.03],
    // method='holm')
    const three = [0.01, 0.04, 0.03].map((pValue) => ({ pValue, difference: 1 }));
    expect(decide(three, 0.95).map(({ verdict }) => verdict)).toEqual([
      'better',
      'undecided',
      'undecided',
    ]);
    expect(decide(three.slice(1, 2), 0.95)[0]!.verdict).toBe('better');
  });

  test('is undecided without a p-value, which does not count for the others, and without a difference', () => {
    expect(
      decide(
        [
          { pValue: null, difference: 1 },
          { pValue: 0.04, difference: 1 },
          { pValue: null, difference: null },
        ],
        0.95,
      ),
    ).toEqual([
      { adjustedPValue: null, verdict: 'undecided' },
      { adjustedPValue: 0.04, verdict: 'better' },
      { adjustedPValue: null, verdict: 'undecided' },
    ]);
    expect(decide([{ pValue: 0.001, difference: 0 }], 0.95)[0]!.verdict).toBe('undecided');
  });

  test('is decided at exactly 1 − level, whatever rounding does to it', () => {
    for (const [pValue, level] of [
      [0.05, 0.95],
      [0.1, 0.9],
      [0.01, 0.99],
      [0.001, 0.999],
    ] as const)
      expect(decide([{ pValue, difference: -1 }], level)[0]!.verdict).toBe('worse');
    expect(decide([{ pValue: 0.0501, difference: -1 }], 0.95)[0]!.verdict).toBe('undecided');
  });

  test('of fewer metrics that are tested together is never less certain', () => {
    const tested = fc.array(
      fc.record({ pValue: fc.double({ min: 0, max: 1, noNaN: true }), difference: fc.constant(1) }),
      {
        minLength: 2,
      },
    );
    fc.assert(
      fc.property(tested, (metrics) => {
        const [all, fewer] = [decide(metrics, 0.95), decide(metrics.slice(1), 0.95)];
        for (const [place, { adjustedPValue }] of fewer.entries())
          expect(adjustedPValue).toBeLessThanOrEqual(all[place + 1]!.adjustedPValue!);
      }),
    );
  });
});

describe('warnings', () => {
  const metric = {
    metricVersionId: 'v',
    metricId: 'm',
    name: 'm',
    evalType: 'heuristic',
    outputType: 'float',
    passingThreshold: null,
    isScoredByService: false,
    evalModelName: null,
    annotators: 1,
  } as const;
  const values = {
    places: new Map([['t', 0]]),
    columns: new Map([
      ['v', { values: [1], records: [1], recordIds: ['r'], valued: 1, unnamed: 0 }],
    ]),
  };
  const warnings = (
    statistics: { paired: number; numGroups?: number; method: string },
    level = 0.95,
  ) =>
    warningsOf({
      metric: { baseline: metric, candidate: metric },
      gathered: { baseline: values, candidate: values },
      statistics,
      level,
    }).warnings;
  const bca = 'bca, 10000 resamples, seed 20250720';

  test('say where no difference could be decided, and where a bootstrap interval is narrow, and nothing else', () => {
    const tooFew = (units: string) => [`${units}: too few to decide anything at this level.`];
    const narrow = (units: string) => [
      `${units}: with fewer than 50, the interval is somewhat too narrow. The verdict does not rest on it.`,
    ];
    expect(warnings({ paired: 5, method: bca })).toEqual(tooFew('5 pairs'));
    expect(warnings({ paired: 6, method: bca })).toEqual(narrow('6 pairs'));
    expect(warnings({ paired: 6, method: bca }, 0.99)).toEqual(tooFew('6 pairs'));
    expect(warnings({ paired: 900, numGroups: 49, method: bca })).toEqual(narrow('49 groups'));
    expect(warnings({ paired: 900, numGroups: 50, method: bca })).toBeUndefined();
    expect(warnings({ paired: 6, method: 'Newcombe paired score, method 10' })).toBeUndefined();
  });

  test('of too few pairs come exactly where all pairs that change in one direction leave the verdict open', () => {
    for (const outputType of ['boolean', 'float'] as const)
      for (const level of [0.8, 0.95, 0.99])
        for (let count = 2; count < 12; count++) {
          const compared = compare({
            outputType,
            level,
            baseline: times(count, 0),
            candidate: times(count, 1),
          });
          const isOpen = decide([compared], level)[0]!.verdict === 'undecided';
          expect(Boolean(warnings(compared, level)?.[0]?.includes('too few'))).toBe(isOpen);
        }
  });
});
