import { z } from 'zod';
import { list, operation, question, service } from './define.ts';
import { exampleIds, exampleInstant } from './examples.ts';
import { deletedCount, id, reference, success, text, timestamp } from './fields.ts';
import { outputType } from './metrics.ts';
import { payload } from './payload.ts';
import { validationError } from './testcases.ts';

export const runSource = z.enum(['API', 'Monitor', 'Playground', 'Kickoff']);
export const runStatus = z.enum([
  'pending',
  'awaiting_execution',
  'running_execution',
  'awaiting_scoring',
  'running_scoring',
  'awaiting_human_scoring',
  'completed',
]);
export type RunStatus = z.infer<typeof runStatus>;

const count = () => z.int().min(0);

/** A run's accounts: `expected = scored + failed + pending` at every read. */
export const scoringAccount = z
  .object({ expected: count(), scored: count(), failed: count(), pending: count() })
  .meta({ id: 'ScoringAccount' });

const exampleRun = {
  id: exampleIds.run,
  testsetId: exampleIds.testset,
  systemId: exampleIds.system,
  systemVersionId: exampleIds.systemVersion,
  metricIds: [exampleIds.metric],
  metricVersionIds: [exampleIds.metricVersion],
  numRecords: 200,
  numExpectedRecords: 200,
  numScores: 199,
  status: 'completed',
  source: 'API',
  createdAt: exampleInstant,
  scoring: { expected: 200, scored: 199, failed: 1, pending: 0 },
  costUsd: 0,
};

export const run = z
  .object({
    id: id(),
    testsetId: id().nullable(),
    systemId: id().nullable(),
    systemVersionId: id().nullable(),
    metricIds: z.array(id()),
    metricVersionIds: z.array(id()),
    numRecords: count(),
    numExpectedRecords: count().nullable(),
    numScores: count(),
    status: runStatus.meta({ description: 'Computed from progress, never set.' }),
    source: runSource,
    createdAt: timestamp(),
    scoring: scoringAccount,
    costUsd: z.number().meta({ description: 'What the judges of this run cost, in US dollars.' }),
  })
  .meta({ id: 'Run', description: 'One evaluation of one system version.', examples: [exampleRun] });
export type Run = z.infer<typeof run>;

export const scoreSource = z.enum(['ai', 'heuristic', 'human']);

/** How a score that the service made came about. */
export const provenance = z
  .object({
    metricVersionId: z.string(),
    evaluator: z.string(),
    model: z.string().optional(),
    promptHash: z.string().optional(),
    temperature: z.number().nullable().optional(),
    votes: z.int().optional(),
    inputTokens: z.int().optional(),
    outputTokens: z.int().optional(),
    costUsd: z.number().optional(),
    durationMs: z.number(),
    attempts: z.int(),
  })
  .meta({ id: 'Provenance' });
export type Provenance = z.infer<typeof provenance>;

const exampleScore = {
  recordId: exampleIds.record,
  metricConfigId: exampleIds.metricVersion,
  userId: 'background-job',
  score: { binaryScore: true, value: true, reasoning: 'The output is the expected text.' },
  source: 'heuristic',
  createdAt: exampleInstant,
};

export const score = z
  .object({
    recordId: id(),
    metricConfigId: id(),
    userId: z.string().meta({ description: "A member's id, or `background-job` for what the service made." }),
    score: payload('Free JSON; expected to carry `binaryScore`, `intScore`, `floatScore` or `value`, and `reasoning`.'),
    validationErrors: z.array(validationError).optional(),
    source: scoreSource,
    createdAt: timestamp(),
    provenance: provenance.optional(),
  })
  .meta({ id: 'Score', examples: [exampleScore] });

const payloads = {
  inputs: payload('What the system was given.'),
  expected: payload('What it should have answered.'),
  outputs: payload('What it did answer.'),
};

const exampleRecord = {
  id: exampleIds.record,
  runId: exampleIds.run,
  testcaseId: exampleIds.testcase,
  inputs: { question: 'Where is my parcel?' },
  expected: { idealAnswer: 'Ask for the tracking number.' },
  outputs: { response: 'Could you tell me the tracking number?' },
};

export const record = z
  .object({ id: id(), runId: id(), testcaseId: id().optional(), ...payloads })
  .meta({ id: 'Record', description: 'What a system did with one input.', examples: [exampleRecord] });

export const recordWithScores = record
  .extend({ scores: z.array(score) })
  .meta({ id: 'RecordWithScores', examples: [{ ...exampleRecord, scores: [exampleScore] }] });

