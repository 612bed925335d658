import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from './client.ts';
import { fillRun } from './fill-run.ts';
import { recordBody } from './records.ts';

const lookEveryMs = 100;
/** Longer than any of these runs takes: whatever is not scored by then never will be. */
const patienceMs = 180_000;

export interface WaitingRun {
  projectId: string;
  runId: string;
  count: number;
}

/**
 * A run of one metric with records that wait for their scores. It is paused, so that nobody scores
 * before it is resumed.
 */
export async function createWaitingRun({
  call,
  uri,
  database,
  metric,
  count,
}: {
  call: Call;
  uri: string;
  database: string;
  metric: object;
  count: number;
}): Promise<WaitingRun> {
  const { id: projectId } = await call('POST', '/projects', { name: 'Scoring', description: '' });
  const { id: metricId } = await call('POST', `/projects/${projectId}/metrics`, metric);
  const { id: runId } = await call('POST', `/projects/${projectId}/runs`, {
    metricIds: [metricId],
    // The records are all the same: a judge would be asked about one of them.
    cache: 'bypass',
  });
  await call('POST', `/runs/${runId}/pause`);
  await fillRun({ uri, database, call, runId, count, body: recordBody });
  return { projectId, runId, count };
}

/**
 * Resumes the run and waits until it is completed: how long that took, in milliseconds.
 * @throws where not every record has its score, by the run's account and by a look at the records
 * themselves.
 */
export async function scoreAll(call: Call, { runId, count }: WaitingRun): Promise<number> {
  const startMs = performance.now();
  await call('POST', `/runs/${runId}/resume`);
  for (;;) {
    const { status, scoring } = await call('GET', `/runs/${runId}`);
    const tookMs = performance.now() - startMs;
    if (status !== 'completed' && tookMs < patienceMs) {
      await pause(lookEveryMs);
      continue;
    }
    const { metrics } = await call('GET', `/runs/${runId}/summary`);
    const counts = [
      scoring.expected,
      scoring.scored,
      scoring.scored + scoring.failed + scoring.pending,
      metrics[0].count,
    ];
    if (counts.some((one) => one !== count))
      throw new Error(
        `Of ${count} records not every one was scored: ${JSON.stringify({ status, scoring, inSummary: metrics[0].count })}`,
      );
    return tookMs;
  }
}
