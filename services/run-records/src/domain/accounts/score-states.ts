import type { MissingScore, Provenance, ScoreFailureCode } from '@assay/contracts/run-records';

/**
 * The states of a record's scores, one for each metric version: `pending` (the service has to make
 * the score), `awaited` (people or clients have to give it), `scored`, `failed` for good, `stopped`
 * (no judge is asked, because the run's comparison was decided without it), or `errored` (the system
 * gave no answer that could be scored). A run's account counts the states of all its records, so
 * every change goes through here: the counters get the difference between the accounts before and
 * after it.
 */
export interface ScoreStates {
  pending: string[];
  awaited: string[];
  failures: FailedScore[];
  /** Left out where there are none. */
  stopped?: string[];
  /**
   * There, and maybe empty, where the system gave no answer: then nobody is asked for a score, and
   * scores are here that would be pending or awaited.
   */
  errored?: string[];
  /** One score per metric version, or one per annotator if the metric asks for several. */
  scores: StoredScore[];
  /** The judgements, kept when a person overrides the score and when it is judged again. */
  judged?: JudgementHistory[];
  /**
   * Metric versions whose next judgement uses the answer cache where its run bypasses it, or the
   * other way round.
   */
  cacheExceptions?: string[];
}

/** The judgements of one metric version, the newest last, each with its votes. */
export interface JudgementHistory {
  metricVersionId: string;
  judgements: {
    votes: (boolean | number)[];
    reasoning: string;
    /** There are votes from the cache among these: they are no repeat of the question. */
    isCached?: true;
  }[];
}

export interface FailedScore {
  metricVersionId: string;
  code: ScoreFailureCode;
  message: string;
  attempts: number;
  at: Date;
}

export interface StoredScore {
  metricVersionId: string;
  userId: string;
  /** Who recorded it, where that was not the member whose it is. */
  recordedByUserId?: string;
  /** The score as JSON text. */
  text: string;
  /** The value that summaries count: it fits the metric's output type, or is null. */
  value: number | boolean | null;
  /** The evaluator said that its metric does not apply, and why: there is no value. */
  isNotApplicable?: true;
  validationErrors?: { path: string; message: string }[];
  source: 'ai' | 'heuristic' | 'human';
  createdAt: Date;
  provenance?: Provenance;
  /** Given to a person without a value: still missing. */
  isPending?: true;
  /** Of a metric version that is not the run's: outside its accounts. */
  isOutside?: true;
}

/** A metric version of a run: what the states of its records depend on. */
export interface RunMetric {
  metricId: string;
  metricVersionId: string;
  isScoredByService: boolean;
  annotators: number;
}

/** The fields of a score that are read where only its value matters. */
export type ScoreValue = Pick<
  StoredScore,
  'metricVersionId' | 'userId' | 'source' | 'value' | 'isPending' | 'isOutside' | 'isNotApplicable'
>;

/** The number of scores in each state that a record adds to its run's account. */
export interface Account {
  pending: number;
  awaited: number;
  failed: number;
  stopped: number;
  errored: number;
  scored: number;
  invalid: number;
  notApplicable: number;
}

export const accountOf = ({
  pending,
  awaited,
  failures,
  stopped = [],
  errored = [],
  scores,
}: ScoreStates): Account => ({
  pending: pending.length,
  awaited: awaited.length,
  failed: failures.length,
  stopped: stopped.length,
  errored: errored.length,
  ...countScores({ awaited, scores }),
});

/**
 * The part of a stored record in its run's account. Releases up to 0.2.0 counted a score that does
 * not fit its metric as scored, and called its outcome `unfit`.
 */
export function countedAs(
  record: ScoreStates & { outcomes?: { outcome: unknown }[] | undefined },
): Account {
  const account = accountOf(record);
  const unfit = record.outcomes?.filter(({ outcome }) => outcome === 'unfit').length ?? 0;
  return { ...account, scored: account.scored + unfit, invalid: account.invalid - unfit };
}

