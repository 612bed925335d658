import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { count, id } from '../fields.ts';
import { evalType, outputType, statedMembers } from '../metrics.ts';
import { calibratedSummary } from './calibration.ts';
import {
  brokenDownBy,
  brokenDownValue,
  interval,
  unknownCounts,
  warningDetails,
} from './inference.ts';

/** How far people who scored the same records agree; null without two that scored the same one. */
export const annotatorAgreement = z
  .object({
    records: count().meta({ description: 'Records that at least two people scored.' }),
    annotators: count().meta({ description: 'People who scored them.' }),
    kappa: z.number().nullable().meta({
      description: "Cohen's kappa (int: quadratic weights), where exactly two people scored.",
    }),
    alpha: z.number().nullable().meta({ description: "Krippendorff's alpha, interval." }),
  })
  .meta({ id: 'AnnotatorAgreement' });

const share = z.object({
  value: z.number().meta({ description: 'The share, from 0 to 1.' }),
  confidenceInterval: interval.nullable(),
});

/** Testcases that are listed as flaky, the nearest to a coin's toss first. */
export const flakyTestcasesMax = 100;

const repeatSummary = z
  .object({
    recordsPerTestcase: z
      .number()
      .meta({ description: 'Scored records of a testcase, on average.' }),
    standardDeviationWithin: z.number().meta({
      description: 'Of the records of one testcase: how much a repeat of it varies.',
    }),
    standardDeviationBetween: z.number().nullable().meta({
      description: 'Of the testcases, without the part that comes from repeats.',
    }),
    passes: z
      .array(
        z.object({
          k: count().meta({ description: 'Records that are drawn of a testcase.' }),
          testcases: count().meta({ description: 'Those that have at least k records.' }),
          passAtK: share.meta({ description: 'pass@k: at least one of k records passes.' }),
          passHatK: share.meta({ description: 'pass^k: all of k records pass.' }),
        }),
      )
      .meta({ description: 'For k from 1 on, as far as half of the testcases have k records.' }),
    flaky: z
      .object({
        count: count().meta({ description: 'All of them.' }),
        testcases: z
          .array(
            z.object({
              testcaseId: id(),
              records: count().meta({ description: 'Its scored records.' }),
              passRate: z.number().meta({ description: 'The share of them that pass.' }),
              mean: z.number().meta({ description: 'The mean of their values.' }),
            }),
          )
          .max(flakyTestcasesMax)
          .meta({ description: 'Some of them.' }),
      })
      .meta({
        description: `Testcases of which some records pass and others do not; up to ${flakyTestcasesMax} of them, those whose pass rate is nearest to a half first.`,
      }),
  })
  .meta({ id: 'RepeatSummary' });
export type RepeatSummary = z.infer<typeof repeatSummary>;

/** The least and the greatest pass rate that a run can come to. */
const passBounds = z
  .object({
    testcases: count().meta({
      description:
        'Testcases that the run expects, without those to which the metric does not apply.',
    }),
    low: z.number().meta({ description: 'Where no score that is unknown would pass.' }),
    high: z.number().meta({ description: 'Where each of them would pass.' }),
    known: z
      .number()
      .nullable()
      .meta({ description: 'Without them; null where no testcase is known.' }),
  })
  .meta({
    id: 'PassBounds',
    description:
      'The pass rate over all testcases that the run expects, with what the scores that are missing, failed or invalid can make of it. An error does not pass.',
  });
export type PassBounds = z.infer<typeof passBounds>;

/** A reason to read a summary with care. */
const summaryWarning = z
  .object({
    code: z
      .enum(['errors_counted', 'errors_excluded', 'errors_not_counted', 'invalid_scores'])
      .meta({ description: 'Which warning it is.' }),
    message: z.string().meta({ description: 'A sentence for people.' }),
    details: warningDetails,
  })
  .meta({ id: 'SummaryWarning' });
export type SummaryWarning = z.infer<typeof summaryWarning>;

export const metricSummary = z
  .object({
    metricId: z.string(),
    metricVersionId: z.string(),
    name: z.string(),
    evalType,
    outputType,
    ...statedMembers,
    passingThreshold: z.number().nullable().meta({
      description:
        "The version's own; a value from it on passes, or up to it where less is better. Null for booleans, and where the metric has none.",
    }),
    count: count().meta({
      description:
        'Testcases with a score that carries a value; a record without a testcase counts for itself.',
    }),
    records: count().meta({ description: 'Scores that carry a value.' }),
    failed: count().meta({ description: 'Scores that failed for good.' }),
    errored: count().meta({
      description:
        'Records without a score of it since their system gave no answer; each counts as the worst value, unless a warning says otherwise.',
    }),
    invalid: count().meta({
      description: 'Records whose score does not fit the metric, which is in no mean.',
    }),
    notApplicable: count().meta({
      description: 'Records to which the metric does not apply, as its evaluator said.',
    }),
    expected: count().optional().meta({ description: 'Records that the run is to have.' }),
    missing: unknownCounts.missing.optional(),
    passBounds: passBounds
      .nullable()
      .optional()
      .meta({ description: 'Null where nothing passes or fails by this metric.' }),
    mean: z.number().nullable().meta({
      description: 'Of the testcases; the value of each is the mean of its records.',
    }),
    passRate: z.number().nullable().meta({
      description: 'The share of records that pass, of each testcase; the mean of these shares.',
    }),
    confidenceInterval: interval.nullable().meta({ description: 'Of the mean.' }),
    method: z.string().meta({ description: 'How the interval was made.' }),
    standardDeviation: z.number().nullable().meta({ description: "Of the testcases' values." }),
    percentiles: z
      .object({
        p50: z.number().meta({ description: 'The median.' }),
        p95: z.number().meta({ description: 'What 95 in 100 records stay below.' }),
      })
      .optional()
      .meta({
        description:
          "Of a metric whose scale has no upper end, such as `latency`, where there are values: of the records' values, between two of them in proportion.",
      }),
    sum: z.number().optional().meta({
      description: "Likewise the sum of the records' values, such as the tokens of a run.",
    }),
    distribution: z
      .array(
        z.object({
          value: z
            .union([z.number(), z.boolean()])
            .optional()
            .meta({ description: 'Of an int or boolean metric.' }),
          low: z
            .number()
            .optional()
            .meta({ description: 'Of a float metric: where the values begin.' }),
          high: z.number().optional().meta({ description: 'Of a float metric: where they end.' }),
          count: count().meta({ description: 'Records that have it.' }),
        }),
      )
      .meta({ description: 'How often each value came, or values of each range.' }),
    repeats: repeatSummary
      .optional()
      .meta({ description: 'Where testcases have several records.' }),
    agreement: annotatorAgreement
      .optional()
      .meta({ description: 'Of a metric that asks for several annotators.' }),
    calibrated: calibratedSummary
      .optional()
      .meta({ description: 'With `calibrateWith`, of metrics that a model judges.' }),
    warnings: z.array(summaryWarning).optional(),
  })
  .meta({ id: 'MetricSummary' });
