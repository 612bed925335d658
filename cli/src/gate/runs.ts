import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@assay/client/client';
import type { ReplyOf } from '@assay/client/operations';
import { CannotTell } from './failure.ts';

/** The figures of one metric version in a run's summary. */
export type MetricSummary = ReplyOf<'GET', '/runs/:runId/summary'>['metrics'][number];

/** One of the two runs to compare, with its role and the figures of its metrics. */
export interface Side {
  role: 'baseline' | 'candidate';
  runId: string;
  metrics: MetricSummary[];
}

type Run = Pick<
  ReplyOf<'GET', '/runs/:runId'>,
  'numRecords' | 'numExpectedRecords' | 'isPaused'
> & { scoring: { pending: number } };

interface Patience {
  waitMs: number;
  /** Ends the wait: the other run cannot be compared. */
  signal: AbortSignal;
}

const pollMs = 1_000;

/** Reads a run when all of its records and scores are there, after `waitMs` at most. */
export async function readSide({
  client,
  role,
  runId,
  humanMetric,
  ...patience
}: {
  client: Client;
  role: Side['role'];
  runId: string;
  /** The name or id of the metric of people that corrects judges: some of its scores are enough. */
  humanMetric: string | undefined;
} & Patience): Promise<Side> {
  const params = { runId };
  const readMetrics = async () =>
    (await client.request('GET', '/runs/:runId/summary', { params })).metrics;
  const read = async (): Promise<Run> => {
    const run = await client.request('GET', '/runs/:runId', { params });
    if (humanMetric === undefined || run.scoring.pending === 0) return run;
    const labels = (await readMetrics()).findLast(
      ({ metricId, name, evalType }) =>
        evalType === 'human' && (metricId === humanMetric || name === humanMetric),
    );
    const missing = labels ? run.numRecords - labels.records - labels.failed : 0;
    return { ...run, scoring: { pending: Math.max(0, run.scoring.pending - missing) } };
  };
  await awaitCompletion({ read, role, ...patience });
  return { role, runId, metrics: await readMetrics() };
}

async function awaitCompletion({
  read,
  role,
  waitMs,
  signal,
}: { read: () => Promise<Run>; role: Side['role'] } & Patience): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const missing = missingOf(await read());
    if (missing === undefined) return;
    if (performance.now() >= deadline) {
      const advice =
        waitMs === 0 ? 'wait for them with --wait SECONDS' : `${waitMs / 1000} s were not enough`;
      throw new CannotTell(`${missing} of the ${role} run: ${advice}.`);
    }
    await pause(Math.min(pollMs, Math.max(0, deadline - performance.now())), undefined, { signal });
  }
}

/**
 * Returns the records or scores that a comparison would leave out. Missing records count too:
 * testcases on which a system fails are rarely the easy ones.
 */
function missingOf({
  numRecords,
  numExpectedRecords: expected,
  isPaused,
  scoring: { pending },
}: Run): string | undefined {
  if (expected !== null && numRecords < expected)
    return `${countOf(expected - numRecords, 'record')} missing`;
  if (pending > 0)
    return `${countOf(pending, 'score')} pending${isPaused ? ' (scoring is paused)' : ''}`;
  return undefined;
}

const countOf = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
