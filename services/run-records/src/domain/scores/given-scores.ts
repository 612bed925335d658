import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import { knowsVersion } from '../accounts/joined-metrics.ts';
import {
  newScoreStates,
  type RunMetric,
  type ScoreStates,
  type StoredScore,
  withScore,
} from '../accounts/score-states.ts';
import { readScore } from '../accounts/score-value.ts';

/** The metric version of a score that a client gives. */
export type ScoredMetric = Pick<
  MetricVersionOutline,
  'metricVersionId' | 'evalType' | 'outputType' | 'isScoredByService' | 'annotators'
>;

/** A score that a client gives, and how many members score a record by its metric. */
export interface GivenScore {
  score: StoredScore;
  annotators: number;
}

/**
 * The score that a client gives, whether alone, with its record, or among many others. Without
 * `score` it is given to a person as pending.
 * @throws VALIDATION_ERROR where the metric is not scored by people and there is no score.
 */
export function givenScore(
  metric: ScoredMetric,
  { score, userId, createdAt }: { score?: JsonText | undefined; userId: string; createdAt: Date },
): GivenScore {
  const { metricVersionId, evalType, outputType, annotators } = metric;
  if (!score && evalType !== 'human')
    throw invalidAt('/score', 'is required, because the metric is not scored by people');
  return {
    score: {
      metricVersionId,
      userId,
      ...(score ? readGiven(score, outputType) : { text: '{}', value: null, isPending: true }),
      source: sourceOf(metric),
      createdAt,
    },
    annotators,
  };
}

/**
 * Gives a record of a run a score. Its metric may have joined the run since the run was read: then
 * the record knows it, and the score is not outside the run's accounts.
 * @throws VALIDATION_ERROR at `/score` where the record has no room for it.
 */
export function withGiven(
  states: ScoreStates,
  { score, annotators }: GivenScore,
  metrics: readonly Pick<RunMetric, 'metricVersionId'>[],
): ScoreStates {
  const isOwn =
    metrics.some(({ metricVersionId }) => metricVersionId === score.metricVersionId) ||
    knowsVersion(states, score.metricVersionId);
  return withScore(states, isOwn ? score : { ...score, isOutside: true }, annotators);
}

/** The states of a new record of a run with the scores that came with it. */
export const statesOfNew = (metrics: RunMetric[], given: readonly GivenScore[] = []): ScoreStates =>
  given.reduce((states, score) => withGiven(states, score, metrics), newScoreStates(metrics));

function readGiven(score: JsonText, outputType: MetricVersionOutline['outputType']) {
  const { value, validationErrors } = readScore(
    outputType,
    score.parse() as Record<string, unknown>,
  );
  return {
    text: score.toString(),
    value,
    ...(validationErrors.length > 0 ? { validationErrors } : {}),
  };
}

/**
 * Whoever gives it, the score of a heuristic metric without an evaluator comes from a program: it is
 * no opinion of a person (contract section 3).
 */
const sourceOf = ({ evalType, isScoredByService }: ScoredMetric) =>
  evalType === 'heuristic' && !isScoredByService ? ('heuristic' as const) : ('human' as const);
