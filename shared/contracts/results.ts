import { z } from 'zod';
import { list, operation, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { id, reference } from './fields.ts';
import { previewQuery } from './preview.ts';
import {
  comparedPairs,
  comparison,
  comparisonBody,
  exampleComparisonBody,
  flip,
  pair,
  pairGroup,
  pairOrder,
} from './results/comparison.ts';
import { resultsQuestions } from './results/look.ts';
import { reliability } from './results/reliability.ts';
import { exampleRunSummaries, metricSummary, runSummaries } from './results/summary.ts';

export * from './results/comparison.ts';
export * from './results/look.ts';
export * from './results/summary.ts';

export const results = service({
  name: 'results',
  summary: "What the scores of runs say: summaries, comparisons, and judges' reliability",
  operations: {
    getRunSummary: operation({
      method: 'GET',
      path: '/runs/:runId/summary',
      summary: "Each metric's mean or pass rate, with its interval and distribution",
      reply: z.object({ runId: id(), metrics: z.array(metricSummary) }),
      status: 200,
    }),
    summarizeRuns: operation({
      method: 'POST',
      path: '/run-summaries',
      summary:
        'The results of up to 100 runs, in the order asked; a run is read anew only if it has changed',
      commitsIdempotencyKey: true,
      body: z.object({ runIds: z.array(reference()).min(1).max(100) }),
      reply: runSummaries,
      status: 200,
      example: { body: { runIds: [exampleIds.run] }, reply: exampleRunSummaries },
    }),
    compareRuns: operation({
      method: 'POST',
      path: '/comparisons',
      summary: 'Compare two runs, metric by metric: is the difference real?',
      commitsIdempotencyKey: true,
      body: comparisonBody,
      reply: comparison,
      status: 200,
      example: { body: exampleComparisonBody },
    }),
    listPairs: list({
      path: '/comparisons/pairs',
      summary: 'Testcases of two runs by what became of them, with both records',
      query: z.object({
        ...comparedPairs,
        metricId: reference(),
        show: pairGroup.default('changed'),
        order: pairOrder.default('largest').meta({
          description: 'By the size of the change, or by the age of the testcase.',
        }),
        ...previewQuery,
      }),
      item: pair,
      example: { query: { ...exampleComparisonBody, metricId: exampleIds.metric } },
    }),
    listFlips: list({
      path: '/comparisons/flips',
      summary: 'Testcases whose value changed between two runs, with both records',
      query: z.object({
        ...comparedPairs,
        metricId: reference(),
        ...previewQuery,
      }),
      item: flip,
      example: { query: { ...exampleComparisonBody, metricId: exampleIds.metric } },
    }),
    getReliability: operation({
      method: 'GET',
      path: '/metrics/:metricId/reliability',
      summary: "A judge's agreement with people on a run's records, and with itself",
      query: z.object({
        runId: reference(),
        humanMetricId: reference().optional().meta({
          description:
            "A human metric of the run, in place of people's scores of the metric itself.",
        }),
      }),
      reply: reliability,
      status: 200,
      example: { query: { runId: exampleIds.run } },
    }),
  },
  questions: resultsQuestions,
});
