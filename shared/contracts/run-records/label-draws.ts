import { z } from 'zod';
import { operation } from '../define.ts';
import { count } from '../fields.ts';

/** Testcases that are drawn for one pair of runs. */
export const drawnTestcasesMax = 10_000;
/** Testcases that one request draws. */
export const drawnAtOnceMax = 1000;
/** Members to whom one request assigns records. */
export const assigneesAtOnceMax = 50;

export const drawnTestcase = z.object({
  testcaseId: z.string(),
  weight: z.number(),
  probability: z.number(),
  baselineRecordId: z.string(),
  candidateRecordId: z.string(),
});
export type DrawnTestcase = z.infer<typeof drawnTestcase>;

/** The testcases of two runs that were drawn for people to score by a human metric. */
const keptLabelDraw = z.object({
  baselineRunId: z.string(),
  candidateRunId: z.string(),
  /** The judge. */
  metricId: z.string(),
  humanMetricId: z.string(),
  /** Grows with every draw. */
  version: count(),
  /** The Idempotency-Keys of the last draws, or ids of their requests. */
  keyIds: z.array(z.string()),
  testcases: z.array(drawnTestcase).max(drawnTestcasesMax),
});
export type KeptLabelDraw = z.infer<typeof keptLabelDraw>;

export const labelDrawOperations = {
  streamLabelDraws: operation({
    method: 'POST',
    path: '/internal/label-draws/find',
    summary: 'What was drawn for people of one judge in some runs, a line each pair of runs',
    access: 'service',
    body: z.object({ runIds: z.array(z.string()).max(2), metricId: z.string() }),
    replyStreams: ['application/x-ndjson'],
    line: keptLabelDraw,
    status: 200,
  }),
  saveLabelDraw: operation({
    method: 'POST',
    path: '/internal/label-draws',
    summary:
      'Keep a draw unless another has been kept since the one it goes on from, and ask people to score its new records; for the results service',
    access: 'service',
    takesLong: true,
    body: z.object({
      draw: keptLabelDraw,
      recordIds: z.object({
        baseline: z.array(z.string()).max(drawnAtOnceMax),
        candidate: z.array(z.string()).max(drawnAtOnceMax),
      }),
      assigneeUserIds: z.array(z.string()).max(assigneesAtOnceMax),
    }),
    bodyBytesMax: 15 * 1024 * 1024,
    reply: z.object({ isKept: z.boolean() }),
    status: 200,
  }),
};
