import { fitToVerdict } from '@assay/statistics/interval';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../src/domain/comparison/verdict.ts';
import { warningsOf } from '../src/domain/comparison/warnings.ts';
import { noErrors } from '../src/domain/error-counts.ts';
import { compare, times } from './compared-pairs.ts';

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

describe('the interval', () => {
  const fit = (low: number, high: number, verdict: 'better' | 'worse' | 'undecided') => {
    const interval = { low, high, level: 0.95 };
    const fitted = fitToVerdict(interval, verdict)!;
    return [fitted.low, fitted.high];
  };

  test('is cut at 0 when the verdict is decided, and drawn to 0 when it is not', () => {
    expect(fit(-0.1, 0.3, 'better')).toEqual([0, 0.3]);
    expect(fit(0.1, 0.3, 'better')).toEqual([0.1, 0.3]);
    expect(fit(-0.3, 0.1, 'worse')).toEqual([-0.3, 0]);
    expect(fit(0.1, 0.3, 'undecided')).toEqual([0, 0.3]);
    expect(fit(-0.3, -0.1, 'undecided')).toEqual([-0.3, 0]);
    expect(fit(-0.3, 0.1, 'undecided')).toEqual([-0.3, 0.1]);
  });

  test('that there is not stays none', () => {
    expect(fitToVerdict(null, 'undecided')).toBeNull();
  });

  const scores = { int: fc.integer({ min: 1, max: 5 }), boolean: fc.integer({ min: 0, max: 1 }) };
  const comparedMetric = fc.constantFrom('int' as const, 'boolean' as const).chain((outputType) =>
    fc
      .array(fc.record({ baseline: scores[outputType], candidate: scores[outputType] }), {
        minLength: 6,
        maxLength: 40,
      })
      .map((pairs) => ({ outputType, pairs })),
  );

  test('never contradicts the verdict, however many metrics are compared', () => {
    fc.assert(
      fc.property(fc.array(comparedMetric, { minLength: 1, maxLength: 3 }), (metrics) => {
        const compared = metrics.map(({ outputType, pairs }) =>
          compare({
            outputType,
            baseline: pairs.map((pair) => pair.baseline),
            candidate: pairs.map((pair) => pair.candidate),
          }),
        );
        for (const [place, { verdict }] of decide(compared, 0.95).entries()) {
          const { low, high } = fitToVerdict(compared[place]!.confidenceInterval, verdict)!;
          expect([low >= 0, high <= 0]).toEqual(
            verdict === 'undecided'
              ? [low === 0, high === 0]
              : [verdict === 'better', verdict === 'worse'],
          );
        }
      }),
      { numRuns: volume(40) },
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
    contents: [],
    columns: new Map([
      [
        'v',
        {
          values: [1],
          records: [1],
          recordIds: ['r'],
          valued: 1,
          unnamed: 0,
          errored: 0,
          notApplicable: new Set<number>(),
          unknown: { missing: 0, failed: 0, invalid: 0 },
          labels: { errors: [], people: [] },
        },
      ],
    ]),
    recordCounts: [1],
    errors: noErrors(),
    counting: new Set(['v']),
  };
  const warnings = (
    statistics: { paired: number; numGroups?: number; guard: 'agrees' | 'held' | null },
    level = 0.95,
  ) =>
    warningsOf({
      metric: { baseline: metric, candidate: metric },
      changes: [],
      gathered: { baseline: values, candidate: values },
      statistics,
      unpaired: 0,
      inapplicable: { baseline: 0, candidate: 0 },
      recordsPerTestcase: { baseline: 1, candidate: 1 },
      level,
    });
  const sentences = (...asked: Parameters<typeof warnings>) =>
    warnings(...asked).map(({ message }) => message);
  test('say where no difference could be decided, and where the guard held a verdict back, and nothing else', () => {
    const tooFew = (units: string) => [
      `${units}: too few for a verdict at this level, and for an interval.`,
    ];
    const agrees = { guard: 'agrees' } as const;
    expect(sentences({ paired: 5, ...agrees })).toEqual(tooFew('5 pairs'));
    expect(sentences({ paired: 6, ...agrees })).toEqual([]);
    expect(sentences({ paired: 6, ...agrees }, 0.99)).toEqual(tooFew('6 pairs'));
    expect(sentences({ paired: 900, numGroups: 5, ...agrees })).toEqual(tooFew('5 groups'));
    expect(sentences({ paired: 900, numGroups: 6, ...agrees })).toEqual([]);
    expect(sentences({ paired: 12, guard: 'held' })).toEqual([
      'A few large changes carry the mean. They may be chance, so nothing is decided.',
    ]);
    // Mid-p McNemar: 2 ** -5 is at most 0.05.
    expect(sentences({ paired: 4, guard: null })).toEqual([
      '4 pairs: too few to decide anything at this level.',
    ]);
    expect(sentences({ paired: 5, guard: null })).toEqual([]);
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
          expect(warnings(compared, level)?.[0]?.code === 'too_few_pairs').toBe(isOpen);
        }
  });
});