/**
 * The states of a record whose system is found to have failed: nobody is asked for its missing
 * scores any more, nor for those that failed.
 */
export function erroredStates(states: ScoreStates): ScoreStates {
  const before = scoreStatesOf(states);
  const errored = [
    ...before.pending,
    ...before.awaited,
    ...before.failures.map(({ metricVersionId }) => metricVersionId),
  ].filter((id) => !before.scores.some((score) => isOf(score, id)));
  return { ...errored.reduce<ScoreStates>(without, before), errored };
}

/**
 * Counts the metric versions that have scores, by the kinds of these. One that waits for further
 * annotators has scores, and is awaited all the same.
 */
function countScores(states: Pick<ScoreStates, 'awaited' | 'scores'>) {
  const counts = { scored: 0, invalid: 0, notApplicable: 0 };
  for (const kind of scoreKindsOf(states).values()) counts[kind]++;
  return counts;
}

/** The kind of the scores of each metric version that waits for none. */
export function scoreKindsOf({
  awaited,
  scores,
}: {
  awaited: string[];
  scores: readonly ScoreValue[];
}): Map<string, ScoreKind> {
  const kinds = new Map<string, ScoreKind>();
  for (const score of scores) {
    const { metricVersionId, isOutside, isPending } = score;
    if (isOutside || isPending || awaited.includes(metricVersionId)) continue;
    const [known, kind] = [kinds.get(metricVersionId), scoreKindOf(score)];
    if (!known || rankOf[kind] < rankOf[known]) kinds.set(metricVersionId, kind);
  }
  return kinds;
}

/** A score has a value, says that its metric does not apply, or does not fit its metric. */
export type ScoreKind = 'scored' | 'invalid' | 'notApplicable';

/** Of several scores of a metric version, the one that says most counts. */
const rankOf: Record<ScoreKind, number> = { scored: 0, invalid: 1, notApplicable: 2 };

function scoreKindOf({
  value,
  isNotApplicable,
}: Pick<StoredScore, 'value' | 'isNotApplicable'>): ScoreKind {
  if (isNotApplicable) return 'notApplicable';
  return value === null ? 'invalid' : 'scored';
}

/** Returns the state of each score of these metric versions that is missing, in their order. */
export function missingScoresOf(
  metrics: { metricVersionId: string }[],
  { pending, awaited, failures, stopped, errored, scores }: Omit<ScoreStates, 'judged'>,
): MissingScore[] {
  return metrics.flatMap(({ metricVersionId: metricConfigId }): MissingScore[] => {
    if (pending.includes(metricConfigId)) return [{ metricConfigId, state: 'pending' }];
    if (awaited.includes(metricConfigId)) return [{ metricConfigId, state: 'awaited' }];
    const failure = failures.find((each) => isOf(each, metricConfigId));
    if (failure) {
      const { code, message } = failure;
      return [{ metricConfigId, state: 'failed', code, message }];
    }
    if (stopped?.includes(metricConfigId)) return [{ metricConfigId, state: 'stopped' }];
    if (errored?.includes(metricConfigId)) return [{ metricConfigId, state: 'errored' }];
    const isScored = scores.some((each) => isOf(each, metricConfigId));
    return isScored ? [] : [{ metricConfigId, state: 'notApplicable' }];
  });
}

/** Returns the score states of an object without its other fields. */
export const scoreStatesOf = ({
  pending,
  awaited,
  failures,
  stopped,
  errored,
  scores,
  judged,
  cacheExceptions,
}: ScoreStates): ScoreStates => ({
  pending,
  awaited,
  failures,
  scores,
  ...(stopped ? { stopped } : {}),
  ...(errored ? { errored } : {}),
  ...(judged ? { judged } : {}),
  ...(cacheExceptions ? { cacheExceptions } : {}),
});

