import type { MetricComparison } from '../figures.ts';

const id = '00000000-0000-7000-8000-000000000000';

/** A metric of a comparison that is undecided, but for the part given. */
export const metricOf = (part: Partial<MetricComparison> = {}): MetricComparison => ({
  metricId: id,
  name: 'Correct answer',
  evalType: 'heuristic',
  outputType: 'boolean',
  errored: { baseline: 0, candidate: 0 },
  baselineMetricVersionId: id,
  candidateMetricVersionId: id,
  paired: 200,
  unpaired: 0,
  recordsPerTestcase: { baseline: 1, candidate: 1 },
  groups: {
    regressed: 12,
    improved: 10,
    changed: 22,
    bothPass: 150,
    bothFail: 28,
    unpairedBaseline: 0,
    unpairedCandidate: 0,
  },
  baselineMean: 0.8,
  candidateMean: 0.79,
  difference: -0.01,
  confidenceInterval: { low: -0.05, high: 0.03, level: 0.95 },
  method: "Newcombe's paired score interval",
  pValue: 0.6,
  adjustedPValue: 0.6,
  test: 'mid-p McNemar',
  minimumDetectableDifference: 0.06,
  verdict: 'undecided',
  anytimePValue: 1,
  anytimeAdjustedPValue: 1,
  anytimeInterval: { low: -0.07, high: 0.05, level: 0.95 },
  anytimeMethod: 'Beta(6, 6) mixture of bets',
  anytimeVerdict: 'undecided',
  improved: 10,
  regressed: 12,
  unchanged: 178,
  ...part,
});

/** The same, so much lower that it is no accident. */
export const worseMetric = (part: Partial<MetricComparison> = {}): MetricComparison =>
  metricOf({
    candidateMean: 0.7,
    difference: -0.1,
    confidenceInterval: { low: -0.15, high: -0.05, level: 0.95 },
    pValue: 0.001,
    adjustedPValue: 0.002,
    verdict: 'worse',
    ...part,
  });
