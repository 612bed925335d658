import { z } from 'zod';
import { exampleIds } from '../examples.ts';
import { count, reference } from '../fields.ts';
import { outputType } from '../metrics.ts';
import { systemMetricsInWords } from '../run-records/system-metrics.ts';
import { confidenceLevel, errorsCounting } from './inference.ts';

/** The most testcases and repeats that a plan proposes. */
export const plannedTestcasesMax = 10_000_000;
export const plannedRepeatsMax = 100;

/** The largest differences of latencies, tokens and costs. */
const measuredMax = 1e12;

export const planBody = z.object({
  metricId: reference().meta({ description: `A metric's id. ${systemMetricsInWords}` }),
  difference: z.number().gt(0).lte(measuredMax).meta({
    description:
      "The size of the difference that is to be found, in the metric's own unit: 0.05 of a pass rate is five points of a hundred. No more than the scale of a metric is long.",
  }),
  power: z.number().gte(0.5).lte(0.999).default(0.8).meta({
    description: 'How often a comparison is to find it.',
  }),
  level: confidenceLevel('The confidence of the verdict.'),
  errors: errorsCounting,
  pilotRunId: reference().optional().meta({
    description: 'A run with scores of the metric, from which the plan takes how much these vary.',
  }),
  pilotBaselineRunId: reference().optional().meta({
    description:
      'Beside `pilotRunId`, a run of another version on the same testset: the two show how much changes from one version to another.',
  }),
  baselineMean: z.number().gte(0).lte(1).optional().meta({
    description: 'For booleans, in place of a pilot: the pass rate of the version there is.',
  }),
  changeRate: z.number().gt(0).lte(1).optional().meta({
    description:
      'For booleans, beside `baselineMean`: the share of testcases whose result changes from one version to the other, in either direction.',
  }),
  standardDeviation: z.number().gt(0).lte(measuredMax).optional().meta({
    description:
      'For numbers, in place of a pilot: the standard deviation of the differences of the two versions by testcase.',
  }),
  testsetId: reference().optional().meta({
    description: 'The testset that there is; that of the pilot when left out.',
  }),
});

export const plan = z
  .object({
    metricId: z.string(),
    name: z.string(),
    outputType,
    testcases: count().nullable().meta({
      description: 'The fewest that reach the power; null with a `reason`.',
    }),
    repeats: count().meta({
      description:
        'Records of each testcase. 1, since a record of a new testcase tells at least as much as a repeat.',
    }),
    votes: count().nullable().meta({
      description: "The metric's own votes of its judge; null without a judge.",
    }),
    costUsd: z.number().nullable().meta({
      description:
        'What the judge costs for one run of this plan, in US dollars: a comparison has two. 0 for heuristic metrics; null where it is not known, and for people.',
    }),
    reason: z.string().optional().meta({ description: 'Why there is no number of testcases.' }),
    withThisTestset: z
      .object({
        testcases: count().meta({ description: 'Testcases that it has.' }),
        detectableDifference: z.number().nullable().meta({
          description:
            'What its testcases, with one record each, find with this power; null where they find none.',
        }),
        power: z.number().nullable().meta({
          description: 'How often they find the difference, with one record each.',
        }),
        repeats: count().nullable().meta({
          description: 'The fewest records of each with which they reach the power.',
        }),
        costUsd: z.number().nullable().meta({ description: 'For one run with these repeats.' }),
        reason: z.string().optional().meta({ description: 'Why no repeats reach the power.' }),
      })
      .nullable()
      .meta({ description: 'Null without a testset.' }),
    assumptions: z.array(z.string()).meta({
      description: 'What the plan takes for granted, in sentences for people.',
    }),
  })
  .meta({
    id: 'Plan',
    description: 'How many testcases find a difference, and what their scores cost.',
  });
export type Plan = z.infer<typeof plan>;

export const examplePlanBody = {
  metricId: exampleIds.metric,
  difference: 0.05,
  baselineMean: 0.8,
  changeRate: 0.2,
};

export const examplePlan: Plan = {
  metricId: exampleIds.metric,
  name: 'Correct',
  outputType: 'boolean',
  testcases: 622,
  repeats: 1,
  votes: null,
  costUsd: 0,
  withThisTestset: null,
  assumptions: [
    'The result of 20.0 % of the testcases changes between the two versions, as given.',
    "The metric is compared alone: where several are, Holm's correction takes more testcases.",
  ],
};