export const emptyAccount: Account = {
  pending: 0,
  awaited: 0,
  failed: 0,
  stopped: 0,
  errored: 0,
  scored: 0,
  invalid: 0,
  notApplicable: 0,
};

const accountKeys = Object.keys(emptyAccount) as (keyof Account)[];

const accountBy = (countOf: (key: keyof Account) => number): Account => {
  const account = { ...emptyAccount };
  for (const key of accountKeys) account[key] = countOf(key);
  return account;
};

/** `after` minus `before`. */
export const differenceOf = (after: Account, before: Account): Account =>
  accountBy((key) => after[key] - before[key]);

export const sumOf = (accounts: Account[]): Account =>
  accountBy((key) => accounts.reduce((sum, account) => sum + account[key], 0));

/**
 * The states of a new record: every metric version of its run is missing. People and clients are
 * asked for the newest version of a metric alone. Of a record without an answer nobody is asked.
 */
export function newScoreStates(
  metrics: RunMetric[],
  { hasError = false }: { hasError?: boolean } = {},
): ScoreStates {
  const idsOf = (wanted: RunMetric[]) => wanted.map(({ metricVersionId }) => metricVersionId);
  const pending = idsOf(metrics.filter((metric) => metric.isScoredByService));
  const awaited = idsOf(
    metrics.filter((metric) => !metric.isScoredByService && isNewest(metric, metrics)),
  );
  const nothing = { pending: [], awaited: [], failures: [], scores: [] };
  return hasError
    ? { ...nothing, errored: [...pending, ...awaited] }
    : { ...nothing, pending, awaited };
}

/** Ids are in the order of time: the newest version of a metric has the last one. */
export const isNewest = ({ metricId, metricVersionId }: RunMetric, metrics: RunMetric[]): boolean =>
  metrics.every((other) => other.metricId !== metricId || other.metricVersionId <= metricVersionId);

/**
 * Adds a score, in whatever state the metric version is. It replaces the existing score or, if the
 * metric asks for several annotators, that of the same member; then the score stays awaited until
 * there are enough. A pending one leaves it awaited.
 */
export function withScore(states: ScoreStates, score: StoredScore, annotators = 1): ScoreStates {
  const { metricVersionId } = score;
  const others =
    annotators === 1
      ? []
      : states.scores.filter(
          (other) => isOf(other, metricVersionId) && other.userId !== score.userId,
        );
  const cleared = withCacheException(without(states, metricVersionId), metricVersionId, false);
  const scores = [...cleared.scores, ...others, score];
  const givenCount = [...others, score].filter(({ isPending }) => !isPending).length;
  // A record without an answer waits for nobody: the scores that it is given count as they are.
  if (states.errored && !score.isOutside)
    return { ...(givenCount > 0 ? cleared : withErrored(cleared, metricVersionId)), scores };
  const isMissing = givenCount < annotators && !score.isOutside;
  return {
    ...cleared,
    scores,
    awaited: isMissing ? [...cleared.awaited, metricVersionId] : cleared.awaited,
  };
}

/** Removes one member's score, which is awaited again if too few remain. */
export function withoutScoreOf(
  states: ScoreStates,
  {
    metricVersionId,
    userId,
    annotators,
  }: { metricVersionId: string; userId: string; annotators: number },
): ScoreStates {
  const own = states.scores.filter((score) => isOf(score, metricVersionId));
  const remaining = own.filter((score) => score.userId !== userId);
  const cleared = without(states, metricVersionId);
  if (states.errored)
    return remaining.length > 0
      ? { ...cleared, scores: [...cleared.scores, ...remaining] }
      : withErrored(cleared, metricVersionId);
  const isMissing =
    remaining.filter(({ isPending }) => !isPending).length < annotators &&
    !own.some(({ isOutside }) => isOutside);
  return {
    ...cleared,
    scores: [...cleared.scores, ...remaining],
    awaited: isMissing ? [...cleared.awaited, metricVersionId] : cleared.awaited,
  };
}

