import type { Trace } from '@assay/contracts/traces';
import type { StoredHead } from '../store.ts';
import { keptUntil } from './stored-spans.ts';

/** A trace as clients get it. */
export const toReply = ({
  startedAt,
  endedAt,
  metadata,
  expiresAt,
  ...head
}: StoredHead): Trace => ({
  traceId: head.traceId,
  projectId: head.projectId,
  isProjectGuessed: head.isProjectGuessed,
  name: head.name,
  serviceName: head.serviceName,
  startedAt: instantOf(startedAt),
  durationMs: durationOf(startedAt, endedAt),
  numSpans: head.numSpans,
  numErrors: head.numErrors,
  models: head.models,
  provider: head.provider,
  inputTokens: head.inputTokens,
  outputTokens: head.outputTokens,
  totalTokens: head.totalTokens,
  costUsd: head.costUsd,
  costIsPartial: head.costIsPartial ?? false,
  sessionId: head.sessionId,
  userId: head.userId,
  tags: head.tags,
  metadata: Object.fromEntries(metadata),
  linkIds: head.linkIds,
  groupId: head.groupId,
  // Heads that were settled by an earlier version have none.
  evaluations: head.evaluations ?? [],
  inputPreview: head.inputPreview,
  outputPreview: head.outputPreview,
  isSettled: head.isSettled,
  expiresAt: expiresAt < keptUntil ? expiresAt.toISOString() : null,
});

const instantOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** To a microsecond, which the difference of two numbers of this size has. */
const durationOf = (startedAt: number, endedAt: number): number =>
  Math.max(0, Math.round((endedAt - startedAt) * 1000) / 1000);
