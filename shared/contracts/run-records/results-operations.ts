import { z } from 'zod';
import { operation } from '../define.ts';
import { count, id, reference } from '../fields.ts';
import { metricVersionOutline } from '../metrics.ts';
import { previewFields } from '../preview.ts';
import { runResults } from '../results/summary.ts';
import { recordWithScores } from './record.ts';

/** A run as the results service knows it. */
const runOutline = z.object({
  id: id(),
  /** Left out by processes of 0.1.0. */
  name: z.string().nullable().optional(),
  projectId: id(),
  testsetId: id().nullable(),
  /** In the order in which they joined the run. */
  metrics: z.array(metricVersionOutline),
  /** Grows with every change of the run's records and scores. */
  changes: count(),
  /** Scores that are missing since the system gave no answer; left out by 0.2.0, which has none. */
  errored: count().optional(),
  /** Records that the run is to have, and of each testcase; left out by 0.2.0. */
  numExpectedRecords: count().nullable().optional(),
  repeats: count().optional(),
  /** Of a run that may stop early: whether it did. */
  stopping: z.object({ isStopped: z.boolean() }).optional(),
  /** The results of a run that has expired. */
  expired: runResults.optional(),
  /** With `withResults`: the results of the run as it is now, where they are kept. */
  kept: runResults.optional(),
});
export type RunOutline = z.infer<typeof runOutline>;

const value = z.union([z.boolean(), z.number()]);

/** The scores of a record that carry a value, and what is known of the others. */
const ratedRecord = z.object({
  id: id(),
  testcaseId: id().nullable(),
  ratings: z.array(
    z.object({
      /** With `withMetrics` also `latency` and so on, for the metrics of the record itself. */
      metricVersionId: z.string(),
      userId: z.string(),
      source: z.enum(['ai', 'heuristic', 'human']),
      value,
    }),
  ),
  /**
   * Metric versions that people or clients have still to score, also those for which further
   * annotators are missing.
   */
  awaited: z.array(z.string()),
  /** Metric versions whose score failed for good. */
  failed: z.array(z.string()),
  /** Metric versions whose score does not fit the metric; left out for none. */
  invalid: z.array(z.string()).optional(),
  /** Metric versions that say that they do not apply; left out for none. */
  notApplicable: z.array(z.string()).optional(),
  /** Why the system gave no answer, and the metric versions that nobody was asked for. */
  error: z
    .object({ name: z.string(), isByLimit: z.boolean(), versions: z.array(z.string()) })
    .optional(),
  /**
   * With `withVotes`: the votes of each judgement that was kept, by metric version, the newest
   * last.
   */
  judged: z
    .array(
      z.object({
        metricVersionId: id(),
        votes: z.array(z.array(value)),
        /** Which of these judgements have votes from the cache; left out for none. */
        cached: z.array(z.boolean()).optional(),
      }),
    )
    .optional(),
  /** With `withHashes`, where there is a testcase: equal where inputs and expected are. */
  contentHash: z.string().optional(),
});
export type RatedRecord = z.infer<typeof ratedRecord>;

/** A long text is replaced by its hash: it is compared with others, and not read. */
const recordInput = z.object({
  recordId: id(),
  testcaseId: id().nullable(),
  text: z.string().nullable(),
});
export type RecordInput = z.infer<typeof recordInput>;

const taggedRecord = z.object({
  recordId: id(),
  testcaseId: id().nullable(),
  tags: z.array(z.string()),
});

/** The sums over the scores that one model gave to a metric version in a run. */
const judgeCosts = z.object({
  model: z.string(),
  scores: count(),
  votes: count(),
  inputTokens: count(),
  outputTokens: count(),
  /** Of those scores whose cost is known. */
  priced: z.object({ votes: count(), costUsd: z.number() }),
});
export type JudgeCosts = z.infer<typeof judgeCosts>;

/** Records that one request may name. */
export const recordsMax = 100;

