import { z } from 'zod';
import { job, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { count, id, reference, timestamp } from './fields.ts';
import { usageQuestion } from './limits.ts';
import { metricIssue } from './metrics/issue.ts';
import { metricChange, metricCreation, metricWarning } from './metrics.ts';
import { payload } from './payload.ts';
import { moveAuthorQuestion } from './project-file/authors.ts';
import { partExport, partRestore, partReveal } from './project-file/operations.ts';
import { awaitedModel } from './scoring/awaited-model.ts';
import { jobPairsMax } from './scoring/pairwise.ts';
import { pairwiseOperations } from './scoring/pairwise-operations.ts';

export * from './scoring/awaited-model.ts';
export * from './scoring/pairwise.ts';

const value = z.union([z.boolean(), z.number()]).meta({ description: 'A score.' });
const reasoning = z.string().meta({ description: 'The reason that its judge gave.' });
const described = z.object({
  count: count().meta({ description: 'Records that have a score.' }),
  mean: z.number().nullable().meta({ description: 'The mean of their scores.' }),
  passRate: z.number().nullable().meta({ description: 'The share of them that pass.' }),
});

const exampleMetric = {
  name: 'Same answer',
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: { name: 'contains', options: { ignoreCase: true } },
};

const preview = z
  .object({
    scored: count().meta({ description: 'Records that the changed metric scored.' }),
    failed: count().meta({ description: 'Records that it could not score.' }),
    flipped: count().meta({
      description: 'Records that pass under one of the two and not under the other.',
    }),
    before: described.meta({ description: 'The scores that these records have.' }),
    after: described.meta({ description: 'The scores that the changed metric gives them.' }),
    costUsd: z.number().meta({ description: 'What its judge cost, in US dollars.' }),
    scores: z
      .array(z.object({ recordId: id(), value, reasoning }))
      .meta({ description: 'All scores that were made, oldest record first.' }),
    flips: z
      .array(z.object({ recordId: id(), before: value, after: value, reasoning }))
      .meta({ description: 'The records that `flipped` counts.' }),
    failures: z
      .array(
        z.object({
          recordId: id(),
          code: z.string().meta({ description: 'Which fault it was.' }),
          message: z.string(),
        }),
      )
      .meta({ description: 'The records that `failed` counts, and why.' }),
    notApplicable: z
      .array(z.object({ recordId: id(), reasoning }))
      .optional()
      .meta({
        description:
          'The records that the metric says that it does not apply to, and why. They count as neither scored nor failed.',
      }),
  })
  .meta({
    id: 'Preview',
    description:
      'What a change of a metric would do to records that are there. Nothing of it is kept but the answers of judges, in the cache.',
  });

/** Options keep their digits on the way to their check. */
const sentOptions = payload('Of a built-in evaluator.');

/** For a metric that is tried before there is a run. */
const typedRecord = z.object({
  inputs: payload('What a system is given.'),
  expected: payload('What it should answer.'),
  outputs: payload('An answer.'),
});

const metricCheck = z
  .object({
    issues: z
      .array(metricIssue)
      .meta({ description: 'What its creation, or change, would be refused for.' }),
    warnings: z
      .array(
        metricWarning.extend({
          code: z
            .enum([...metricWarning.shape.code.options, 'template_error', 'timeout'])
            .meta({ description: 'Which problem it is.' }),
          ...metricIssue.pick({ line: true, column: true }).shape,
        }),
      )
      .meta({ description: 'What it can be created with all the same.' }),
    renderedPrompt: z
      .object({
        instructions: z
          .string()
          .meta({ description: 'The task, the guidelines and the form of the answer.' }),
        prompt: z.string().meta({ description: 'The template with the record in it.' }),
        delimiter: z.string().meta({
          description:
            'What comes from the record stands between `<delimiter>` and `</delimiter>`.',
        }),
      })
      .optional()
      .meta({
        description: 'What the judge would be sent for the record of `recordId` or `record`.',
      }),
  })
  .meta({ id: 'MetricCheck' });

const previewLimit = z
  .int()
  .min(1)
  .max(200)
  .default(50)
  .meta({ description: 'How many records are scored at most.' });

/** A provider of judges and its known models. Prices are in US dollars per million tokens. */
export const judgeProvider = z
  .object({
    provider: z.string().meta({ description: 'Such as `openai` or `anthropic`.' }),
    isConfigured: z.boolean().meta({ description: 'Whether the installation can ask it.' }),
    models: z
      .array(
        z.object({
          model: z.string().meta({ description: 'As `evalModelName` has it.' }),
          inputUsdPerMillion: z
            .number()
            .nullable()
            .meta({ description: 'US dollars for a million tokens.' }),
          outputUsdPerMillion: z
            .number()
            .nullable()
            .meta({ description: 'US dollars for a million tokens.' }),
        }),
      )
      .meta({ description: 'Those that it is known to have, with their prices.' }),
  })
  .meta({ id: 'JudgeProvider' });
export type JudgeProvider = z.infer<typeof judgeProvider>;

/** How often a judge is asked for one vote, at most: again where its answer does not fit. */
export const callsOfVoteMax = 3;

/** The most records in one job for a judge. A process holds them all while it asks the judge. */
export const judgedRecordsMax = 25;

export const scoring = service({
  name: 'scoring',
  summary: 'Computes the scores of metrics that the service evaluates',
  operations: {
    previewMetric: operation({
      method: 'POST',
      path: '/metrics/:metricId/preview',
      expensive: true,
      summary: 'Score records of a run with a changed metric, without storing anything',
      takesLong: true,
      body: z.object({
        change: metricChange,
        runId: reference(),
        limit: previewLimit,
      }),
      bodyBytesMax: 256 * 1024,
      reply: preview,
      status: 200,
      example: {
        body: {
          change: {
            evalType: 'heuristic',
            outputType: 'boolean',
            builtin: { name: 'contains', options: { ignoreCase: true } },
          },
          runId: exampleIds.run,
        },
      },
    }),
    previewNewMetric: operation({
      method: 'POST',
      path: '/projects/:projectId/metrics/preview',
      expensive: true,
      summary:
        'Score the oldest records of a run, one of its records, or one that is sent, with a metric that is not stored',
      takesLong: true,
      body: z
        .object({
          metric: metricCreation,
          runId: reference()
            .optional()
            .meta({ description: 'The run of the records; left out where `record` is sent.' }),
          recordId: reference()
            .optional()
            .meta({ description: 'A record of the run, scored in place of the oldest ones.' }),
          record: typedRecord.optional().meta({
            description:
              'A record that is not stored, scored in place of those of a run. Its id in the reply is of this preview alone.',
          }),
          limit: previewLimit,
        })
        .refine(({ runId, record }) => (runId === undefined) !== (record === undefined), {
          path: ['runId'],
          message: 'must be a run, or be left out where `record` is sent',
        })
        .refine(({ recordId, record }) => recordId === undefined || record === undefined, {
          path: ['recordId'],
          message: 'must be left out where `record` is sent',
        }),
      bodyBytesMax: 256 * 1024,
      reply: preview,
      status: 200,
      example: { body: { metric: exampleMetric, runId: exampleIds.run } },
    }),
    checkMetric: operation({
      method: 'POST',
      path: '/projects/:projectId/metrics/check',
      expensive: true,
      summary:
        'Check the body of a creation or, with `metricId`, of a change; shows the prompt of a record',
      body: z
        .looseObject({
          metricId: reference().optional(),
          recordId: reference()
            .optional()
            .meta({ description: 'A record of the project, for which the prompt is rendered.' }),
          record: typedRecord.optional().meta({
            description:
              'A record that is not stored, for which the prompt is rendered; left out with `recordId`.',
          }),
          builtin: z
            .union([z.looseObject({ options: sentOptions.nullish() }), z.unknown()])
            .optional()
            .meta({ description: 'In any state, too.', override: {} }),
        })
        .meta({
          description:
            'The body of a creation or a change, in any state: all its faults are in the reply.',
        }),
      bodyBytesMax: 256 * 1024,
      reply: metricCheck,
      status: 200,
      example: {
        body: exampleMetric,
        reply: {
          issues: [
            {
              path: '/promptTemplate',
              message: 'must close the tag with }}',
              line: 1,
              column: 4,
            },
          ],
          warnings: [],
        },
      },
    }),
    listJudges: operation({
      method: 'GET',
      path: '/judges',
      summary: 'The providers of judges, their models and prices',
      reply: z.object({
        defaultModel: z.string().meta({ description: 'That of metrics that name none.' }),
        data: z.array(judgeProvider).meta({ description: 'All providers.' }),
        waitingFor: z.array(awaitedModel).optional().meta({
          description: 'The models whose providers are away; left out by earlier releases.',
        }),
      }),
      status: 200,
    }),
    ...pairwiseOperations,
    exportScoringPart: partExport('scoring'),
    restoreScoringPart: partRestore('scoring'),
    revealScoringPart: partReveal('scoring'),
  },
  questions: {
    moveAuthor: moveAuthorQuestion,
    forgetProject: question({
      summary: 'Delete everything in a deleted project before answering',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
    usage: usageQuestion('What judges have cost the organization today; asked by identity'),
    waitingFor: question({
      summary: 'Which of these models are waited for, because their provider is away',
      payload: z.object({ models: z.array(z.string()).max(1000) }),
      /** Each under the name by which it was asked about. */
      reply: z.object({ data: z.array(awaitedModel) }),
      /** Short: a run can be told without it. */
      timeoutMs: 1000,
    }),
    judge: question({
      summary:
        'Whether a model can judge here: it may be asked, its provider is configured, and its price known',
      payload: z.object({ model: z.string() }),
      reply: z.object({
        /** Null where the name before the slash is no provider's. */
        provider: z.string().nullable(),
        isConfigured: z.boolean(),
        /**
         * Whether the operator lets it be asked, and which are: the text of JUDGE_MODELS, null for
         * all.
         */
        isAllowed: z.boolean(),
        allowedModels: z.string().nullable(),
        hasPrice: z.boolean(),
        /** US dollars for a million tokens; null where it is not known. */
        price: z
          .object({ inputUsdPerMillion: z.number(), outputUsdPerMillion: z.number() })
          .nullable()
          .optional(),
        providers: z.array(z.string()),
      }),
      /** Short: the creation of a metric waits for the answer, and can do without it. */
      timeoutMs: 1000,
    }),
    modelPrice: question({
      summary:
        'What a model costs that a trace names, by whatever name its client has for the provider',
      payload: z.object({ provider: z.string().nullable(), model: z.string() }),
      reply: z.object({
        /** US dollars for a million tokens; null where it is not known. */
        price: z
          .object({
            inputUsdPerMillion: z.number(),
            outputUsdPerMillion: z.number(),
            cacheReadUsdPerMillion: z.number(),
            cacheWriteUsdPerMillion: z.number(),
          })
          .nullable(),
      }),
      timeoutMs: 1000,
    }),
  },
  jobs: {
    scoreRecords: job({
      summary:
        'Compute the pending scores of built-in evaluators and code for these records of one run',
      payload: z.object({ runId: z.string(), recordIds: z.array(z.string()).min(1).max(500) }),
      attempts: 6,
      finishMs: 10_000,
    }),
    judgeRecords: job({
      summary: 'Ask a model for its pending scores of these records of one run',
      payload: z.object({
        runId: z.string(),
        recordIds: z.array(z.string()).min(1).max(judgedRecordsMax),
        model: z.string(),
        /**
         * The time at which a client asked to retry failed scores. A provider that is left alone
         * since before then is asked at once.
         */
        retriedAt: timestamp().optional(),
      }),
      attempts: 6,
      finishMs: 10_000,
    }),
    judgePairs: job({
      summary: 'Ask a model for its pending judgements of these pairs of two runs',
      payload: z.object({
        comparisonId: z.string(),
        judgementIds: z.array(z.string()).min(1).max(jobPairsMax),
        model: z.string(),
        retriedAt: timestamp().optional(),
      }),
      attempts: 6,
      finishMs: 10_000,
    }),
  },
});
