import { z } from 'zod';
import { operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { id } from '../fields.ts';
import { exampleScore, missingScore, score } from './score.ts';

/** Records of one trace that are told, and of a page of traces together. */
export const linkedRecordsMax = 20;
export const linkedRecordsOfPageMax = 500;

const metricOutcome = z
  .object({
    metricId: id(),
    metricConfigId: id(),
    name: z.string().meta({ description: 'The name of the metric, as the run has it.' }),
    outcome: z.enum(['pass', 'fail', 'pending', 'awaited', 'failed', 'stopped', 'unfit']).meta({
      description:
        'Whether the value passes, or why there is none; `unfit` where it does not fit the metric.',
    }),
    value: z
      .union([z.boolean(), z.number()])
      .nullable()
      .meta({ description: 'The value of the score; null without one.' }),
  })
  .meta({ id: 'MetricOutcome' });

/** A record that names a trace, without its payloads. */
export const linkedRecord = z
  .object({
    id: id(),
    runId: id(),
    runName: z
      .string()
      .nullable()
      .meta({ description: 'The name of its run; null where it has none.' }),
    otelLinkId: z.string(),
    outcomes: z.array(metricOutcome).meta({
      description: 'Of each metric of the run, in its order; where it does not apply, none.',
    }),
    scores: z
      .array(score)
      .optional()
      .meta({ description: 'As the record has them; only where a single trace is read.' }),
    missingScores: z
      .array(missingScore)
      .optional()
      .meta({ description: 'The same; only where a single trace is read.' }),
  })
  .meta({
    id: 'LinkedRecord',
    description: 'A record that names a trace by its `otelLinkId`.',
    examples: [
      {
        id: exampleIds.record,
        runId: exampleIds.run,
        runName: 'Answers of the support bot 2026-03-01',
        otelLinkId: exampleIds.trace,
        outcomes: [
          {
            metricId: exampleIds.metric,
            metricConfigId: exampleIds.metricVersion,
            name: 'Polite',
            outcome: 'pass' as const,
            value: true,
          },
        ],
        scores: [exampleScore],
        missingScores: [],
      },
    ],
  });
export type LinkedRecord = z.infer<typeof linkedRecord>;

/** How traces find the records that name them. */
export const linkedRecordOperations = {
  readLinkedRecords: operation({
    method: 'POST',
    path: '/internal/linked-records',
    summary:
      'The newest records with one of these as their `otelLinkId`, with or without the scores themselves; for the traces service',
    access: 'service',
    // Traces are read without them, and at once.
    timeoutMs: 2000,
    body: z.object({
      linkIds: z.array(z.string()).max(10_000),
      limit: z.int().min(1).max(linkedRecordsOfPageMax),
      withScores: z.boolean(),
    }),
    bodyBytesMax: 16 * 1024 * 1024,
    reply: z.object({ records: z.array(linkedRecord) }),
    status: 200,
  }),
};
