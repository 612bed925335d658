import type { Provenance, ScoreFailureCode } from '@assay/contracts/run-records';

/**
 * A cell is one metric version on one record. Each is in exactly one state: `pending` (the service has to score it), `awaited` (people or
 * clients have to), `scored`, or `failed` for good. What a run's accounts say is the sum over its records' cells, so every change goes
 * through here: cells before, cells after, and the difference of their accounts is what the counters take.
 */
export interface Cells {
  pending: string[];
  awaited: string[];
  failures: FailedCell[];
  scores: StoredScore[];
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
  /** What counts in summaries: the value that fits the metric's output type, or null. */
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

/** What a record adds to its run's accounts. */
export interface Account {
  pending: number;
  awaited: number;
  failed: number;
  scored: number;
  costMicroUsd: number;
}

export const accountOf = ({ pending, awaited, failures, scores }: Cells): Account => ({
  pending: pending.length,
  awaited: awaited.length,
  failed: failures.length,
  scored: scores.filter(isScored).length,
  costMicroUsd: Math.round(scores.reduce((sum, { provenance }) => sum + (provenance?.costUsd ?? 0) * 1e6, 0)),
});

const isScored = ({ isPending, isOutside }: StoredScore): boolean => !isPending && !isOutside;

/** `after` minus `before`. */
export const differenceOf = (after: Account, before: Account): Account => ({
  pending: after.pending - before.pending,
  awaited: after.awaited - before.awaited,
  failed: after.failed - before.failed,
  scored: after.scored - before.scored,
  costMicroUsd: after.costMicroUsd - before.costMicroUsd,
});

export const sumOf = (accounts: Account[]): Account =>
  accounts.reduce(
    (sum, account) => ({
      pending: sum.pending + account.pending,
      awaited: sum.awaited + account.awaited,
      failed: sum.failed + account.failed,
      scored: sum.scored + account.scored,
      costMicroUsd: sum.costMicroUsd + account.costMicroUsd,
    }),
    emptyAccount,
  );

export const emptyAccount: Account = { pending: 0, awaited: 0, failed: 0, scored: 0, costMicroUsd: 0 };

/** The cells of a new record: every metric version of its run is missing. */
export const newCells = (metrics: { metricVersionId: string; isScoredByService: boolean }[]): Cells => ({
  pending: metrics.filter((metric) => metric.isScoredByService).map((metric) => metric.metricVersionId),
  awaited: metrics.filter((metric) => !metric.isScoredByService).map((metric) => metric.metricVersionId),
  failures: [],
  scores: [],
});

/** A score arrives, from whatever state; it replaces the one that is there. A pending one leaves the cell awaited. */
export function withScore(cells: Cells, score: StoredScore): Cells {
  const cleared = without(cells, score.metricVersionId);
  const awaited = score.isPending && !score.isOutside ? [...cleared.awaited, score.metricVersionId] : cleared.awaited;
  return { ...cleared, awaited, scores: [...cleared.scores, score] };
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

/** The cell is in no state: what a score outside the accounts leaves when it is deleted. */
export function without({ pending, awaited, failures, scores }: Cells, metricVersionId: string): Cells {
  const isOther = (id: string) => id !== metricVersionId;
  return {
    pending: pending.filter(isOther),
    awaited: awaited.filter(isOther),
    failures: failures.filter((failure) => isOther(failure.metricVersionId)),
    scores: scores.filter((score) => isOther(score.metricVersionId)),
  };
}