export type MetricSummary = z.infer<typeof metricSummary>;

/** How often the system of a run failed, in the form of a metric of which less is better. */
export const errorsSummary = metricSummary
  .omit({
    metricId: true,
    metricVersionId: true,
    repeats: true,
    agreement: true,
    calibrated: true,
    passBounds: true,
    warnings: true,
  })
  .meta({ id: 'ErrorsSummary', description: 'Whether a record is an error.' });

/** The metrics of a run by the values of a field, or by the tags of its records. */
export const runBreakdown = z
  .object({
    by: brokenDownBy,
    rows: z
      .array(
        z.object({
          value: brokenDownValue,
          records: count().meta({ description: 'Records of this value.' }),
          metrics: z
            .array(
              metricSummary.pick({
                metricId: true,
                metricVersionId: true,
                name: true,
                outputType: true,
                min: true,
                max: true,
                lowerIsBetter: true,
                count: true,
                records: true,
                mean: true,
                passRate: true,
                confidenceInterval: true,
              }),
            )
            .meta({ description: 'In the order of the summary.' }),
        }),
      )
      .meta({
        description:
          'The 100 values that most records have, fewer with more than 20 metrics; the largest first, and records without a value last.',
      }),
    other: z
      .object({
        values: count().meta({ description: 'Further values.' }),
        records: count().meta({ description: 'Records that stand under these alone.' }),
      })
      .meta({ description: 'The values that are not shown.' }),
  })
  .meta({ id: 'RunBreakdown' });
export type RunBreakdown = z.infer<typeof runBreakdown>;

/** The results of one run. */
export const runSummary = z.object({
  runId: id(),
  metrics: z.array(metricSummary),
  errors: errorsSummary,
  breakdown: runBreakdown.optional().meta({ description: 'With `breakdownBy`.' }),
  warnings: z.array(summaryWarning).optional(),
});

/** A metric of a run as a list of runs shows it. */
export const metricResult = metricSummary
  .pick({
    metricId: true,
    metricVersionId: true,
    name: true,
    outputType: true,
    min: true,
    max: true,
    lowerIsBetter: true,
    count: true,
    records: true,
    failed: true,
    errored: true,
    invalid: true,
    notApplicable: true,
    passRate: true,
    mean: true,
    confidenceInterval: true,
    percentiles: true,
    sum: true,
  })
  .meta({ id: 'MetricResult', description: "A metric's result in a run." });
export type MetricResult = z.infer<typeof metricResult>;

const errorsResult = metricResult
  .omit({ metricId: true, metricVersionId: true })
  .meta({ id: 'ErrorsResult', description: 'How often the system of a run failed.' });
export type ErrorsResult = z.infer<typeof errorsResult>;

/** The results of a run as lists of runs show them. */
export const runResults = z.object({ metrics: z.array(metricResult), errors: errorsResult });
export type RunResults = z.infer<typeof runResults>;

export const runSummaries = z.object({
  items: z
    .array(z.object({ runId: id(), ...runResults.shape }))
    .meta({ description: 'In the order asked.' }),
});
export type RunSummaries = z.infer<typeof runSummaries>;

export const exampleRunSummaries = {
  items: [
    {
      runId: exampleIds.run,
      metrics: [
        {
          metricId: exampleIds.metric,
          metricVersionId: exampleIds.metricVersion,
          name: 'Correct',
          outputType: 'boolean',
          count: 199,
          records: 199,
          failed: 1,
          errored: 0,
          invalid: 0,
          notApplicable: 0,
          passRate: 0.8,
          mean: 0.8,
          confidenceInterval: { low: 0.74, high: 0.85, level: 0.95 },
        },
      ],
      errors: {
        name: 'errors',
        outputType: 'boolean' as const,
        lowerIsBetter: true as const,
        count: 200,
        records: 200,
        failed: 0,
        errored: 0,
        invalid: 0,
        notApplicable: 0,
        passRate: null,
        mean: 0,
        confidenceInterval: { low: 0, high: 0.019, level: 0.95 },
      },
    },
  ],
};
