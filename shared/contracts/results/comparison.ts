import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { count, id, reference } from '../fields.ts';
import { evalType, outputType, statedMembers } from '../metrics.ts';
import { previewFields } from '../preview.ts';
import { recordWithScores } from '../run-records/record.ts';
import { systemMetricsInWords } from '../run-records/system-metrics.ts';
import { anytimeFigures } from './anytime.ts';
import { calibratedComparison, calibrateWith } from './calibration.ts';
import {
  breakdownBy,
  brokenDownBy,
  brokenDownValue,
  confidenceLevel,
  errorsCounting,
  interval,
  unknownCounts,
  verdict,
  warningDetails,
} from './inference.ts';

/** The two runs of a comparison, as a request names them. */
export const comparedRuns = {
  baselineRunId: reference()
    .optional()
    .meta({ description: "When left out, the baseline of the candidate's testset." }),
  candidateRunId: reference().meta({ description: 'The run that is judged.' }),
};

/** Which of a testcase's records in a run tell its value. */
export const repeats = z.enum(['mean', 'latest']).default('mean').meta({
  description:
    "A testcase's value in a run: the mean of its scored records, or the latest of them. However many records a testcase has, it counts once.",
});
export type Repeats = z.infer<typeof repeats>;

/** Which pairs of two runs are compared. */
export const comparedPairs = { ...comparedRuns, repeats, errors: errorsCounting };

export const comparisonBody = z.object({
  ...comparedPairs,
  metricIds: z
    .array(reference())
    .min(1)
    .max(100)
    .optional()
    .meta({ description: `All that both runs have, when left out. ${systemMetricsInWords}` }),
  level: confidenceLevel('The confidence of the intervals and of the verdicts.'),
  groupBy: z.string().max(1000).optional().meta({
    description:
      'A JSON Pointer into inputs or metadata, for example `/inputs/topic`: pairs of one group are drawn together.',
  }),
  breakdownBy: breakdownBy(
    'the comparison is also made for each value by itself. A testcase stands under each tag of its records in either run.',
  ),
  calibrateWith: calibrateWith.optional().meta({
    description: "Corrects the judges' differences by what people said of the same records.",
  }),
  unknownScores: z.enum(['leave_out', 'against_candidate']).default('leave_out').meta({
    description:
      'What scores count that are missing, failed or invalid: nothing, or against the candidate, as the worst of its metric in the candidate and the best in the baseline. A comparison of the second kind tells whether they could hide a regression. Metrics of people are filled in only where `metricIds` names them.',
  }),
});

/** Groups of testcases that a comparison shows; one may be of several. */
export const pairGroup = z.enum([
  'regressed',
  'improved',
  'changed',
  'bothPass',
  'bothFail',
  'unpairedBaseline',
  'unpairedCandidate',
]);
export type PairGroup = z.infer<typeof pairGroup>;

const groupWords: Record<PairGroup, string> = {
  regressed: 'Worse in the candidate.',
  improved: 'Better in the candidate.',
  changed: 'Worse or better.',
  bothPass: 'Passing in both.',
  bothFail: 'Failing in both.',
  unpairedBaseline: 'With a score in the baseline alone.',
  unpairedCandidate: 'With a score in the candidate alone.',
};

export const pairOrder = z.enum(['largest', 'oldest']);
export type PairOrder = z.infer<typeof pairOrder>;

/** A reason to read a comparison with care. */
export const comparisonWarning = z
  .object({
    code: z
      .enum([
        'metric_versions_differ',
        'unscored_testcases',
        'records_without_testcase',
        'unpaired_testcases',
        'repeats_differ',
        'too_few_pairs',
        'few_large_changes',
        'testcases_differ',
        'judge_errors_differ',
        'labels_not_drawn',
        'looked_while_judging',
        'errors_counted',
        'errors_excluded',
        'errors_not_counted',
        'errors_may_not_apply',
        'applicability_differs',
        'limits_differ',
      ])
      .meta({ description: 'Which warning it is.' }),
    message: z.string().meta({ description: 'A sentence for people.' }),
    details: warningDetails,
  })
  .meta({ id: 'ComparisonWarning' });
export type ComparisonWarning = z.infer<typeof comparisonWarning>;

