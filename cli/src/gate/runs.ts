import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@assay/client/client';
import type { ReplyOf } from '@assay/client/operations';
import type { MetricSummary, RunSummary } from '@assay/comparison/gate/gate';
import type { Question } from './arguments.ts';

/** One of the two runs to compare, with its role and the figures of its metrics. */
export interface Side {
  role: 'baseline' | 'candidate';
  runId: string;
  summary: RunSummary;
  metrics: MetricSummary[];
  /** Names the records and scores that are still to come; undefined where none are. */
  incomplete: string | undefined;
}

type Run = ReplyOf<'GET', '/runs/:runId'>;

interface Patience {
  waitMs: number;
  /** Ends the wait: the other run cannot be compared. */
  signal: AbortSignal;
}

const pollMs = 1_000;

/** Reads a run when all of its records and scores are there, or as it is after `waitMs`. */
export async function readSide({
  client,
  role,
  runId,
  question,
  waitMs,
  signal,
}: {
  client: Client;
  role: Side['role'];
  runId: string;
  question: Pick<Question, 'metrics' | 'errors' | 'limits'>;
} & Patience): Promise<Side> {
  const params = { runId };
  const { errors, limits, metrics: named } = question;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const run = await client.request('GET', '/runs/:runId', { params });
    const summary = await client.request('GET', '/runs/:runId/summary', {
      params,
      query: { errors, minPasses: limits.minPasses ?? 0 },
    });
    const missing = missingOf(run, awaitedOfPeople(run, summary, named));
    if (missing === undefined || performance.now() >= deadline) {
      const advice =
        waitMs === 0 ? 'wait for them with --wait SECONDS' : `${waitMs / 1000} s were not enough`;
      const incomplete =
        missing === undefined ? undefined : `${missing} of the ${role} run: ${advice}.`;
      return { role, runId, summary, metrics: summary.metrics, incomplete };
    }
    await pause(Math.min(pollMs, Math.max(0, deadline - performance.now())), undefined, { signal });
  }
}

/** The scores that people have still to give by metrics that nobody named: none waits for them. */
function awaitedOfPeople(
  { numRecords }: Run,
  { metrics }: RunSummary,
  named: readonly string[],
): number {
  return metrics
    .filter(
      ({ evalType, metricId, name }) =>
        evalType === 'human' && !named.includes(metricId) && !named.includes(name),
    )
    .reduce(
      (sum, { missing = 0, expected = numRecords }) => sum + missing - (expected - numRecords),
      0,
    );
}

/** Returns the records or scores that are still to come. */
function missingOf(
  { numRecords, numExpectedRecords: expected, isPaused, scoring }: Run,
  ofPeople: number,
): string | undefined {
  if (expected !== null && numRecords < expected)
    return `${countOf(expected - numRecords, 'record')} missing`;
  const pending = scoring.pending - ofPeople;
  if (pending > 0)
    return `${countOf(pending, 'score')} pending${isPaused ? ' (scoring is paused)' : ''}`;
  return undefined;
}

const countOf = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
