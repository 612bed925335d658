import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { instantParameter, integerParameter, reference } from '../fields.ts';
import { exampleRunSummaries, runResults } from '../results/summary.ts';
import { exampleRun, run, runFilters } from './run.ts';

/** Runs that one answer has at most. */
export const trendRunsMax = 500;

export const trendFilters = z.object({
  ...runFilters.pick({ label: true, testsetId: true, systemVersionId: true }).shape,
  systemId: reference().optional().meta({ description: 'Only runs of this system.' }),
  from: instantParameter('Made then or later.'),
  to: instantParameter('Made before.'),
  newest: integerParameter({
    min: 1,
    max: trendRunsMax,
    default: 200,
    about: 'The newest so many runs.',
  }),
});
export type TrendFilters = z.output<typeof trendFilters>;

const trends = z
  .object({
    points: z
      .array(
        z.object({
          run,
          results: runResults.meta({
            description:
              'As they were when the run was quiet last; by its own metrics, and by those of its records themselves.',
          }),
          isBehind: z.literal(true).optional().meta({
            description: 'Records or scores came since: the results will be made anew.',
          }),
        }),
      )
      .meta({ description: 'A run each, the oldest first.' }),
    isCut: z.boolean().meta({ description: 'There are more, older runs.' }),
  })
  .meta({ id: 'Trends', description: 'What the runs of a project scored, one after the other.' });
export type Trends = z.infer<typeof trends>;

/** Metrics over time. */
export const trendOperations = {
  getTrends: operation({
    method: 'GET',
    path: '/projects/:projectId/trends',
    expensive: true,
    summary: "The results of a project's runs over time; no records are read for it",
    description:
      'A run is a point some seconds after its last record or score, and when it has been changed for five minutes; one that has expired stays. 1,000 runs are looked at for an answer.',
    query: trendFilters,
    reply: trends,
    status: 200,
    example: {
      query: { testsetId: exampleIds.testset, from: '2026-03-01T00:00:00Z' },
      reply: {
        points: [
          {
            run: exampleRun,
            results: {
              metrics: exampleRunSummaries.items[0]!.metrics,
              errors: exampleRunSummaries.items[0]!.errors,
            },
          },
        ],
        isCut: false,
      },
    },
  }),
};