const unknownScoresOfRun = z.object({
  expected: count().meta({ description: 'Scores that the run is to have.' }),
  ...unknownCounts,
});

const unknownScores = z
  .object({
    baseline: unknownScoresOfRun.meta({ description: 'In the baseline.' }),
    candidate: unknownScoresOfRun.meta({ description: 'In the candidate.' }),
    areFilledIn: z.boolean().optional().meta({
      description:
        'With `against_candidate`: whether they count against the candidate here. False where the scale has no end to count them as, and for metrics of people that are not named.',
    }),
  })
  .meta({ description: 'Scores that are missing, failed or invalid.' });

export const metricComparison = z
  .object({
    metricId: z.string(),
    name: z.string(),
    evalType,
    outputType,
    ...statedMembers,
    baselineMetricVersionId: z.string(),
    candidateMetricVersionId: z.string(),
    errored: z
      .object({
        baseline: count().meta({ description: 'In the baseline.' }),
        candidate: count().meta({ description: 'In the candidate.' }),
      })
      .meta({ description: 'Records that have no score since their system gave no answer.' }),
    unknownScores: unknownScores.optional(),
    paired: count().meta({ description: 'Testcases that both runs have a score for.' }),
    unpaired: count().meta({
      description:
        'Testcases with a score in one of them alone, unless the metric does not apply to them in the other.',
    }),
    recordsPerTestcase: z
      .object({
        baseline: z.number().nullable().meta({ description: 'In the baseline.' }),
        candidate: z.number().nullable().meta({ description: 'In the candidate.' }),
      })
      .meta({
        description:
          'Scored records of a testcase that both runs have a score for, on average; null without any.',
      }),
    groups: z.record(pairGroup, count()).meta({
      description: 'Testcases of each group, as `GET /comparisons/pairs` shows them.',
      override: {
        type: 'object',
        properties: Object.fromEntries(
          pairGroup.options.map((group) => [
            group,
            { type: 'integer', minimum: 0, description: groupWords[group] },
          ]),
        ),
        required: pairGroup.options,
      },
    }),
    numGroups: count()
      .optional()
      .meta({ description: 'With `groupBy`: how many groups the pairs are of.' }),
    baselineMean: z.number().nullable().meta({ description: 'Over the pairs.' }),
    candidateMean: z.number().nullable().meta({ description: 'Over the pairs.' }),
    difference: z
      .number()
      .nullable()
      .meta({ description: 'candidateMean − baselineMean, over the pairs.' }),
    confidenceInterval: interval.nullable().meta({ description: 'Of the difference.' }),
    method: z.string().meta({ description: 'How the interval was made.' }),
    pValue: z.number().nullable().meta({
      description: 'How often chance alone would give a difference at least as large.',
    }),
    adjustedPValue: z
      .number()
      .nullable()
      .meta({ description: "Holm's correction over the metrics of this comparison." }),
    test: z.string().meta({ description: 'How the p-value was made.' }),
    minimumDetectableDifference: z.number().nullable().meta({
      description:
        'What this many pairs would find with 80 % power at this level, from their own spread. Null where the interval reaches further than that.',
    }),
    verdict: verdict.meta({ description: 'What the candidate is in this metric.' }),
    decidedBy: z.enum(['people', 'judge']).optional().meta({
      description:
        "Of a metric that a model judges: whether its verdict is the judge's alone, or corrected by people's scores.",
    }),
    sentence: z.string().optional().meta({
      description:
        'The result for people, whole, by the figures that decide: those that people corrected, where there are some.',
    }),
    ...anytimeFigures,
    improved: count().meta({ description: 'Testcases whose value is better in the candidate.' }),
    regressed: count().meta({ description: 'Testcases whose value is worse in the candidate.' }),
    unchanged: count().meta({ description: 'Testcases of the same value in both.' }),
    warnings: z.array(comparisonWarning).optional(),
    calibrated: calibratedComparison
      .optional()
      .meta({ description: 'With `calibrateWith`, of metrics that a model judges.' }),
  })
  .meta({ id: 'MetricComparison' });

