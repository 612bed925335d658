import { z } from 'zod';
import { count, id, repeatedReference } from '../fields.ts';
import { outputType } from '../metrics.ts';
import { interval } from './inference.ts';

const said = (who: string) =>
  z.union([z.boolean(), z.number()]).meta({ description: `What ${who} said.` });

/** Runs beside that of a request, whose judge's errors are told too. */
export const runsBesideMax = 9;

/** The errors of the judge in other runs are told beside those in the run of a request. */
export const compareWithRunId = repeatedReference(
  runsBesideMax,
  `Another run of the project with this metric, for \`byRun\`; repeatable, at most ${runsBesideMax} times.`,
  { error: `must be given at most ${runsBesideMax} times` },
);

/** A share of the records of one kind. */
const share = z.object({
  value: z.number().nullable().meta({ description: 'The share; null without such records.' }),
  labels: count().meta({ description: 'Records of this kind, by what people said.' }),
  confidenceInterval: interval.nullable().meta({ description: "Wilson's." }),
});

const judgeErrors = z
  .object({
    runId: id(),
    name: z.string().nullable().meta({ description: "The run's." }),
    metricVersionId: id(),
    labels: count().meta({ description: 'Records that the judge and people scored.' }),
    sensitivity: share.nullable().meta({
      description: 'Of what people pass, the share that the judge passes; null for int and float.',
    }),
    specificity: share.nullable().meta({
      description: 'Of what people fail, the share that the judge fails; null for int and float.',
    }),
    meanError: z
      .object({
        value: z.number().nullable().meta({ description: 'Null without such records.' }),
        confidenceInterval: interval.nullable(),
      })
      .nullable()
      .meta({
        description:
          'The mean of judge − people, with its symmetric bootstrap-t interval; null for boolean.',
      }),
  })
  .meta({ id: 'JudgeErrors' });

/**
 * Agreement beyond chance: Cohen's kappa for boolean and int, Krippendorff's alpha for float and
 * where there are more than two raters.
 */
export const reliability = z
  .object({
    metricId: id(),
    metricVersionId: id(),
    runId: id(),
    humanMetricId: id().nullable().meta({
      description: "The metric by which people scored; null where they scored by the judge's own.",
    }),
    outputType,
    compared: count().meta({ description: 'Records that the judge and people scored.' }),
    agreement: z
      .object({
        measure: z
          .enum([
            "Cohen's kappa",
            "Cohen's kappa, quadratic weights",
            "Krippendorff's alpha, interval",
          ])
          .meta({ description: 'What `value` is.' }),
        value: z.number().nullable().meta({
          description: '1 is perfect, 0 is what chance gives; null where it is not defined.',
        }),
        confidenceInterval: interval.nullable().meta({
          description:
            'Percentiles over resamples of the records; the binomial bound where both always agree.',
        }),
        exact: z
          .number()
          .nullable()
          .meta({ description: 'The share of records on which both gave the same value.' }),
        exactConfidenceInterval: interval.nullable().meta({ description: "Wilson's." }),
      })
      .meta({ description: 'How far the judge and people agree.' }),
    byRun: z.array(judgeErrors).meta({
      description:
        "The judge's errors in this run and in those of `compareWithRunId`. They are a bias of a comparison only where they differ between its runs.",
    }),
    confusionMatrix: z
      .array(
        z.object({
          judge: said('the judge'),
          human: said('people'),
          count: count().meta({ description: 'Records of which both said this.' }),
        }),
      )
      .meta({ description: 'Empty for float metrics.' }),
    disagreements: z
      .array(
        z.object({
          recordId: id(),
          judge: said('the judge'),
          human: said('people'),
          reasoning: z.string().nullable().meta({ description: 'The reason that the judge gave.' }),
        }),
      )
      .meta({ description: 'The largest first, at most 100.' }),
    testRetest: z
      .object({
        records: count().meta({ description: 'Records that it scored more than once.' }),
        alpha: z
          .number()
          .nullable()
          .meta({ description: "Krippendorff's alpha; null where it is not defined." }),
        exact: z
          .number()
          .nullable()
          .meta({ description: 'The share of them that it gave the same value each time.' }),
      })
      .nullable()
      .meta({
        description:
          'How far the judge agrees with itself, over votes and repeats; null where it was asked once.',
      }),
  })
  .meta({ id: 'Reliability' });
