import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { count, id, timestamp } from '../fields.ts';

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
    costUsd: z.number().meta({
      description:
        'What the judges of this run cost so far, in US dollars; what is scored anew costs anew.',
    }),
    budgetUsd: z
      .number()
      .nullable()
      .meta({ description: 'Past it, judges are not asked any more.' }),
    isPaused: z.boolean(),
  })
  .meta({
    id: 'Run',
    description: 'One evaluation of one system version.',
    examples: [exampleRun],
  });
export type Run = z.infer<typeof run>;
