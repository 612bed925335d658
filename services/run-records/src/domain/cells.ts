import type { Provenance, ScoreFailureCode } from '@assay/contracts/run-records';

/**
 * A cell is one metric version on one record. Each is in exactly one state: `pending` (the service has to score it), `awaited` (people or
 * clients have to), `scored`, or `failed` for good. A run's account is the sum over its records' cells, so every change goes through here:
 * the counters get the difference between the accounts of the cells before and after it.
 */
export interface Cells {
  pending: string[];
  awaited: string[];
  failures: FailedCell[];
  /** One score per metric version, or one per annotator if the metric asks for several. */
  scores: StoredScore[];
  /** The judgements, kept when a person overrides the score and when the cell is judged again. */
  judged?: JudgedCell[];
}

/** The judgements of one cell, the newest last, each with its votes. */
export interface JudgedCell {
  metricVersionId: string;
  judgements: { votes: (boolean | number)[]; reasoning: string }[];
}

export interface FailedCell {
  metricVersionId: string;
  code: ScoreFailureCode;
  message: string;
  attempts: number;
  at: Date;
}

export interface StoredScore {
  metricVersionId: string;
  userId: string;
  /** The score as JSON text. */
  text: string;
  /** The value that summaries count: it fits the metric's output type, or is null. */
  value: number | boolean | null;
  validationErrors?: { path: string; message: string }[];
  source: 'ai' | 'heuristic' | 'human';
  createdAt: Date;
  provenance?: Provenance;
  /** Given to a person without a value: still missing. */
  isPending?: true;
  /** Of a metric version that is not the run's: outside its accounts. */
  isOutside?: true;
}

/** The number of cells in each state that a record adds to its run's account. */
export interface Account {
  pending: number;
  awaited: number;
  failed: number;
  scored: number;
}

export const accountOf = ({ pending, awaited, failures, scores }: Cells): Account => ({
  pending: pending.length,
  awaited: awaited.length,
  failed: failures.length,
  scored: scoredCells({ awaited, scores }).size,
});

/** A cell that waits for further annotators has scores, and is awaited all the same. */
const scoredCells = ({ awaited, scores }: Pick<Cells, 'awaited' | 'scores'>): Set<string> =>
  new Set(
    scores
      .filter(({ metricVersionId, isOutside }) => !isOutside && !awaited.includes(metricVersionId))
      .map((score) => score.metricVersionId),
  );

/** Returns the cells of an object without its other fields. */
export const cellsOf = ({ pending, awaited, failures, scores, judged }: Cells): Cells => ({
  pending,
  awaited,
  failures,
  scores,
  ...(judged ? { judged } : {}),
});

/** `after` minus `before`. */
export const differenceOf = (after: Account, before: Account): Account => ({
  pending: after.pending - before.pending,
  awaited: after.awaited - before.awaited,
  failed: after.failed - before.failed,
  scored: after.scored - before.scored,
});

export const sumOf = (accounts: Account[]): Account =>
  accounts.reduce(
    (sum, account) => ({
      pending: sum.pending + account.pending,
      awaited: sum.awaited + account.awaited,
      failed: sum.failed + account.failed,
      scored: sum.scored + account.scored,
    }),
    emptyAccount,
  );

export const emptyAccount: Account = { pending: 0, awaited: 0, failed: 0, scored: 0 };

/** The cells of a new record: every metric version of its run is missing. */
export const newCells = (metrics: { metricVersionId: string; isScoredByService: boolean }[]): Cells => ({
  pending: metrics.filter((metric) => metric.isScoredByService).map((metric) => metric.metricVersionId),
  awaited: metrics.filter((metric) => !metric.isScoredByService).map((metric) => metric.metricVersionId),
  failures: [],
  scores: [],
});

/**
 * A score arrives, from whatever state. It replaces the one that is there; where a metric asks for several annotators, that of the same
 * member, and the cell stays awaited until there are enough. A pending one leaves the cell awaited.
 */
export function withScore(cells: Cells, score: StoredScore, annotators = 1): Cells {
  const { metricVersionId } = score;
  const others = annotators === 1 ? [] : cells.scores.filter((other) => isOf(other, metricVersionId) && other.userId !== score.userId);
  const cleared = without(cells, metricVersionId);
  const scores = [...cleared.scores, ...others, score];
  const given = [...others, score].filter(({ isPending }) => !isPending).length;
  const isMissing = given < annotators && !score.isOutside;
  return { ...cleared, scores, awaited: isMissing ? [...cleared.awaited, metricVersionId] : cleared.awaited };
}

/** One member's score is taken away; the cell is awaited again where too few are left. */
export function withoutScoreOf(
  cells: Cells,
  { metricVersionId, userId, annotators }: { metricVersionId: string; userId: string; annotators: number },
): Cells {
  const own = cells.scores.filter((score) => isOf(score, metricVersionId));
  const left = own.filter((score) => score.userId !== userId);
  const cleared = without(cells, metricVersionId);
  const isMissing = left.filter(({ isPending }) => !isPending).length < annotators && !own.some(({ isOutside }) => isOutside);
  return {
    ...cleared,
    scores: [...cleared.scores, ...left],
    awaited: isMissing ? [...cleared.awaited, metricVersionId] : cleared.awaited,
  };
}

/** A cell fails for good. */
export function withFailure(cells: Cells, failure: FailedCell): Cells {
  const cleared = without(cells, failure.metricVersionId);
  return { ...cleared, failures: [...cleared.failures, failure] };
}

/** The service has to score the cell, anew or for the first time. */
export function withPending(cells: Cells, metricVersionId: string): Cells {
  const cleared = without(cells, metricVersionId);
  return { ...cleared, pending: [...cleared.pending, metricVersionId] };
}

/** People or clients have to give the score. */
export function withAwaited(cells: Cells, metricVersionId: string): Cells {
  const cleared = without(cells, metricVersionId);
  return { ...cleared, awaited: [...cleared.awaited, metricVersionId] };
}

/** Judgements of one cell that are kept. */
const judgementsMax = 9;

/** A judge gave its judgement; the oldest ones go. */
export function withJudgement(cells: Cells, metricVersionId: string, judgement: JudgedCell['judgements'][number]): Cells {
  const judged = cells.judged ?? [];
  const before = judged.find((cell) => isOf(cell, metricVersionId))?.judgements ?? [];
  const judgements = [...before, judgement].slice(-judgementsMax);
  return { ...cells, judged: [...judged.filter((cell) => !isOf(cell, metricVersionId)), { metricVersionId, judgements }] };
}

const isOf = (cell: { metricVersionId: string }, metricVersionId: string): boolean => cell.metricVersionId === metricVersionId;

/** Removes a cell from every state, as the deletion of a score outside the accounts does. */
export function without({ pending, awaited, failures, scores, judged }: Cells, metricVersionId: string): Cells {
  const isOther = (id: string) => id !== metricVersionId;
  return {
    ...(judged ? { judged } : {}),
    pending: pending.filter(isOther),
    awaited: awaited.filter(isOther),
    failures: failures.filter((failure) => isOther(failure.metricVersionId)),
    scores: scores.filter((score) => isOther(score.metricVersionId)),
  };
}
