import {
  newScoreStates,
  type RunMetric,
  type ScoreStates,
  type StoredScore,
  scoreStatesOf,
  withAwaited,
  without,
  withPending,
} from './score-states.ts';

/**
 * Has people or clients score a record by a metric version of its run, as far as they have not.
 * Scores that they gave before the version joined the run count from now on. Older versions that
 * nobody has scored are not asked for any more: nobody is asked twice.
 */
export function withAsked(
  states: ScoreStates,
  { metricId, metricVersionId, annotators }: RunMetric,
  metrics: RunMetric[],
): ScoreStates {
  const counted = withOutsideCounted(
    metrics
      .filter((metric) => metric.metricId === metricId)
      .map((metric) => metric.metricVersionId)
      .filter((id) => id < metricVersionId && isAsked(states, id))
      .filter((id) => givenCount(states, id) === 0)
      .reduce<ScoreStates>(without, states),
    metricVersionId,
  );
  if (counted.awaited.includes(metricVersionId)) return counted;
  const given = givenCount(counted, metricVersionId);
  if (counted.errored) return given > 0 ? counted : withAwaited(counted, metricVersionId);
  return given < annotators
    ? { ...counted, awaited: [...counted.awaited, metricVersionId] }
    : counted;
}

const isAsked = ({ awaited, errored = [] }: ScoreStates, metricVersionId: string): boolean =>
  awaited.includes(metricVersionId) || errored.includes(metricVersionId);

/** Counts the scores of a metric version that were given before it joined the run. */
export function withOutsideCounted(states: ScoreStates, metricVersionId: string): ScoreStates {
  const isMeant = (score: StoredScore) =>
    score.metricVersionId === metricVersionId && score.isOutside;
  if (!states.scores.some(isMeant)) return states;
  const scores = states.scores.map((score) => {
    if (!isMeant(score)) return score;
    const { isOutside: _isOutside, ...inside } = score;
    return inside;
  });
  return { ...states, scores };
}

/**
 * Gives a record the metrics of its run that it knows nothing of, because they joined while it was
 * created. Returns undefined if there are none.
 */
export function withJoined(states: ScoreStates, metrics: RunMetric[]): ScoreStates | undefined {
  const missing = newScoreStates(metrics);
  const joined = metrics.filter(
    ({ metricVersionId: id }) =>
      !knowsVersion(states, id) && (missing.pending.includes(id) || missing.awaited.includes(id)),
  );
  if (joined.length === 0) return undefined;
  return joined.reduce<ScoreStates>((sum, metric) => {
    const { metricVersionId, isScoredByService } = metric;
    if (!isScoredByService) return withAsked(sum, metric, metrics);
    // A client gave it with the record, in place of the service.
    return givenCount(sum, metricVersionId) > 0
      ? withOutsideCounted(sum, metricVersionId)
      : withPending(sum, metricVersionId);
  }, scoreStatesOf(states));
}

/**
 * Does a record have states of metric versions that a run does not have? Then they have joined the
 * run since it was read.
 */
export function knowsMore(
  states: ScoreStates,
  { metrics }: { metrics: Pick<RunMetric, 'metricVersionId'>[] },
): boolean {
  const own = new Set(metrics.map(({ metricVersionId }) => metricVersionId));
  return knownVersions(states).some((id) => !own.has(id));
}

/** Does a record have a state of a metric version of its run? */
export const knowsVersion = (states: ScoreStates, metricVersionId: string): boolean =>
  knownVersions(states).includes(metricVersionId);

const knownVersions = ({
  pending,
  awaited,
  failures,
  stopped = [],
  errored = [],
  scores,
}: ScoreStates): string[] => [
  ...pending,
  ...awaited,
  ...stopped,
  ...errored,
  ...failures.map(({ metricVersionId }) => metricVersionId),
  ...scores.filter(({ isOutside }) => !isOutside).map(({ metricVersionId }) => metricVersionId),
];

const givenCount = ({ scores }: ScoreStates, metricVersionId: string): number =>
  scores.filter((score) => score.metricVersionId === metricVersionId && !score.isPending).length;
