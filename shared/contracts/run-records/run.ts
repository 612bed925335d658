import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { count, id, timestamp } from '../fields.ts';
import { outputType } from '../metrics.ts';

export const runSource = z.enum(['API', 'Monitor', 'Playground', 'Kickoff']);
export const runStatus = z.enum([
  'pending',
  'awaiting_execution',
  'running_execution',
  'awaiting_scoring',
  'running_scoring',
  'awaiting_human_scoring',
  'completed',
]);
export type RunStatus = z.infer<typeof runStatus>;

/** A run's accounts: `expected = scored + failed + pending` at every read. */
export const scoringAccount = z
  .object({ expected: count(), scored: count(), failed: count(), pending: count() })
  .meta({ id: 'ScoringAccount' });

const exampleRun = {
  id: exampleIds.run,
  testsetId: exampleIds.testset,
  systemId: exampleIds.system,
  systemVersionId: exampleIds.systemVersion,
  metricIds: [exampleIds.metric],
  metricVersionIds: [exampleIds.metricVersion],
  numRecords: 200,
  numExpectedRecords: 200,
  numScores: 199,
  status: 'completed',
  source: 'API',
  createdAt: exampleInstant,
  scoring: { expected: 200, scored: 199, failed: 1, pending: 0 },
  costUsd: 0,
  budgetUsd: null,
  isPaused: false,
};

export const run = z
  .object({
    id: id(),
    testsetId: id().nullable(),
    systemId: id().nullable(),
    systemVersionId: id().nullable(),
    metricIds: z.array(id()),
    metricVersionIds: z.array(id()),
    numRecords: count(),
    numExpectedRecords: count().nullable(),
    numScores: count(),
    status: runStatus.meta({ description: 'Computed from progress, never set.' }),
    source: runSource,
    createdAt: timestamp(),
    scoring: scoringAccount,
    costUsd: z.number().meta({ description: 'What the judges of this run cost so far, in US dollars; what is scored anew costs anew.' }),
    budgetUsd: z.number().nullable().meta({ description: 'Past it, judges are not asked any more.' }),
    isPaused: z.boolean(),
  })
  .meta({ id: 'Run', description: 'One evaluation of one system version.', examples: [exampleRun] });
export type Run = z.infer<typeof run>;

/** How far people who scored the same records agree; null without two that scored the same one. */
export const annotatorAgreement = z
  .object({
    records: count().meta({ description: 'Records that at least two people scored.' }),
    annotators: count(),
    kappa: z.number().nullable().meta({ description: "Cohen's kappa (int: quadratic weights), where exactly two people scored." }),
    alpha: z.number().nullable().meta({ description: "Krippendorff's alpha, interval." }),
  })
  .meta({ id: 'AnnotatorAgreement' });

export const metricSummary = z
  .object({
    metricId: id(),
    metricVersionId: id(),
    name: z.string(),
    outputType,
    count: count().meta({ description: 'Scores that carry a value.' }),
    failed: count(),
    mean: z.number().nullable(),
    passRate: z.number().nullable(),
    confidenceInterval: z.object({ low: z.number(), high: z.number(), level: z.number() }).nullable(),
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
    agreement: annotatorAgreement.optional().meta({ description: 'Of a metric that asks for several annotators.' }),
  })
  .meta({ id: 'MetricSummary' });
