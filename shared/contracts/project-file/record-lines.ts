import { z } from 'zod';
import { count, id, text, timestamp } from '../fields.ts';
import { payload } from '../payload.ts';
import { drawnTestcase, drawnTestcasesMax } from '../run-records/label-draws.ts';
import { passage, payloads, tagText } from '../run-records/record.ts';
import { failureCode, provenance, scoreBytesMax, scoreSource } from '../run-records/score.ts';
import { recordNotes, systemAttempts, systemError } from '../run-records/system-error.ts';
import { recordMetadata, recordMetrics } from '../run-records/system-metrics.ts';
import { validationError } from '../testcases.ts';

/** A member's id, or `background-job` for the service itself. */
const author = z.union([id(), z.literal('background-job')]);

const value = z.union([z.boolean(), z.number().min(0).max(5)]);

const tag = z.object({
  id: id(),
  text: tagText(),
  source: z.enum(['user', 'otel']),
  userId: id().nullable(),
  createdAt: timestamp(),
});

const assignment = z.object({
  id: id(),
  assigneeUserId: id(),
  assignedByUserId: id(),
  createdAt: timestamp(),
});

const keptScore = z.object({
  metricVersionId: id(),
  userId: author,
  recordedByUserId: author.optional(),
  score: payload('The score: free JSON.', { bytesMax: 2 * scoreBytesMax }),
  /** The value that summaries count; null where the score has none that fits its metric. */
  value: value.nullable(),
  validationErrors: z.array(validationError).max(1000).optional(),
  source: scoreSource,
  createdAt: timestamp(),
  provenance: provenance.optional(),
  isPending: z.literal(true).optional(),
  isOutside: z.literal(true).optional(),
  isNotApplicable: z.literal(true).optional(),
});

const failure = z.object({
  metricVersionId: id(),
  code: failureCode,
  message: text(4000),
  attempts: count(),
  at: timestamp(),
});

const judgementHistory = z.object({
  metricVersionId: id(),
  judgements: z
    .array(
      z.object({
        votes: z.array(value).max(100),
        reasoning: z.string(),
        isCached: z.literal(true).optional(),
      }),
    )
    .max(100),
});

const metricVersionIds = z.array(id()).max(1000);

/** A record with the states of all its scores: nothing is scored again. */
export const recordLine = z.object({
  kind: z.literal('record'),
  id: id(),
  runId: id(),
  testcaseId: id().nullable(),
  clientId: text(255, 1).optional(),
  otelLinkId: text(512, 1).optional(),
  sessionId: text(256, 1).optional(),
  createdAt: timestamp(),
  ...payloads,
  error: systemError.optional(),
  systemAttempts: systemAttempts().optional(),
  notes: recordNotes().optional(),
  metrics: recordMetrics.optional(),
  metadata: recordMetadata().optional(),
  tags: z.array(tag).max(1000),
  assignees: z.array(assignment).max(1000),
  scores: z.array(keptScore).max(10_000),
  pending: metricVersionIds,
  awaited: metricVersionIds,
  failures: z.array(failure).max(1000),
  stopped: metricVersionIds.optional(),
  errored: metricVersionIds.optional(),
  judged: z.array(judgementHistory).max(1000).optional(),
  cacheExceptions: metricVersionIds.optional(),
  /** Equal where inputs and expected are; tells whether a testcase changed between two runs. */
  contentHash: text(64).optional(),
  /** Its place in the random order of a run that may stop early. */
  judgeOrder: text(64).optional(),
});

/** Follows its record. */
export const annotationLine = z.object({
  kind: z.literal('annotation'),
  id: id(),
  recordId: id(),
  spanId: text(256).nullable(),
  rating: z.boolean().nullable(),
  comment: text(10_000).nullable(),
  passage: passage.nullable(),
  comparedRecordId: id().optional(),
  editedAt: timestamp().optional(),
  userId: id(),
  createdAt: timestamp(),
});

/** The testcases of two runs that were drawn for people. */
export const labelDrawLine = z.object({
  kind: z.literal('labelDraw'),
  baselineRunId: id(),
  candidateRunId: id(),
  metricId: id(),
  humanMetricId: id(),
  version: count(),
  testcases: z
    .array(
      drawnTestcase.extend({ testcaseId: id(), baselineRecordId: id(), candidateRecordId: id() }),
    )
    .max(drawnTestcasesMax),
});
