import { z } from 'zod';
import { list, operation, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { integerParameter, reference, repeatedReference } from './fields.ts';
import { previewQuery } from './preview.ts';
import {
  candidateRunIds,
  comparedRunsMax,
  comparedTestcase,
  testcaseOrder,
} from './results/compared-testcases.ts';
import {
  comparedPairs,
  comparison,
  comparisonBody,
  exampleComparisonBody,
  flip,
  pair,
  pairGroup,
  pairOrder,
  repeats,
} from './results/comparison.ts';
import { breakdownBy, errorsCounting } from './results/inference.ts';
import { labelDrawOperations } from './results/label-draws.ts';
import { resultsQuestions } from './results/look.ts';
import { examplePlan, examplePlanBody, plan, planBody } from './results/plan.ts';
import { compareWithRunId, reliability } from './results/reliability.ts';
import { exampleRunSummaries, runSummaries, runSummary } from './results/summary.ts';
import { systemMetricsInWords } from './run-records/system-metrics.ts';

export * from './results/calibration.ts';
export * from './results/compared-testcases.ts';
export * from './results/comparison.ts';
export * from './results/inference.ts';
export * from './results/label-draws.ts';
export * from './results/look.ts';
export * from './results/plan.ts';
export * from './results/summary.ts';

export const results = service({
  name: 'results',
  summary: "What the scores of runs say: summaries, comparisons, and judges' reliability",
  operations: {
    getRunSummary: operation({
      method: 'GET',
      path: '/runs/:runId/summary',
      expensive: true,
      summary: "Each metric's mean or pass rate, with its interval and distribution",
      query: z.object({
        metricIds: repeatedReference(
          100,
          `Repeatable: only these metrics of the run. ${systemMetricsInWords}`,
        ),
        errors: errorsCounting,
        minPasses: integerParameter({
          min: 0,
          max: 100,
          default: 0,
          about:
            'For `passBounds`: a testcase passes where at least so many of its records pass. With 0 the share of its records that pass counts.',
        }),
        breakdownBy: breakdownBy(
          'the summary also has a row for each value. A record stands under each of its tags.',
        ),
        calibrateWith: reference().optional().meta({
          description:
            "Corrects the judges' means by what people said of the same records: `people` for their scores of the judged metric itself, or the id of a human metric of the run.",
        }),
      }),
      reply: runSummary,
      status: 200,
      example: { query: { calibrateWith: 'people' } },
    }),
    summarizeRuns: operation({
      method: 'POST',
      path: '/run-summaries',
      expensive: true,
      summary:
        'The results of up to 100 runs, in the order asked; a run is read anew only if it has changed, and of one that has expired are those that were kept',
      commitsIdempotencyKey: true,
      body: z.object({
        runIds: z.array(reference()).min(1).max(100),
        metricIds: z
          .array(reference())
          .min(1)
          .max(100)
          .optional()
          .meta({
            description: `Only these metrics, of the runs that have them. ${systemMetricsInWords}`,
          }),
        errors: errorsCounting,
      }),
      reply: runSummaries,
      status: 200,
      example: { body: { runIds: [exampleIds.run] }, reply: exampleRunSummaries },
    }),
    compareRuns: operation({
      method: 'POST',
      path: '/comparisons',
      expensive: true,
      summary: 'Compare two runs, metric by metric: is the difference real?',
      commitsIdempotencyKey: true,
      body: comparisonBody,
      reply: comparison,
      status: 200,
      example: {
        body: exampleComparisonBody,
        otherBodies: {
          'Only what they took': {
            ...exampleComparisonBody,
            metricIds: ['latency', 'cost'],
            level: 0.99,
          },
          'Judges corrected by people': { ...exampleComparisonBody, calibrateWith: 'people' },
        },
      },
    }),
    listPairs: list({
      path: '/comparisons/pairs',
      expensive: true,
      summary: 'Testcases of two runs by what became of them, with both records',
      query: z.object({
        ...comparedPairs,
        metricId: reference().meta({ description: 'By whose values pairs are shown.' }),
        show: pairGroup.default('changed').meta({ description: 'Which group of testcases.' }),
        order: pairOrder.default('largest').meta({
          description: 'By the size of the change, or by the age of the testcase.',
        }),
        ...previewQuery,
      }),
      item: pair,
      example: { query: { ...exampleComparisonBody, metricId: exampleIds.metric } },
    }),
    listComparedTestcases: list({
      path: '/comparisons/testcases',
      expensive: true,
      summary:
        'Testcases of two to eight runs, with the value and the record that each run has of them',
      query: z.object({
        baselineRunId: reference().meta({ description: 'The run that comes first.' }),
        candidateRunIds,
        metricId: reference().meta({ description: 'A metric that all of the runs have.' }),
        order: testcaseOrder.default('disagreement').meta({
          description:
            'Those whose values differ most first; those that fail in the most runs first; or by the age of the testcase.',
        }),
        passingRunIds: repeatedReference(
          comparedRunsMax,
          'Repeatable: only testcases that pass in each of these runs.',
        ),
        failingRunIds: repeatedReference(
          comparedRunsMax,
          'Repeatable: only testcases that have a value in each of these runs, and do not pass.',
        ),
        repeats,
        errors: errorsCounting,
        ...previewQuery,
      }),
      item: comparedTestcase,
      example: {
        query: {
          baselineRunId: exampleIds.run,
          candidateRunIds: exampleIds.otherRun,
          metricId: exampleIds.metric,
        },
      },
    }),
    listFlips: list({
      path: '/comparisons/flips',
      expensive: true,
      summary: 'Testcases whose value changed between two runs, with both records',
      query: z.object({
        ...comparedPairs,
        metricId: reference().meta({ description: 'By whose values testcases have changed.' }),
        ...previewQuery,
      }),
      item: flip,
      example: { query: { ...exampleComparisonBody, metricId: exampleIds.metric } },
    }),
    planComparison: operation({
      method: 'POST',
      path: '/plans',
      expensive: true,
      summary: 'How many testcases would find a difference between two versions, and at what cost',
      description:
        'The power is that of the test that comparisons use. Variation comes from a pilot, one run or two, or from figures: for booleans `baselineMean` and `changeRate`, for numbers `standardDeviation`.',
      commitsIdempotencyKey: true,
      body: planBody,
      reply: plan,
      status: 200,
      example: {
        body: examplePlanBody,
        otherBodies: {
          'From a pilot': {
            metricId: exampleIds.metric,
            difference: 0.05,
            pilotRunId: exampleIds.run,
          },
          'Of a number': { metricId: 'latency', difference: 100, standardDeviation: 400 },
        },
        reply: examplePlan,
      },
    }),
    ...labelDrawOperations,
    getReliability: operation({
      method: 'GET',
      path: '/metrics/:metricId/reliability',
      expensive: true,
      summary: "A judge's agreement with people on a run's records, and with itself",
      query: z.object({
        runId: reference().meta({ description: 'A run that the judge scored.' }),
        humanMetricId: reference().optional().meta({
          description:
            "A human metric of the run, in place of people's scores of the metric itself.",
        }),
        compareWithRunId,
      }),
      reply: reliability,
      status: 200,
      example: { query: { runId: exampleIds.run } },
    }),
  },
  questions: resultsQuestions,
});