/** Operations for the results service. They only read, but for `rememberAnswer`. */
export const resultsOperations = {
  readRuns: operation({
    method: 'POST',
    path: '/internal/runs',
    summary:
      'Runs with their metric versions, without those that do not exist; a run that has expired is a CONFLICT unless such are wanted, too; for the results service',
    access: 'service',
    body: z.object({
      runIds: z.array(reference()).max(100),
      withExpired: z.boolean().optional(),
      withResults: z.boolean().optional(),
    }),
    reply: z.object({ runs: z.array(runOutline) }),
    status: 200,
  }),
  streamRatings: operation({
    method: 'POST',
    path: '/internal/ratings',
    summary: "The values of a run's records, a line each, oldest first; for the results service",
    access: 'service',
    body: z.object({
      runId: z.string(),
      withVotes: z.boolean(),
      withHashes: z.boolean().optional(),
      withMetrics: z.boolean().optional(),
    }),
    replyStreams: ['application/x-ndjson'],
    line: ratedRecord,
    status: 200,
  }),
  streamInputs: operation({
    method: 'POST',
    path: '/internal/inputs',
    summary:
      "The JSON text at a place in the inputs of a run's records, or null, a line each; for the results service",
    access: 'service',
    body: z.object({ runId: z.string(), pointer: z.string() }),
    replyStreams: ['application/x-ndjson'],
    line: recordInput,
    status: 200,
  }),
  streamTags: operation({
    method: 'POST',
    path: '/internal/tags',
    summary:
      'The tags of those records of a run that have some, a line each; for the results service',
    access: 'service',
    body: z.object({ runId: z.string() }),
    replyStreams: ['application/x-ndjson'],
    line: taggedRecord,
    status: 200,
  }),
  readRecords: operation({
    method: 'POST',
    path: '/internal/records',
    summary:
      'Some records of a run with their scores, as many as fit in one response; for the results service',
    access: 'service',
    body: z.object({
      runId: z.string(),
      recordIds: z.array(z.string()).max(recordsMax),
      previews: z.object({ characters: count(), pointers: z.array(z.string()) }).optional(),
    }),
    reply: z.object({
      records: z.array(recordWithScores.extend({ fields: previewFields })),
      /** Records that did not fit: to be asked for again. */
      remaining: z.array(z.string()),
    }),
    status: 200,
  }),
  readContents: operation({
    method: 'POST',
    path: '/internal/contents',
    summary:
      'Hashes of the inputs and expected of some records, without those that do not exist; for the results service',
    access: 'service',
    body: z.object({ runId: z.string(), recordIds: z.array(z.string()).max(recordsMax) }),
    reply: z.object({
      contents: z.array(z.object({ recordId: id(), inputs: z.string(), expected: z.string() })),
    }),
    status: 200,
  }),
  readReasons: operation({
    method: 'POST',
    path: '/internal/reasons',
    summary: "A judge's newest reasons for its scores of some records; for the results service",
    access: 'service',
    body: z.object({
      runId: z.string(),
      metricVersionId: z.string(),
      recordIds: z.array(z.string()).max(recordsMax),
    }),
    reply: z.object({
      reasons: z.array(z.object({ recordId: id(), reasoning: z.string().nullable() })),
    }),
    status: 200,
  }),
  readJudgeCosts: operation({
    method: 'POST',
    path: '/internal/judge-costs',
    summary:
      'What the scores of a metric version took in a run, by the model that gave them; for the results service',
    access: 'service',
    body: z.object({ runId: z.string(), metricVersionId: z.string() }),
    reply: z.object({ judges: z.array(judgeCosts) }),
    status: 200,
  }),
  findAnswer: operation({
    method: 'POST',
    path: '/internal/answers/find',
    summary:
      'The answer that was given to an Idempotency-Key, or null; for processes of the results service before 0.3.0, which have no database',
    access: 'service',
    body: z.object({ keyId: z.string() }),
    reply: z.object({ answer: z.object({ bodyHash: z.string(), text: z.string() }).nullable() }),
    status: 200,
  }),
  rememberAnswer: operation({
    method: 'POST',
    path: '/internal/answers',
    summary:
      'Remember the answer to an Idempotency-Key for 24 hours, and return the first one; for the results service',
    access: 'service',
    body: z.object({ keyId: z.string(), bodyHash: z.string(), text: z.string() }),
    bodyBytesMax: 15 * 1024 * 1024,
    reply: z.object({
      answer: z.object({ bodyHash: z.string(), text: z.string() }),
      isFirst: z.boolean(),
    }),
    status: 200,
  }),
};
