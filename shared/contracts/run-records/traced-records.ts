import { z } from 'zod';
import { operation } from '../define.ts';
import { id } from '../fields.ts';
import { payloads, recordBytesMax } from './record.ts';
import { systemError } from './system-error.ts';
import { recordMetadata, recordMetrics } from './system-metrics.ts';

/** A record that is made of a trace. */
const tracedRecord = z.object({
  traceId: z.string(),
  ...payloads,
  /** Why the system gave no answer; left out by 0.2.0. */
  error: systemError.optional(),
  sessionId: z.string().optional(),
  tags: z.array(z.string()),
  metrics: recordMetrics,
  metadata: recordMetadata(),
});

/** Bytes of the records of one call; one record has as many at most. */
export const tracedBytesMax = recordBytesMax;

/** How traces become records: for the traces service. */
export const tracedRecordOperations = {
  openMonitoredRun: operation({
    method: 'POST',
    path: '/internal/monitored-runs',
    summary: "Create the run of a monitor's day, unless it is there; for the traces service",
    access: 'service',
    body: z.object({
      id: id(),
      projectId: z.string(),
      name: z.string(),
      metricIds: z.array(z.string()),
      budgetUsd: z.number().nullable(),
    }),
    reply: z.object({}),
    status: 200,
  }),
  createTracedRecords: operation({
    method: 'POST',
    path: '/internal/traced-records',
    summary: 'Create records of traces, once in a run each; for the traces service',
    access: 'service',
    body: z.object({ runId: z.string(), records: z.array(tracedRecord).max(100) }),
    bodyBytesMax: tracedBytesMax + 1024 * 1024,
    reply: z.object({ records: z.array(z.object({ recordId: id(), created: z.boolean() })) }),
    status: 200,
  }),
};
