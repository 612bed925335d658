import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { count, id, reference } from '../fields.ts';
import { evalType } from '../metrics.ts';
import { answerCache } from './run.ts';

/** Metrics that a run may have. */
export const runMetricsMax = 100;

export const queued = z.object({
  queued: count().meta({ description: 'How many scores will be made.' }),
});

const rescored = queued.extend({
  awaited: count().meta({
    description:
      'How many scores people or clients have to give now: of the named metrics, on these records.',
  }),
});

const rescoreBody = z
  .object({
    metricIds: z
      .array(reference())
      .max(runMetricsMax)
      .optional()
      .meta({ description: "Metrics of the run's project." }),
    recordIds: z
      .array(reference())
      .max(10_000)
      .optional()
      .meta({ description: 'Records of the run; all of them when left out.' }),
    cache: answerCache
      .optional()
      .meta({ description: "The run's own when left out; `bypass` asks judges anew." }),
  })
  .optional();

const cost = z.number().nullable();

/** The effects of a rescoring, before it has any. */
const rescoreEstimate = z
  .object({
    metrics: z
      .array(
        z.object({
          metricId: id(),
          metricVersionId: id().meta({ description: 'The version that would score.' }),
          name: z.string(),
          evalType,
          queued: count().meta({ description: 'Scores that would be made.' }),
          awaited: count().meta({
            description: 'Scores that people or clients would have to give.',
          }),
          costUsd: cost.meta({
            description:
              'What its judge would cost in US dollars, by what its scores cost in this run, or else by the price of its model; 0 where no judge is asked, null where no price is known.',
          }),
        }),
      )
      .meta({ description: 'The metrics that are meant.' }),
    queued: count().meta({ description: 'Scores that would be made, of all metrics.' }),
    awaited: count().meta({
      description: 'Scores that people or clients would have to give, of all metrics.',
    }),
    costUsd: cost.meta({
      description: 'What the judges would cost together; null where one is not known.',
    }),
    budgetLeftUsd: z.number().nullable().meta({
      description: "What is left of the run's budget, at which scoring pauses; null without one.",
    }),
  })
  .meta({ id: 'RescoreEstimate' });
export type RescoreEstimate = z.infer<typeof rescoreEstimate>;

export const rescoreOperations = {
  rescoreRun: operation({
    method: 'POST',
    path: '/runs/:runId/rescore',
    expensive: true,
    summary: "Score records with the metrics' current versions, which join the run",
    description: [
      "Any metrics of the run's project can be named; without `metricIds`, those of the run that the service scores are meant. Their current versions are added to the run's `metricVersionIds`, and new ones to its `metricIds`; records that are created later get all of the run's metrics.",
      'What the service scores is scored again, but for scores that people gave. What people or clients score is awaited on each record that has no such score; scores of older versions stay, and an older version that nobody has scored yet is not asked for any more.',
      "With `recordIds`, only these of the run's records are scored or awaited: a metric that is new to the run then counts nowhere in the accounts for the others. The accounts add up at each moment, and a run that was completed is no longer so until the new scores are there. A repeat is harmless.",
    ].join('\n\n'),
    takesLong: true,
    body: rescoreBody,
    reply: rescored,
    status: 202,
    example: {
      body: { metricIds: [exampleIds.metric] },
      reply: { queued: 0, awaited: 20 },
    },
  }),
  estimateRescoring: operation({
    method: 'POST',
    path: '/runs/:runId/rescore/estimate',
    expensive: true,
    summary: 'How many scores a rescoring would make, and what its judges would cost',
    description:
      'Takes the body of `POST /runs/{runId}/rescore`, and changes nothing. Without `metricIds` it names the metrics of the run that the service scores. Answers in the cache cost nothing: where it has some, the estimate is too high.',
    body: rescoreBody,
    reply: rescoreEstimate,
    status: 200,
    example: { body: { metricIds: [exampleIds.metric] } },
  }),
};
