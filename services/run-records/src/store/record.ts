import type { RecordMetrics, RecordNote, SystemError } from '@assay/contracts/run-records';
import { outcomesOf, type RecordOutcome } from '../domain/accounts/outcomes.ts';
import type { ScoreStates } from '../domain/accounts/score-states.ts';
import { inlineBytes, type KeptPayloads, type PayloadStore, type Payloads } from './payloads.ts';
import type { StoredRun } from './runs.ts';

export interface StoredTag {
  id: string;
  text: string;
  source: 'user' | 'otel';
  userId: string | null;
  createdAt: Date;
}

export interface StoredAssignment {
  id: string;
  assigneeUserId: string;
  assignedByUserId: string;
  createdAt: Date;
}

/** A record without its payloads. */
export interface Envelope extends ScoreStates {
  id: string;
  runId: string;
  testcaseId: string | null;
  otelLinkId?: string;
  clientId?: string;
  sessionId?: string;
  /** Why the system gave no answer. Where it is, `errored` is, too. */
  error?: SystemError;
  systemAttempts?: number;
  notes?: RecordNote[];
  metrics?: RecordMetrics;
  /** As JSON text. */
  metadata?: string;
  createdAt: Date;
  tags: StoredTag[];
  assignees: StoredAssignment[];
}

export type StoredRecord = Envelope & Payloads;

/** A record as it is kept. */
export type RecordDocument = Omit<Envelope, 'id' | 'tags'> & {
  _id: string;
  organizationId: string;
  /** Left out where there are none, so that the index of tags holds tagged records alone. */
  tags?: StoredTag[];
  kept: KeptPayloads;
  /**
   * Of inputs and expected as they were sent, where there is a testcase. Records of earlier releases
   * have none.
   */
  contentHash?: string;
  failed: number;
  /**
   * Left out where there are none. Lists are filtered and sorted by them: score states say the same,
   * but no one index finds them all.
   */
  outcomes?: RecordOutcome[];
  /** There while it has annotations. */
  hasAnnotations?: true;
  /** Grows with each annotation that comes or goes, so that two at once conflict. */
  annotationWrites?: number;
  /** There where the system gave no answer, so that an index has these in the order of their ids. */
  hasError?: true;
  /** Set while scores of human metrics are missing. The review queue finds the record by it. */
  review?: { projectId: string; for: string[] };
  /** Where its testcase stands in the random order of a run that may stop early. */
  judgeOrder?: string;
  /** When a lost scoring job is published again; there while something is pending. */
  sweepAt?: Date;
};

/** The time after which a lost scoring job of a record is published again. */
export const createSweepTimes =
  (sweepAfterMs: number) =>
  ({ pending }: Pick<ScoreStates, 'pending'>): Pick<RecordDocument, 'sweepAt'> =>
    pending.length > 0 ? { sweepAt: new Date(Date.now() + sweepAfterMs) } : {};

/** The `outcomes` field of a record. */
export function outcomesFieldOf(
  { metrics }: Pick<StoredRun, 'metrics'>,
  states: ScoreStates,
): Pick<RecordDocument, 'outcomes'> {
  const outcomes = outcomesOf(metrics, states);
  return outcomes.length > 0 ? { outcomes } : {};
}

/** The `hasError` field of a record. */
export const errorFieldOf = ({
  error,
}: Pick<Envelope, 'error'>): Pick<RecordDocument, 'hasError'> => (error ? { hasError: true } : {});

/** The projection of a record without its payloads. */
export const withoutPayloads = { kept: 0 };

/** Those of some ids that come after these documents, which were read in the order of their ids. */
export const idsAfter = (ids: string[], documents: { _id: string }[]): string[] =>
  ids.filter((id) => id > documents.at(-1)!._id);

/** Returns the document without the fields that only the store uses. */
export function toEnvelope({
  _id,
  organizationId: _organizationId,
  kept: _kept,
  contentHash: _contentHash,
  failed: _failed,
  sweepAt: _sweepAt,
  review: _review,
  outcomes: _outcomes,
  hasAnnotations: _hasAnnotations,
  annotationWrites: _annotationWrites,
  hasError: _hasError,
  judgeOrder: _judgeOrder,
  tags = [],
  ...envelope
}: RecordDocument): Envelope {
  return { id: _id, tags, ...envelope };
}

/** The memory that an error takes, in bytes. */
export const errorBytes = (error: SystemError | undefined): number =>
  error ? error.message.length + (error.stack?.length ?? 0) : 0;

/** Estimates the memory that a record takes, in bytes, from the fields that were read. */
export const recordBytes = ({
  kept,
  scores = [],
  judged = [],
  failures = [],
  metadata = '',
  error,
}: Partial<RecordDocument>): number =>
  inlineBytes(kept) +
  metadata.length +
  errorBytes(error) +
  scores.reduce((sum, { text = '' }) => sum + text.length + 256, 0) +
  judged.reduce(
    (sum, { judgements }) =>
      judgements.reduce((sum, { reasoning = '' }) => sum + reasoning.length + 256, sum),
    0,
  ) +
  failures.reduce((sum, { message = '' }) => sum + message.length + 256, 1024);

/** Reads a record with its payloads. */
export const recordReader =
  (payloads: PayloadStore) =>
  (document: RecordDocument): StoredRecord =>
    Object.assign(toEnvelope(document), payloads.open(document._id, document.kept));