/** How often the systems of two runs failed, in the form of a metric of which less is better. */
export const errorsComparison = metricComparison
  .omit({
    metricId: true,
    baselineMetricVersionId: true,
    candidateMetricVersionId: true,
    calibrated: true,
    decidedBy: true,
    unknownScores: true,
  })
  .meta({
    id: 'ErrorsComparison',
    description:
      'Whether a testcase errored, compared as any boolean is. It is corrected with the metrics only where a testcase errored in one run more than in the other.',
  });

/** A comparison by the values of a field, or by the tags of its records. */
export const comparisonBreakdown = z
  .object({
    by: brokenDownBy,
    rows: z
      .array(
        z.object({
          value: brokenDownValue,
          testcases: count().meta({ description: 'Testcases of this value that both runs have.' }),
          metrics: z
            .array(
              metricComparison
                .pick({
                  metricId: true,
                  paired: true,
                  baselineMean: true,
                  candidateMean: true,
                  difference: true,
                  confidenceInterval: true,
                  pValue: true,
                  adjustedPValue: true,
                  verdict: true,
                  improved: true,
                  regressed: true,
                })
                .extend({
                  adjustedPValue: z.number().nullable().meta({
                    description:
                      "Holm's correction over all metrics of all values of this breakdown.",
                  }),
                }),
            )
            .meta({
              description:
                "In the order of the comparison. People's scores do not correct judges here.",
            }),
        }),
      )
      .meta({
        description:
          'The 100 values that most testcases have, fewer with more than 20 metrics; the largest first, and testcases without a value last.',
      }),
    other: z
      .object({
        values: count().meta({ description: 'Further values.' }),
        testcases: count().meta({ description: 'Testcases that stand under these alone.' }),
      })
      .meta({ description: 'The values that are not shown.' }),
  })
  .meta({ id: 'ComparisonBreakdown' });
export type ComparisonBreakdown = z.infer<typeof comparisonBreakdown>;

export const comparison = z
  .object({
    baselineRunId: id(),
    candidateRunId: id(),
    metrics: z.array(metricComparison),
    errors: errorsComparison,
    breakdown: comparisonBreakdown.optional().meta({ description: 'With `breakdownBy`.' }),
    warnings: z.array(comparisonWarning).optional(),
  })
  .meta({ id: 'Comparison', description: 'Whether the difference between two runs is real.' });
export type Comparison = z.infer<typeof comparison>;

const value = z.union([z.boolean(), z.number()]);

export const comparedRecord = recordWithScores.extend({ fields: previewFields }).meta({
  id: 'ComparedRecord',
  description: 'A record of one of two runs with its scores, its payloads whole or as previews.',
});

/** The scored records of a testcase in each run. */
const numRecords = z
  .object({
    baseline: count().meta({ description: 'In the baseline.' }),
    candidate: count().meta({ description: 'In the candidate.' }),
  })
  .meta({ description: 'Its scored records in each run.' });

export const pair = z
  .object({
    testcaseId: id(),
    baselineValue: value.nullable().meta({ description: "The testcase's value in the baseline." }),
    candidateValue: value
      .nullable()
      .meta({ description: "The testcase's value in the candidate." }),
    baseline: comparedRecord.nullable().meta({ description: 'Its latest scored record there.' }),
    candidate: comparedRecord.nullable().meta({ description: 'Its latest scored record there.' }),
    numRecords,
  })
  .meta({
    id: 'Pair',
    description:
      "A testcase with its value in two runs, null where a run has none, and its latest scored record. A boolean metric's value is a number where some of several records pass.",
  });

export const flip = z
  .object({
    testcaseId: id(),
    direction: z
      .enum(['improved', 'regressed'])
      .meta({ description: 'Whether the candidate is better or worse.' }),
    baselineValue: value.meta({ description: "The testcase's value in the baseline." }),
    candidateValue: value.meta({ description: "The testcase's value in the candidate." }),
    baseline: comparedRecord.meta({ description: 'Its latest scored record there.' }),
    candidate: comparedRecord.meta({ description: 'Its latest scored record there.' }),
    numRecords,
  })
  .meta({ id: 'Flip', description: 'A testcase whose value changed between two runs.' });

export const exampleComparisonBody = {
  baselineRunId: exampleIds.run,
  candidateRunId: exampleIds.otherRun,
};
