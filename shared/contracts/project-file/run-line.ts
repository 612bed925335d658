import { z } from 'zod';
import { count, id, name, text, timestamp } from '../fields.ts';
import { evalType, outputType, statedMembers } from '../metrics/metric.ts';
import { runResults } from '../results/summary.ts';
import { answerCache, repeats, runLabels, runSource } from '../run-records/run.ts';
import { partKeysMax, testcaseKey, where } from '../testcase-part.ts';

/** A metric version as the run keeps it, in the order in which they joined. */
const pinnedMetric = z.object({
  metricVersionId: id(),
  metricId: id(),
  name: name(),
  evalType,
  outputType,
  passingThreshold: z.number().nullable(),
  ...statedMembers,
  isScoredByService: z.boolean(),
  evalModelName: text(256).nullable(),
  annotators: z.int().min(1).max(20),
  subject: z.enum(['record', 'pair']).optional(),
});

const stopping = z.object({
  compareWith: id(),
  metricId: id(),
  level: z.number().gt(0.5).lt(1),
  futility: z.boolean(),
  /** The seed of the random order of the testcases. */
  orderId: id(),
  judgedTo: text(64),
  decision: z
    .object({
      outcome: z.enum(['better', 'worse', 'undecided']),
      reason: z.enum(['decided', 'futile', 'all_judged', 'not_comparable']),
      at: timestamp(),
      pairs: count(),
    })
    .optional(),
});

/** The part of its testset that a run is about. */
const part = z.object({
  numTestcases: count(),
  /** The testcases of the testset. */
  of: count(),
  where: where().optional(),
  keys: z.array(testcaseKey).max(partKeysMax).optional(),
});

/** The rest of a run that has expired: it has no records. */
const expired = z.object({
  at: timestamp(),
  counts: z.object({
    records: count(),
    pending: count(),
    awaited: count(),
    failed: count(),
    stopped: count(),
    errored: count(),
    scored: count(),
    invalid: count(),
    notApplicable: count(),
    costNanoUsd: count(),
    cachedAnswers: count(),
    changes: count(),
  }),
  /** As `POST /run-summaries` gave them. */
  results: runResults,
});

/** A run with its own fields; its accounts follow from its records. */
export const runLine = z.object({
  kind: z.literal('run'),
  id: id(),
  testsetId: id().nullable(),
  systemId: id().nullable(),
  systemVersionId: id().nullable(),
  metrics: z.array(pinnedMetric).max(1000),
  numExpectedRecords: count().nullable(),
  part: part.optional(),
  repeats: repeats().optional(),
  source: runSource,
  createdAt: timestamp(),
  createdByUserId: id().nullable(),
  name: name().nullable(),
  labels: runLabels,
  budgetUsd: z.number().min(0).nullable(),
  cache: answerCache,
  isPaused: z.boolean(),
  stopping: stopping.optional(),
  expired: expired.optional(),
  /** The costs of its judges so far, in billionths of a US dollar. */
  costNanoUsd: count(),
  cachedAnswers: count(),
});
