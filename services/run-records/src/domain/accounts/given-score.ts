import { knowsVersion } from './joined-metrics.ts';
import {
  newScoreStates,
  type RunMetric,
  type ScoreStates,
  type StoredScore,
  withScore,
} from './score-states.ts';

/** A score that a client gives, and how many members score a record by its metric. */
export interface GivenScore {
  score: StoredScore;
  annotators: number;
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
export const statesOfNew = (
  metrics: RunMetric[],
  { given = [], hasError = false }: { given?: readonly GivenScore[]; hasError?: boolean } = {},
): ScoreStates =>
  given.reduce(
    (states, score) => withGiven(states, score, metrics),
    newScoreStates(metrics, { hasError }),
  );
