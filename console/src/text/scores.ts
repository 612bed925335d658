import type { ReplyOf } from '@assay/client/operations';
import {
  isNumeric,
  type PassingRule,
  passes,
  type StatedScale,
  scoreValue,
  valueInWords,
} from '@assay/contracts/scale';
import type { Outcome } from '../parts/score.tsx';

/** The value that a score carries, whichever of its names it has; undefined for none. */
export function valueIn(score: Record<string, unknown>): number | boolean | undefined {
  const value = score.value ?? score.binaryScore ?? score.intScore ?? score.floatScore;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Whether a value passes by its metric's version. */
export function outcomeOf(metric: PassingRule, value: number | boolean | undefined): Outcome {
  if (value === undefined) return 'invalid';
  const isPass = passes(metric, value);
  return isPass === null ? 'unjudged' : isPass ? 'pass' : 'fail';
}

type ScoredRecord = Pick<ReplyOf<'GET', '/records/:recordId'>, 'scores' | 'missingScores'>;

/** What a record says of a metric version, as `OutcomeMark` shows it, and the score if it has one. */
export function shownScore(
  { scores, missingScores }: ScoredRecord,
  metric: PassingRule & { metricVersionId: string },
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
export function readValue(metric: StatedScale, typed: string): number | boolean | Error {
  const text = typed.trim();
  if (!isNumeric(metric.outputType))
    return text === 'true' || text === 'false'
      ? text === 'true'
      : new Error('Must be pass or fail.');
  const number = text === '' ? Number.NaN : Number(text.replace(',', '.'));
  return scoreValue(metric, number) ?? new Error(`Must be ${valueInWords(metric)}.`);
}

/** The two values of a boolean metric, the good one first. */
export function booleanChoices({ lowerIsBetter }: StatedScale): {
  value: 'true' | 'false';
  outcome: 'pass' | 'fail';
}[] {
  const [good, bad] = lowerIsBetter ? (['false', 'true'] as const) : (['true', 'false'] as const);
  return [
    { value: good, outcome: 'pass' },
    { value: bad, outcome: 'fail' },
  ];
}
