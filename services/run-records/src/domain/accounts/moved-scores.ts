import {
  type RunMetric,
  type ScoreStates,
  type StoredScore,
  scoreStatesOf,
  withoutScoreOf,
} from './score-states.ts';

interface Move {
  from: string;
  to: string;
}

interface MovedScores {
  states: ScoreStates;
  /** Metric versions that wait for another annotator, since two of theirs are one person now. */
  awaitedAgain: string[];
}

/**
 * Gives the scores of one person to another. Where both scored the same, the second one's score
 * stays; one that is pending is none yet. Returns undefined where the first has none.
 */
export function withScoresMoved(
  record: ScoreStates,
  move: Move,
  metrics: Pick<RunMetric, 'metricVersionId' | 'annotators'>[],
): MovedScores | undefined {
  const { from, to } = move;
  const before = scoreStatesOf(record);
  if (!before.scores.some((score) => score.userId === from || score.recordedByUserId === from))
    return undefined;
  let states = before;
  for (const score of before.scores.filter(({ userId }) => userId === from)) {
    const { metricVersionId } = score;
    const rival = before.scores.find(
      (other) => other.userId === to && other.metricVersionId === metricVersionId,
    );
    if (!rival) continue;
    const annotators =
      metrics.find((metric) => metric.metricVersionId === metricVersionId)?.annotators ?? 1;
    const userId = rival.isPending && !score.isPending ? to : from;
    states = withoutScoreOf(states, { metricVersionId, userId, annotators });
  }
  return {
    states: { ...states, scores: states.scores.map((score) => withGiver(score, move)) },
    awaitedAgain: states.awaited.filter((id) => !before.awaited.includes(id)),
  };
}

/** A score that its own giver recorded says so by naming no other. */
function withGiver(score: StoredScore, { from, to }: Move): StoredScore {
  const { recordedByUserId: recorder, ...given } = score;
  if (given.userId !== from && recorder !== from) return score;
  const userId = given.userId === from ? to : given.userId;
  const recordedByUserId = recorder === from ? to : recorder;
  return {
    ...given,
    userId,
    ...(recordedByUserId === undefined || recordedByUserId === userId ? {} : { recordedByUserId }),
  };
}
