import { z } from 'zod';
import { question } from '../define.ts';
import { count } from '../fields.ts';
import { verdict } from './inference.ts';
import { runResults } from './summary.ts';

const lookReply = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('compared'),
    pairs: count(),
    verdict,
    /** Whether the testcases that are still to be scored can decide it. */
    canDecide: z.boolean(),
  }),
  /** A run was deleted, or the baseline has no such metric any more. */
  z.object({ outcome: z.literal('not comparable') }),
]);
export type Look = z.infer<typeof lookReply>;

export const resultsQuestions = {
  recordCost: question({
    summary:
      'What the judges of a record are estimated to cost, as in a plan: a score of each of these metrics, by what they cost in the pilot run, or else by the prices of their models',
    payload: z.object({
      projectId: z.string(),
      metricIds: z.array(z.string()),
      pilotRunId: z.string().nullable(),
    }),
    /** US dollars; null where a price is not known. */
    reply: z.object({ costUsd: z.number().nullable() }),
    timeoutMs: 10_000,
  }),
  runResults: question({
    summary:
      'The results of a run as `POST /run-summaries` gives them, also by the metrics of its records; asked when the run has changed, and before it expires',
    payload: z.object({ runId: z.string() }),
    reply: runResults,
    /** The run is read whole, maybe after others of its organization. */
    timeoutMs: 120_000,
  }),
  forgetRun: question({
    summary: 'Remove what is kept of a run, whose records are being removed',
    payload: z.object({ runId: z.string() }),
    reply: z.object({}),
    timeoutMs: 5000,
  }),
  look: question({
    summary: 'What the scores so far say about one metric of two runs, by figures for any look',
    payload: z.object({
      baselineRunId: z.string(),
      candidateRunId: z.string(),
      metricId: z.string(),
      level: z.number(),
    }),
    reply: lookReply,
    /** Both runs are read whole. */
    timeoutMs: 30_000,
  }),
};