/** Marks a score as failed for good. */
export function withFailure(states: ScoreStates, failure: FailedScore): ScoreStates {
  const cleared = without(states, failure.metricVersionId);
  return { ...cleared, failures: [...cleared.failures, failure] };
}

/** Marks a score as pending: the service makes it, anew or for the first time. */
export function withPending(states: ScoreStates, metricVersionId: string): ScoreStates {
  const cleared = without(states, metricVersionId);
  return states.errored
    ? withErrored(cleared, metricVersionId)
    : { ...cleared, pending: [...cleared.pending, metricVersionId] };
}

/** Nobody is asked for this score: the system gave no answer. */
const withErrored = (
  { errored = [], ...states }: ScoreStates,
  metricVersionId: string,
): ScoreStates => ({ ...states, errored: [...errored, metricVersionId] });

/** Has the next judgement of a metric version use the cache as its run does, or otherwise. */
export function withCacheException(
  { cacheExceptions = [], ...states }: ScoreStates,
  metricVersionId: string,
  isException: boolean,
): ScoreStates {
  const others = cacheExceptions.filter((id) => id !== metricVersionId);
  const exceptions = isException ? [...others, metricVersionId] : others;
  return exceptions.length > 0 ? { ...states, cacheExceptions: exceptions } : states;
}

/** Marks a score as stopped: no judge is asked for it. */
export function withStopped(states: ScoreStates, metricVersionId: string): ScoreStates {
  const cleared = without(states, metricVersionId);
  return { ...cleared, stopped: [...(cleared.stopped ?? []), metricVersionId] };
}

/** Marks a score as awaited: people or clients give it. */
export function withAwaited(states: ScoreStates, metricVersionId: string): ScoreStates {
  const cleared = without(states, metricVersionId);
  return states.errored
    ? withErrored(cleared, metricVersionId)
    : { ...cleared, awaited: [...cleared.awaited, metricVersionId] };
}

/** Judgements of one metric version that are kept. */
const judgementsMax = 9;

/**
 * Adds a judgement; the oldest ones go. One from the cache that repeats the newest adds nothing.
 */
export function withJudgement(
  states: ScoreStates,
  metricVersionId: string,
  judgement: JudgementHistory['judgements'][number],
): ScoreStates {
  const judged = states.judged ?? [];
  const before = judged.find((history) => isOf(history, metricVersionId))?.judgements ?? [];
  if (judgement.isCached && saysTheSame(judgement, before.at(-1))) return states;
  const judgements = [...before, judgement].slice(-judgementsMax);
  return {
    ...states,
    judged: [
      ...judged.filter((history) => !isOf(history, metricVersionId)),
      { metricVersionId, judgements },
    ],
  };
}

const saysTheSame = (
  { votes, reasoning }: JudgementHistory['judgements'][number],
  other: JudgementHistory['judgements'][number] | undefined,
): boolean => other?.reasoning === reasoning && String(other.votes) === String(votes);

const isOf = (one: { metricVersionId: string }, metricVersionId: string): boolean =>
  one.metricVersionId === metricVersionId;

/**
 * Removes a metric version from every state, as the deletion of a score outside the accounts does.
 */
export function without(
  { pending, awaited, failures, stopped, errored, scores, judged, cacheExceptions }: ScoreStates,
  metricVersionId: string,
): ScoreStates {
  const isOther = (id: string) => id !== metricVersionId;
  const stillStopped = stopped?.filter(isOther) ?? [];
  return {
    ...(stillStopped.length > 0 ? { stopped: stillStopped } : {}),
    ...(errored ? { errored: errored.filter(isOther) } : {}),
    ...(judged ? { judged } : {}),
    ...(cacheExceptions ? { cacheExceptions } : {}),
    pending: pending.filter(isOther),
    awaited: awaited.filter(isOther),
    failures: failures.filter((failure) => isOther(failure.metricVersionId)),
    scores: scores.filter((score) => isOther(score.metricVersionId)),
  };
}
