import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { passes } from '@assay/contracts/scale';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import { type ScoreStates, scoreKindsOf } from './score-states.ts';

/**
 * The outcome of a metric version on a record, as filters find it: its value; or the state of a
 * score that has none, `invalid` where the value does not fit the metric. A float has two outcomes:
 * its value, and whether that passes; of the others the value says it.
 */
export type Outcome = boolean | number | 'pass' | 'fail' | OutcomeWithoutValue;

export const outcomesWithoutValue = [
  'pending',
  'awaited',
  'failed',
  'stopped',
  'errored',
  'notApplicable',
  'invalid',
  // Of records of 0.2.0, for `invalid`.
  'unfit',
] as const;
export type OutcomeWithoutValue = (typeof outcomesWithoutValue)[number];

export interface RecordOutcome {
  metricVersionId: string;
  outcome: Outcome;
}

type OutcomeMetric = Pick<
  MetricVersionOutline,
  'metricVersionId' | 'outputType' | 'passingThreshold' | 'lowerIsBetter'
>;

/**
 * The outcomes of a record: of each metric version of its run that it has a state of. The value is
 * the one that summaries count.
 */
export function outcomesOf(
  metrics: OutcomeMetric[],
  { pending, awaited, failures, stopped, errored, scores }: Omit<ScoreStates, 'judged'>,
): RecordOutcome[] {
  if (metrics.length === 0) return [];
  const own = scores.filter(({ isOutside }) => !isOutside);
  const ratings = ratingsOf(own);
  const failed = new Set(failures.map((failure) => failure.metricVersionId));
  const scored = new Set(own.map((score) => score.metricVersionId));
  return metrics.flatMap((metric) => {
    const { metricVersionId, outputType } = metric;
    const outcomes = (): Outcome[] => {
      if (pending.includes(metricVersionId)) return ['pending'];
      if (awaited.includes(metricVersionId)) return ['awaited'];
      if (failed.has(metricVersionId)) return ['failed'];
      if (stopped?.includes(metricVersionId)) return ['stopped'];
      if (errored?.includes(metricVersionId)) return ['errored'];
      if (!scored.has(metricVersionId)) return [];
      const given = ratings.get(metricVersionId) ?? [];
      const value = finalValue(given, { metricVersionId, outputType, awaited });
      if (value !== undefined) return valueOutcomes(metric, value);
      const kind = scoreKindsOf({ awaited, scores }).get(metricVersionId);
      return [kind === 'notApplicable' ? kind : 'invalid'];
    };
    return outcomes().map((outcome) => ({ metricVersionId, outcome }));
  });
}

function valueOutcomes(metric: OutcomeMetric, value: boolean | number): Outcome[] {
  const isPass = metric.outputType === 'float' ? passes(metric, value) : null;
  return isPass === null ? [value] : [value, isPass ? 'pass' : 'fail'];
}
