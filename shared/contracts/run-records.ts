import { z } from 'zod';
import { list, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { count, deletedCount, id, reference, success, text } from './fields.ts';
import { payload } from './payload.ts';
import { comparison, comparisonBody, exampleComparisonBody, flip } from './run-records/comparison.ts';
import {
  annotation,
  exampleRecord,
  payloads,
  record,
  recordAssignment,
  recordBody,
  recordTag,
  recordWithScores,
  tagText,
} from './run-records/record.ts';
import { reliability, reviewItem } from './run-records/review.ts';
import { metricSummary, run, runSource } from './run-records/run.ts';
import { judgement, score, scoreFailure } from './run-records/score.ts';

export * from './run-records/comparison.ts';
export * from './run-records/record.ts';
export * from './run-records/review.ts';
export * from './run-records/run.ts';
export * from './run-records/score.ts';

const dataOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) });
const queued = z.object({ queued: count().meta({ description: 'How many scores will be made.' }) });

const budget = z.number().min(0).max(1_000_000);

/** SPEC: 15 MB for record creation. */
export const recordBytesMax = 15 * 1024 * 1024;

export const runRecords = service({
  name: 'run-records',
  summary: 'Runs, records, scores, tags, assignees and annotations',
  operations: {
    createRun: operation({
      method: 'POST',
      path: '/projects/:projectId/runs',
      summary: 'Start a run; pins the current version of each metric',
      body: z.object({
        metricIds: z.array(reference()).max(100),
        testsetId: reference().nullish(),
        systemVersionId: reference().nullish(),
        budgetUsd: budget.nullish(),
      }),
      reply: run,
      status: 201,
      example: { body: { metricIds: [exampleIds.metric], testsetId: exampleIds.testset, systemVersionId: exampleIds.systemVersion } },
    }),
    listRuns: list({
      path: '/projects/:projectId/runs',
      summary: 'List the runs of a project, newest first',
      query: z.object({ source: runSource.optional() }),
      item: run,
    }),
    getRun: operation({ method: 'GET', path: '/runs/:runId', summary: 'Get a run with its accounts', reply: run, status: 200 }),
    updateRun: operation({
      method: 'PATCH',
      path: '/runs/:runId',
      summary: "Change a run's budget; what failed for want of budget is scored again",
      body: z.object({ budgetUsd: budget.nullable() }),
      reply: run,
      status: 200,
      example: { body: { budgetUsd: 5 } },
    }),
    pauseRun: operation({
      method: 'POST',
      path: '/runs/:runId/pause',
      summary: 'Stop scoring; records are taken all the same',
      reply: run,
      status: 200,
    }),
    resumeRun: operation({
      method: 'POST',
      path: '/runs/:runId/resume',
      summary: 'Go on scoring',
      takesLong: true,
      reply: run,
      status: 200,
    }),
    streamRunEvents: operation({
      method: 'GET',
      path: '/runs/:runId/events',
      summary: 'Server-sent events: `progress` with the account at each change, `completed` at the end. Goes on from `Last-Event-ID`',
      replyStreams: ['text/event-stream'],
      status: 200,
    }),
    getRunSummary: operation({
      method: 'GET',
      path: '/runs/:runId/summary',
      summary: "Each metric's mean or pass rate, with its interval and distribution",
      reply: z.object({ runId: id(), metrics: z.array(metricSummary) }),
      status: 200,
    }),
    listFailures: list({ path: '/runs/:runId/failures', summary: 'List the scores that failed for good', item: scoreFailure }),
    retryRun: operation({
      method: 'POST',
      path: '/runs/:runId/retry',
      summary: 'Score anew all that failed',
      takesLong: true,
      reply: queued,
      status: 202,
      example: { reply: { queued: 3 } },
    }),
    rescoreRun: operation({
      method: 'POST',
      path: '/runs/:runId/rescore',
      summary: "Score anew with the metrics' current versions, which join the run",
      takesLong: true,
      body: z
        .object({ metricIds: z.array(reference()).max(100).optional(), recordIds: z.array(reference()).max(10_000).optional() })
        .optional(),
      reply: queued,
      status: 202,
      example: { body: { metricIds: [exampleIds.metric] } },
    }),

    createRecord: operation({
      method: 'POST',
      path: '/runs/:runId/records',
      summary: 'Add a record; answered when it is durable',
      body: recordBody,
      bodyBytesMax: recordBytesMax,
      reply: record,
      status: 201,
      statusWhenThere: 200,
      commitsIdempotencyKey: true,
      example: {
        body: {
          inputs: exampleRecord.inputs,
          expected: exampleRecord.expected,
          outputs: exampleRecord.outputs,
          testcaseId: exampleIds.testcase,
        },
      },
    }),
    listRecords: list({
      path: '/runs/:runId/records',
      summary: 'List the records of a run with all their scores, oldest first',
      query: z.object({
        tags: z
          .union([text(10_000, 1).transform((value) => [value]), z.array(text(10_000, 1)).max(50)])
          .optional()
          .meta({ override: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 50 } }),
      }),
      item: recordWithScores,
    }),
    getRecord: operation({
      method: 'GET',
      path: '/records/:recordId',
      summary: 'Get a record with its scores',
      reply: recordWithScores,
      status: 200,
    }),
    deleteRecord: operation({ method: 'DELETE', path: '/records/:recordId', summary: 'Delete a record', reply: success, status: 200 }),

    putScore: operation({
      method: 'PUT',
      path: '/records/:recordId/scores/:metricConfigId',
      summary: 'Give a score, or replace it; what does not fit the metric is stored and told',
      body: z.object({ score: payload('The score: free JSON.').optional(), userId: reference().optional() }),
      reply: score,
      status: 200,
      example: { body: { score: { binaryScore: true, reasoning: 'Says what was asked.' } } },
    }),
    deleteScore: operation({
      method: 'DELETE',
      path: '/records/:recordId/scores/:metricConfigId',
      summary: 'Delete a score; one that the service makes is made anew',
      query: z.object({
        userId: reference().optional().meta({ description: "Whose, where several members score a record; the key's own when left out." }),
      }),
      reply: deletedCount,
      status: 200,
    }),

    listRecordTags: operation({
      method: 'GET',
      path: '/records/:recordId/tags',
      summary: 'The tags of a record',
      reply: dataOf(recordTag),
      status: 200,
    }),
    createRecordTag: operation({
      method: 'POST',
      path: '/records/:recordId/tags',
      summary: 'Tag a record',
      body: z.object({ text: tagText() }),
      reply: recordTag,
      status: 201,
      statusWhenThere: 200,
      example: { body: { text: 'regression' } },
    }),
    deleteRecordTag: operation({
      method: 'DELETE',
      path: '/records/:recordId/tags/:text',
      summary: 'Take a tag off a record',
      params: { text: z.string() },
      reply: deletedCount,
      status: 200,
    }),
    listRecordAssignees: operation({
      method: 'GET',
      path: '/records/:recordId/assignees',
      summary: 'Who a record is assigned to',
      reply: dataOf(recordAssignment),
      status: 200,
    }),
    createRecordAssignee: operation({
      method: 'POST',
      path: '/records/:recordId/assignees',
      summary: 'Assign a record to a member',
      body: z.object({ assigneeUserId: reference() }),
      reply: recordAssignment,
      status: 201,
      statusWhenThere: 200,
      example: { body: { assigneeUserId: exampleIds.user } },
    }),
    deleteRecordAssignee: operation({
      method: 'DELETE',
      path: '/records/:recordId/assignees/:assigneeUserId',
      summary: 'End an assignment',
      params: { assigneeUserId: z.string() },
      reply: deletedCount,
      status: 200,
    }),
    listAnnotations: operation({
      method: 'GET',
      path: '/records/:recordId/annotations',
      summary: 'The annotations of a record, oldest first',
      reply: dataOf(annotation),
      status: 200,
    }),
    createAnnotation: operation({
      method: 'POST',
      path: '/records/:recordId/annotations',
      summary: 'Annotate a record: a rating, a comment, or both',
      body: z.object({ rating: z.boolean().nullish(), comment: text(10_000).nullish(), spanId: text(256, 1).nullish() }),
      reply: annotation,
      status: 201,
      example: { body: { rating: false, comment: 'Too short' } },
    }),

    listReviewQueue: list({
      path: '/review-queue',
      summary: 'Scores of human metrics that are missing, oldest first: what the caller may give, or what a member was assigned',
      query: z.object({
        projectId: reference().optional(),
        runId: reference().optional(),
        metricId: reference().optional(),
        assigneeUserId: reference().optional(),
      }),
      item: reviewItem,
    }),

    compareRuns: operation({
      method: 'POST',
      path: '/comparisons',
      summary: 'Compare two runs, metric by metric: is the difference real?',
      takesLong: true,
      body: comparisonBody,
      reply: comparison,
      status: 200,
      example: { body: exampleComparisonBody },
    }),
    listFlips: list({
      path: '/comparisons/flips',
      summary: 'Testcases whose value changed between two runs, with both records',
      query: z.object({ baselineRunId: reference(), candidateRunId: reference(), metricId: reference() }),
      item: flip,
      example: { query: { ...exampleComparisonBody, metricId: exampleIds.metric } },
    }),
    getReliability: operation({
      method: 'GET',
      path: '/metrics/:metricId/reliability',
      summary: "A judge's agreement with people on a run's records, and with itself",
      query: z.object({
        runId: reference(),
        humanMetricId: reference()
          .optional()
          .meta({ description: "A human metric of the run, in place of people's scores of the metric itself." }),
      }),
      reply: reliability,
      status: 200,
      example: { query: { runId: exampleIds.run } },
    }),

    readForScoring: operation({
      method: 'POST',
      path: '/internal/records-for-scoring',
      summary: 'Records with the metric versions that the service still has to score, as many as fit in one reply; for the scoring service',
      access: 'service',
      /** Of a model: what it judges. Without one: what is evaluated without a judge. */
      body: z.object({ runId: z.string(), recordIds: z.array(z.string()).max(1000), model: z.string().nullable() }),
      reply: z.object({
        records: z.array(z.object({ id: id(), ...payloads, pending: z.array(z.string()) })),
        /** Records that did not fit: to be asked for again. */
        remaining: z.array(z.string()),
      }),
      status: 200,
    }),
    readForPreview: operation({
      method: 'POST',
      path: '/internal/records-for-preview',
      summary: "A run's oldest records with a score of a metric, and that score's value; for the scoring service",
      access: 'service',
      body: z.object({ runId: z.string(), metricId: z.string(), projectId: z.string(), limit: z.int().min(1).max(200) }),
      reply: z.object({
        records: z.array(z.object({ id: id(), ...payloads, metricVersionId: z.string(), value: z.union([z.boolean(), z.number()]) })),
      }),
      status: 200,
    }),
    acceptJudgements: operation({
      method: 'POST',
      path: '/internal/judgements',
      summary: 'Scores and failures, all or none; those that are no longer awaited are passed over; for the scoring service',
      access: 'service',
      body: z.object({ runId: z.string(), judgements: z.array(judgement).max(5000) }),
      bodyBytesMax: 16 * 1024 * 1024,
      reply: z.object({
        accepted: count(),
        /** What is not scored yet is to be left; where the budget is spent, what has to be paid for. */
        isPaused: z.boolean(),
        isSpent: z.boolean(),
      }),
      status: 200,
    }),
  },
  questions: {
    forgetProject: question({
      summary: 'A project was deleted: what is in it must be gone before the answer',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
  },
});
