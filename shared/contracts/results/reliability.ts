import { z } from 'zod';
import { count, id } from '../fields.ts';
import { outputType } from '../metrics.ts';

const value = z.union([z.boolean(), z.number()]);

/**
 * Agreement beyond chance: Cohen's kappa for boolean and int, Krippendorff's alpha for float and
 * where there are more than two raters.
 */
export const reliability = z
  .object({
    metricId: id(),
    metricVersionId: id(),
    runId: id(),
    humanMetricId: id().nullable(),
    outputType,
    compared: count().meta({ description: 'Records that the judge and people scored.' }),
    agreement: z.object({
      measure: z.enum([
        "Cohen's kappa",
        "Cohen's kappa, quadratic weights",
        "Krippendorff's alpha, interval",
      ]),
      value: z.number().nullable(),
      exact: z
        .number()
        .nullable()
        .meta({ description: 'The share of records on which both gave the same value.' }),
    }),
    confusionMatrix: z
      .array(z.object({ judge: value, human: value, count: count() }))
      .meta({ description: 'Empty for float metrics.' }),
    disagreements: z
      .array(
        z.object({ recordId: id(), judge: value, human: value, reasoning: z.string().nullable() }),
      )
      .meta({ description: 'The largest first, at most 100.' }),
    testRetest: z
      .object({ records: count(), alpha: z.number().nullable(), exact: z.number().nullable() })
      .nullable()
      .meta({
        description:
          'How far the judge agrees with itself, over votes and repeats; null where it was asked once.',
      }),
  })
  .meta({ id: 'Reliability' });
