import type { ComparisonWarning } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import type { PairStatistics } from './pairs.ts';
import type { ComparedMetric, Sides } from './sides.ts';

/**
 * The runs of a comparison whose judges were asked in batches, with a look after each: for scores of
 * judges the figures of one look do not hold, whether or not the run stopped early.
 */
export function lookedAt(
  { baseline, candidate }: Sides,
  metric: Pick<ComparedMetric, 'candidate'>,
): RunOutline[] {
  if (metric.candidate.evalType !== 'ai') return [];
  return [baseline, candidate].filter(({ stopping }) => stopping !== undefined);
}

/** The statistics with the figures of any look in the place of those of one. */
export function withAnytimeFigures(statistics: PairStatistics): PairStatistics {
  const { pValue, interval, method } = statistics.anytime;
  return {
    ...statistics,
    pValue,
    confidenceInterval: interval,
    test: method,
    method,
    // The guard says nothing of these figures.
    guard: statistics.guard && 'agrees',
  };
}

export function lookedWarning(runs: readonly RunOutline[], paired: number): ComparisonWarning[] {
  if (runs.length === 0) return [];
  const isStopped = runs.some(({ stopping }) => stopping?.isStopped);
  const how = isStopped
    ? `Judging stopped early, after ${paired} ${paired === 1 ? 'testcase' : 'testcases'} of both runs`
    : 'Judging could have stopped early';
  return [
    {
      code: 'looked_while_judging',
      message: `${how}: verdict, p-value and interval are those that hold however often one looks.`,
      details: { pairs: paired, isStopped: isStopped ? 1 : 0 },
    },
  ];
}
