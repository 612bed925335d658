import type { ReplyOf } from '@assay/client/operations';
import type { OutputType } from '@assay/contracts/metrics';
import type { Outcome } from '../parts/score.tsx';

/** The value that a score carries, whichever of its names it has; undefined for none. */
export function valueIn(score: Record<string, unknown>): number | boolean | undefined {
  const value = score.value ?? score.binaryScore ?? score.intScore ?? score.floatScore;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Whether a value passes: a number from the threshold of the metric's version on. */
export function outcomeOf(
  { passingThreshold }: { passingThreshold: number | null },
  value: number | boolean | undefined,
): Outcome {
  if (value === undefined) return 'unfit';
  if (typeof value === 'boolean') return value ? 'pass' : 'fail';
  return passingThreshold === null || value >= passingThreshold ? 'pass' : 'fail';
}

type ScoredRecord = Pick<ReplyOf<'GET', '/records/:recordId'>, 'scores' | 'missingScores'>;

/** What a record says of a metric version, as `OutcomeMark` shows it, and the score if it has one. */
export function shownScore(
  { scores, missingScores }: ScoredRecord,
  metric: { metricVersionId: string; passingThreshold: number | null },
) {
  const isOf = ({ metricConfigId }: { metricConfigId: string }) =>
    metricConfigId === metric.metricVersionId;
  const score = scores.find(isOf);
  const missing = missingScores.find(isOf);
  if (missing) {
    const { state: outcome, code, message } = missing;
    return { score, mark: { outcome, code, message } };
  }
  if (!score) return { score, mark: { outcome: 'notApplicable' as const } };
  const value = valueIn(score.score);
  if (score.score.value === null && !score.validationErrors)
    return { score, mark: { outcome: 'notApplicable' as const } };
  return {
    score,
    mark: {
      outcome: outcomeOf(metric, value),
      ...(typeof value === 'number' ? { value } : {}),
    },
  };
}

/** Returns the value that a person typed for a metric, or an error that says what it should be. */
export function readValue(
  { outputType }: { outputType: OutputType },
  typed: string,
): number | boolean | Error {
  const text = typed.trim();
  if (outputType === 'boolean')
    return text === 'true' || text === 'false'
      ? text === 'true'
      : new Error('Must be pass or fail.');
  const value = text === '' ? Number.NaN : Number(text.replace(',', '.'));
  if (outputType === 'int')
    return Number.isInteger(value) && value >= 1 && value <= 5
      ? value
      : new Error('Must be a whole number from 1 to 5.');
  return value >= 0 && value <= 1 ? value : new Error('Must be a number from 0 to 1.');
}