const tagText = () => text(256, 1);

const recordBody = z.object({
  ...payloads,
  testcaseId: reference().nullish(),
  otelLinkId: text(512, 1).nullish().meta({ description: 'A span; the same one in the same run gives the record that is there.' }),
  sessionId: text(256, 1).nullish(),
  tags: z.array(tagText()).max(50).optional(),
});

export const recordTag = z
  .object({
    id: id(),
    recordId: id(),
    text: tagText(),
    source: z.enum(['user', 'otel']),
    userId: z.string().nullable(),
    createdAt: timestamp(),
  })
  .meta({
    id: 'RecordTag',
    examples: [
      {
        id: exampleIds.tag,
        recordId: exampleIds.record,
        text: 'regression',
        source: 'user',
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });

export const recordAssignment = z
  .object({ id: id(), recordId: id(), assigneeUserId: z.string(), assignedByUserId: z.string(), createdAt: timestamp() })
  .meta({
    id: 'RecordAssignment',
    examples: [
      {
        id: exampleIds.tag,
        recordId: exampleIds.record,
        assigneeUserId: exampleIds.user,
        assignedByUserId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });

export const annotation = z
  .object({
    id: id(),
    recordId: id(),
    spanId: z.string().nullable(),
    rating: z.boolean().nullable(),
    comment: z.string().nullable(),
    userId: z.string(),
    createdAt: timestamp(),
  })
  .meta({
    id: 'Annotation',
    examples: [
      {
        id: exampleIds.tag,
        recordId: exampleIds.record,
        spanId: null,
        rating: false,
        comment: 'Too short',
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });

const dataOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item) });
const queued = z.object({ queued: count().meta({ description: 'How many scores will be made.' }) });

export const failureCode = z.enum([
  'no_provider',
  'provider_error',
  'rate_limited',
  'invalid_answer',
  'template_error',
  'code_error',
  'timeout',
  'budget_exhausted',
]);
export type ScoreFailureCode = z.infer<typeof failureCode>;

export const scoreFailure = z
  .object({ recordId: id(), metricVersionId: id(), code: failureCode, message: z.string(), attempts: z.int(), at: timestamp() })
  .meta({
    id: 'ScoreFailure',
    examples: [
      {
        recordId: exampleIds.record,
        metricVersionId: exampleIds.metricVersion,
        code: 'code_error',
        message: 'The pointer /response finds nothing in outputs.',
        attempts: 1,
        at: exampleInstant,
      },
    ],
  });

export const metricSummary = z
  .object({
    metricId: id(),
    metricVersionId: id(),
    name: z.string(),
    outputType,
    count: count().meta({ description: 'Scores that carry a value.' }),
    failed: count(),
    mean: z.number().nullable(),
    passRate: z.number().nullable(),
    confidenceInterval: z.object({ low: z.number(), high: z.number(), level: z.number() }).nullable(),
    method: z.string().meta({ description: 'How the interval was made.' }),
    standardDeviation: z.number().nullable(),
    distribution: z.array(
      z.object({
        value: z.union([z.number(), z.boolean()]).optional(),
        low: z.number().optional(),
        high: z.number().optional(),
        count: count(),
      }),
    ),
  })
  .meta({ id: 'MetricSummary' });

/** What a judgement came to: a score, or a failure for good. */
export const judgementOutcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('score'),
    value: z.union([z.boolean(), z.number()]),
    reasoning: z.string(),
    source: z.enum(['ai', 'heuristic']),
    provenance,
  }),
  z.object({ kind: z.literal('failure'), code: failureCode, message: z.string().max(2000), attempts: z.int() }),
]);

export const judgement = z.object({ recordId: z.string(), metricVersionId: z.string(), outcome: judgementOutcome });
export type Judgement = z.infer<typeof judgement>;

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

    readForScoring: operation({
      method: 'POST',
      path: '/internal/records-for-scoring',
      summary: 'Records with the metric versions that the service still has to score, as many as fit in one reply; for the scoring service',
      access: 'service',
      body: z.object({ runId: z.string(), recordIds: z.array(z.string()).max(1000) }),
      reply: z.object({
        records: z.array(z.object({ id: id(), ...payloads, pending: z.array(z.string()) })),
        /** Records that did not fit: to be asked for again. */
        remaining: z.array(z.string()),
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
      reply: z.object({ accepted: count() }),
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
