import { z } from 'zod';
import { job, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { count, id, reference, timestamp } from './fields.ts';
import { metricChange } from './metrics.ts';

const value = z.union([z.boolean(), z.number()]);
const described = z.object({
  count: count(),
  mean: z.number().nullable(),
  passRate: z.number().nullable(),
});

const preview = z
  .object({
    scored: count(),
    failed: count(),
    flipped: count().meta({
      description: 'Records that pass under one of the two and not under the other.',
    }),
    before: described.meta({ description: 'The scores that these records have.' }),
    after: described.meta({ description: 'The scores that the changed metric gives them.' }),
    costUsd: z.number(),
    flips: z.array(
      z.object({ recordId: id(), before: value, after: value, reasoning: z.string() }),
    ),
    failures: z.array(z.object({ recordId: id(), code: z.string(), message: z.string() })),
  })
  .meta({
    id: 'Preview',
    description:
      'What a change of a metric would do to records that are there. Nothing of it is kept.',
  });

/** A provider of judges and its known models. Prices are in US dollars per million tokens. */
export const judgeProvider = z
  .object({
    provider: z.string(),
    isConfigured: z.boolean(),
    models: z.array(
      z.object({
        model: z.string(),
        inputUsdPerMillion: z.number().nullable(),
        outputUsdPerMillion: z.number().nullable(),
      }),
    ),
  })
  .meta({ id: 'JudgeProvider' });
export type JudgeProvider = z.infer<typeof judgeProvider>;

/** The most records in one job for a judge. A process holds them all while it asks the judge. */
export const judgedRecordsMax = 25;

export const scoring = service({
  name: 'scoring',
  summary: 'Computes the scores of metrics that the service evaluates',
  operations: {
    previewMetric: operation({
      method: 'POST',
      path: '/metrics/:metricId/preview',
      summary: 'Score records of a run with a changed metric, without storing anything',
      takesLong: true,
      body: z.object({
        change: metricChange,
        runId: reference(),
        limit: z.int().min(1).max(200).default(50),
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
    listJudges: operation({
      method: 'GET',
      path: '/judges',
      summary: 'The providers of judges, their models and prices',
      reply: z.object({ defaultModel: z.string(), data: z.array(judgeProvider) }),
      status: 200,
    }),
  },
  questions: {
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
        providers: z.array(z.string()),
      }),
      /** Short: the creation of a metric waits for the answer, and can do without it. */
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
  },
});
