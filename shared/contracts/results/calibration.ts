import { z } from 'zod';
import { count, reference } from '../fields.ts';
import { interval, verdict } from './inference.ts';

/** By whose scores the judges of runs are corrected. */
export const calibrateWith = z.union([
  z.literal('people').meta({ description: "People's scores of the judged metric itself." }),
  z.object({
    humanMetricId: reference().meta({
      description: 'A human metric of both runs, for judges of its output type.',
    }),
  }),
]);
export type CalibrateWith = z.infer<typeof calibrateWith>;

/** Labels below which nothing is told: by simulation, intervals hold the truth too seldom. */
export const labelsMin = 30;

const labels = count().meta({
  description: `Testcases that the judge and people scored. Below ${labelsMin} of them there are no figures.`,
});
const reason = z
  .string()
  .optional()
  .meta({ description: 'A sentence for people: why there are no figures.' });

export const calibratedComparison = z
  .object({
    difference: z.number().nullable().meta({
      description: 'The difference that people would have found in all testcases.',
    }),
    confidenceInterval: interval.nullable(),
    pValue: z
      .number()
      .nullable()
      .meta({ description: 'How often chance alone would give a difference at least as large.' }),
    adjustedPValue: z.number().nullable().meta({
      description:
        "Holm's correction over the metrics of this comparison, each with this p-value where it has one, else with that of its own scores.",
    }),
    verdict: verdict.meta({
      description: 'What the candidate is, by what people would have said.',
    }),
    labels,
    labelsWorth: count().nullable().meta({
      description: 'How many labels without a judge would give an interval as wide.',
    }),
    judgeBias: z
      .object({
        difference: z.number().nullable().meta({ description: 'Null without figures.' }),
        confidenceInterval: interval.nullable(),
      })
      .meta({
        description:
          "The judge's difference, over all that it scored, less the one that people would have found.",
      }),
    reason,
  })
  .meta({
    id: 'CalibratedComparison',
    description:
      "A judge's comparison corrected by people's scores, with prediction-powered inference (PPI++).",
  });
export type CalibratedComparison = z.infer<typeof calibratedComparison>;

export const calibratedSummary = z
  .object({
    mean: z
      .number()
      .nullable()
      .meta({ description: 'The mean that people would have given to all testcases.' }),
    passRate: z.number().nullable().meta({ description: 'Likewise the pass rate.' }),
    confidenceInterval: interval.nullable().meta({ description: 'Of the mean.' }),
    labels,
    labelsWereDrawn: z.boolean().meta({
      description: 'False where people chose themselves what they scored.',
    }),
    judgeBias: z
      .object({
        mean: z.number().nullable().meta({ description: 'Null without figures.' }),
        confidenceInterval: interval.nullable(),
      })
      .meta({
        description: "The judge's mean less the one that people would have given.",
      }),
    reason,
  })
  .meta({
    id: 'CalibratedSummary',
    description:
      "A judge's mean corrected by people's scores, with prediction-powered inference (PPI++).",
  });
export type CalibratedSummary = z.infer<typeof calibratedSummary>;
