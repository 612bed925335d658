import { z } from 'zod';
import { event, list, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { count, deletedCount, id, reference, success } from './fields.ts';
import { usageQuestion } from './limits.ts';
import { namesQuestion } from './names.ts';
import { moveAuthorQuestion } from './project-file/authors.ts';
import { partExport, partRestore, partReveal } from './project-file/operations.ts';
import { givenScore } from './run-records/given-scores.ts';
import { labelDrawOperations } from './run-records/label-draws.ts';
import { linkedRecordOperations } from './run-records/linked-records.ts';
import { newestRunOperations } from './run-records/newest-run.ts';
import { payloads } from './run-records/record.ts';
import { recordOperations } from './run-records/record-operations.ts';
import { queued, rescoreOperations, runMetricsMax } from './run-records/rescoring.ts';
import { resultsOperations } from './run-records/results-operations.ts';
import { reviewOperations } from './run-records/review.ts';
import { answerCache, repeats, run, runBody, runFilters } from './run-records/run.ts';
import { runPartBody } from './run-records/run-part.ts';
import { runRetentionOperations } from './run-records/run-retention.ts';
import { judgement, score, scoreFailure } from './run-records/score.ts';
import { stoppingBody } from './run-records/stopping.ts';
import { tracedRecordOperations } from './run-records/traced-records.ts';
import { trendOperations } from './run-records/trends.ts';

export * from './run-records/given-scores.ts';
export * from './run-records/label-draws.ts';
export * from './run-records/linked-records.ts';
export type { Mention } from './run-records/mentions.ts';
export * from './run-records/newest-run.ts';
export * from './run-records/record.ts';
export * from './run-records/record-filters.ts';
export { type RescoreEstimate, runMetricsMax } from './run-records/rescoring.ts';
export * from './run-records/results-operations.ts';
export * from './run-records/review.ts';
export * from './run-records/run.ts';
export * from './run-records/run-retention.ts';
export * from './run-records/score.ts';
export * from './run-records/system-error.ts';
export * from './run-records/system-metrics.ts';
export { tracedBytesMax } from './run-records/traced-records.ts';
export * from './run-records/trends.ts';

/** Link ids that one event tells: as many as fit into a message of NATS, which has 1 MiB at most. */
export const announcedLinksMax = 100;

/**
 * A run's budget for judges and the amount spent; null if it has no budget. Once it is spent, no
 * score that costs money may be made.
 */
const runBudget = z.object({ limitUsd: z.number(), spentUsd: z.number() }).nullable();
export type RunBudget = z.infer<typeof runBudget>;

export const runRecords = service({
  name: 'run-records',
  summary: 'Runs, records, scores, tags, assignees and annotations',
  operations: {
    createRun: operation({
      method: 'POST',
      path: '/projects/:projectId/runs',
      summary: 'Start a run; pins the current version of each metric',
      description:
        'With `numTestcases`, `where` or `keys` it is a run over a part of its testset: it expects that many testcases times `repeats`, and completes with them. Which of them get records is not checked: a record of another testcase of the testset is taken, and counts like any.',
      body: z.object({
        metricIds: z.array(reference()).max(runMetricsMax),
        testsetId: reference().nullish(),
        systemVersionId: reference().nullish(),
        repeats: repeats().default(1).meta({
          description: 'How many records each testcase is to have; more than one needs a testset.',
        }),
        ...runPartBody,
        cache: answerCache.default('use'),
        ...stoppingBody,
        ...runBody,
      }),
      reply: run,
      status: 201,
      example: {
        body: {
          metricIds: [exampleIds.metric],
          testsetId: exampleIds.testset,
          systemVersionId: exampleIds.systemVersion,
          name: 'Prompt 14',
          labels: { commit: '4f7c2aa', branch: 'main' },
        },
        otherBodies: {
          'Without a testset': { metricIds: [exampleIds.metric], name: 'Answers of a day' },
          'Three records each, at most 5 dollars': {
            metricIds: [exampleIds.metric],
            testsetId: exampleIds.testset,
            systemVersionId: exampleIds.systemVersion,
            repeats: 3,
            budgetUsd: 5,
          },
          'Over the testcases about shipping': {
            metricIds: [exampleIds.metric],
            testsetId: exampleIds.testset,
            where: { '/topic': 'shipping' },
          },
        },
      },
    }),
    listRuns: list({
      path: '/projects/:projectId/runs',
      expensive: true,
      summary:
        'List the runs of a project, newest first or in another order; a page of filtered runs may have fewer than `limit`, and none, while `hasMore` is true: 1,000 runs are looked at for it',
      description:
        'Filters combine with AND. A run that is renamed while a list by name is walked may be listed twice, or not at all.',
      query: runFilters,
      item: run,
    }),
    ...newestRunOperations,
    ...trendOperations,
    ...runRetentionOperations,
    getRun: operation({
      method: 'GET',
      path: '/runs/:runId',
      summary: 'Get a run with its accounts',
      reply: run,
      status: 200,
    }),
    updateRun: operation({
      method: 'PATCH',
      path: '/runs/:runId',
      summary:
        "Change a run's name, all of its labels, or its budget; with a budget, scores that failed with budget_exhausted are retried",
      body: z.object(runBody),
      reply: run,
      status: 200,
      example: { body: { budgetUsd: 5 } },
    }),
    pauseRun: operation({
      method: 'POST',
      path: '/runs/:runId/pause',
      expensive: true,
      summary: 'Pause scoring; records are still accepted',
      reply: run,
      status: 200,
    }),
    resumeRun: operation({
      method: 'POST',
      path: '/runs/:runId/resume',
      expensive: true,
      summary: 'Resume scoring',
      takesLong: true,
      reply: run,
      status: 200,
    }),
    streamRunEvents: operation({
      method: 'GET',
      path: '/runs/:runId/events',
      summary:
        'Server-sent events: `progress` with the account at each change, `completed` at the end. Resumes from `Last-Event-ID`',
      replyStreams: ['text/event-stream'],
      status: 200,
    }),
    deleteRun: operation({
      method: 'DELETE',
      path: '/runs/:runId',
      expensive: true,
      summary: 'Delete a run with its records, scores and annotations',
      reply: success,
      status: 200,
    }),
    listFailures: list({
      path: '/runs/:runId/failures',
      summary: 'List the scores that failed permanently',
      item: scoreFailure,
    }),
    retryRun: operation({
      method: 'POST',
      path: '/runs/:runId/retry',
      expensive: true,
      summary: 'Retry all failed scores',
      takesLong: true,
      reply: queued,
      status: 202,
      example: { reply: { queued: 3 } },
    }),
    ...rescoreOperations,

    ...recordOperations,

    putScore: operation({
      method: 'PUT',
      path: '/records/:recordId/scores/:metricConfigId',
      summary:
        'Create or replace a score; values that do not match the metric are stored with validationErrors',
      body: z.object({
        score: givenScore().optional(),
        userId: reference().optional(),
      }),
      reply: score,
      status: 200,
      example: {
        body: { score: { binaryScore: true, reasoning: 'Says what was asked.' } },
        otherBodies: {
          'A number from 1 to 5': { score: { intScore: 4, reasoning: 'Polite, but long.' } },
          'A share': { score: { floatScore: 0.75 } },
        },
      },
    }),
    putScores: operation({
      method: 'PUT',
      path: '/runs/:runId/scores/bulk',
      expensive: true,
      summary:
        'Create or replace any number of scores of a run, one a line; each is answered by a line of its own when it is durable',
      description:
        "A line is `{ recordId, metricConfigId, score }`, by the rules of a single PUT: also with `userId`, without `score` for a metric that people score, or with `metricId` for the metric's newest version in the run. Lines of one record count in their order. A line that cannot be stored has its own 400, 404 or 413, and the others go on. A repeat of the body gives the same scores again.",
      streams: ['application/x-ndjson'],
      replyStreams: ['application/x-ndjson'],
      status: 200,
      example: {
        body: {
          recordId: exampleIds.record,
          metricConfigId: exampleIds.metricVersion,
          score: { binaryScore: true, reasoning: 'Says what was asked.' },
        },
      },
    }),
    deleteScore: operation({
      method: 'DELETE',
      path: '/records/:recordId/scores/:metricConfigId',
      summary: 'Delete a score; one that the service computes is computed again',
      query: z.object({
        userId: reference().optional().meta({
          description: "Whose, where several members score a record; the key's own when left out.",
        }),
      }),
      reply: deletedCount,
      status: 200,
    }),

    ...reviewOperations,

    readForScoring: operation({
      method: 'POST',
      path: '/internal/records-for-scoring',
      summary:
        'Records with the metric versions still to be scored, as many as fit in one response; for the scoring service',
      access: 'service',
      /**
       * With a model: the metric versions that it judges. With null: those that are evaluated
       * without a judge.
       */
      body: z.object({
        runId: z.string(),
        recordIds: z.array(z.string()).max(1000),
        model: z.string().nullable(),
      }),
      reply: z.object({
        records: z.array(
          z.object({
            id: id(),
            ...payloads,
            pending: z.array(z.string()),
            /** Those of `pending` whose judges are asked whatever the cache has. */
            uncached: z.array(z.string()).optional(),
          }),
        ),
        /** Left out by earlier releases, whose records are scored without the cache. */
        projectId: z.string().optional(),
        /** Records that did not fit: to be asked for again. */
        remaining: z.array(z.string()),
        budget: runBudget,
      }),
      status: 200,
    }),
    readForPreview: operation({
      method: 'POST',
      path: '/internal/records-for-preview',
      summary:
        "A run's oldest records with a score of a metric, and that score's value; for the scoring service",
      access: 'service',
      body: z.object({
        runId: z.string(),
        metricId: z.string(),
        projectId: z.string(),
        limit: z.int().min(1).max(200),
      }),
      reply: z.object({
        records: z.array(
          z.object({
            id: id(),
            ...payloads,
            metricVersionId: z.string(),
            value: z.union([z.boolean(), z.number()]),
          }),
        ),
      }),
      status: 200,
    }),
    readForTrial: operation({
      method: 'POST',
      path: '/internal/records-for-trial',
      summary:
        "The oldest records of a project's run, or one record of a project, for a metric that is not stored; for the scoring service",
      access: 'service',
      body: z.object({
        projectId: z.string(),
        wanted: z.union([
          z.object({ runId: z.string(), limit: z.int().min(1).max(200) }),
          z.object({ runId: z.string().optional(), recordId: z.string() }),
        ]),
      }),
      reply: z.object({ records: z.array(z.object({ id: id(), ...payloads })) }),
      status: 200,
    }),
    acceptJudgements: operation({
      method: 'POST',
      path: '/internal/judgements',
      summary:
        'Submit scores and failures, all or none of each record; those no longer pending are skipped; for the scoring service',
      access: 'service',
      body: z.object({ runId: z.string(), judgements: z.array(judgement).max(5000) }),
      bodyBytesMax: 16 * 1024 * 1024,
      reply: z.object({
        accepted: count(),
        /**
         * True if the run is paused or gone: the scores that are still missing must not be made.
         */
        isPaused: z.boolean(),
        budget: runBudget,
      }),
      status: 200,
    }),
    ...resultsOperations,
    ...labelDrawOperations,
    ...tracedRecordOperations,
    ...linkedRecordOperations,
    exportRunRecordsPart: partExport('run-records'),
    restoreRunRecordsPart: partRestore('run-records'),
    revealRunRecordsPart: partReveal('run-records'),
  },
  questions: {
    run: question({
      summary: 'Whether a run exists, and its testset',
      payload: z.object({ runId: z.string() }),
      reply: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('missing') }),
        z.object({
          outcome: z.literal('found'),
          testsetId: z.string().nullable(),
          expiredAt: z.string().optional(),
        }),
      ]),
    }),
    runsOfSpentBudgets: question({
      summary: 'Which of these runs have spent their budget for judges',
      payload: z.object({ runIds: z.array(z.string()).max(100) }),
      reply: z.object({ runIds: z.array(z.string()) }),
    }),
    names: namesQuestion,
    moveAuthor: moveAuthorQuestion,
    forgetProject: question({
      summary: 'Delete everything in a deleted project before answering',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
    usage: usageQuestion('How many records the organization has; asked by identity'),
  },
  events: {
    linkedRecordsCreated: event({
      summary: 'Records were created that name traces by their `otelLinkId`; heard by traces',
      payload: z.object({ linkIds: z.array(z.string()).max(announcedLinksMax) }),
    }),
  },
});
