import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { count, id } from '../fields.ts';
import { evalType, outputType } from '../metrics.ts';

/** How far people who scored the same records agree; null without two that scored the same one. */
export const annotatorAgreement = z
  .object({
    records: count().meta({ description: 'Records that at least two people scored.' }),
    annotators: count(),
    kappa: z.number().nullable().meta({
      description: "Cohen's kappa (int: quadratic weights), where exactly two people scored.",
    }),
    alpha: z.number().nullable().meta({ description: "Krippendorff's alpha, interval." }),
  })
  .meta({ id: 'AnnotatorAgreement' });

export const metricSummary = z
  .object({
    metricId: id(),
    metricVersionId: id(),
    name: z.string(),
    evalType,
    outputType,
    passingThreshold: z.number().nullable().meta({
      description: "The version's own; a value from it on passes. Null for booleans.",
    }),
    count: count().meta({ description: 'Scores that carry a value.' }),
    failed: count(),
    mean: z.number().nullable(),
    passRate: z.number().nullable(),
    confidenceInterval: z
      .object({ low: z.number(), high: z.number(), level: z.number() })
      .nullable(),
    method: z.string().meta({ description: 'How the interval was made.' }),
    standardDeviation: z.number().nullable(),
    distribution: z.array(
      z.object({
        value: z.union([z.number(), z.boolean()]).optional(),
        low: z.number().optional(),
        high: z.number().optional(),
        count: count(),
      }),
    ),
    agreement: annotatorAgreement
      .optional()
      .meta({ description: 'Of a metric that asks for several annotators.' }),
  })
  .meta({ id: 'MetricSummary' });

/** A metric of a run as a list of runs shows it. */
export const metricResult = metricSummary
  .pick({
    metricId: true,
    metricVersionId: true,
    name: true,
    outputType: true,
    count: true,
    failed: true,
    passRate: true,
    mean: true,
    confidenceInterval: true,
  })
  .meta({ id: 'MetricResult', description: "A metric's result in a run." });
export type MetricResult = z.infer<typeof metricResult>;

export const runSummaries = z.object({
  items: z.array(z.object({ runId: id(), metrics: z.array(metricResult) })),
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
          failed: 1,
          passRate: 0.8,
          mean: 0.8,
          confidenceInterval: { low: 0.74, high: 0.85, level: 0.95 },
        },
      ],
    },
  ],
};
