import { setTimeout as pause } from 'node:timers/promises';
import { readEvents } from '@assay/client/events';
import type { ReplyOf } from '@assay/client/operations';
import { AssayError } from './failure.ts';
import type { Server } from './server.ts';

/** A run as the service reports it. */
export type Run = ReplyOf<'GET', '/runs/:runId'>;

const pollMs = 1_000;
/** Events come at each change: without one, the run is read seldom. */
const quietMs = 10_000;

/**
 * Waits until the service has made all of its scores, by the run's events, and by polling while
 * there are none. Scores of people and of other programs are not waited for.
 * @throws AssayError where somebody paused the run.
 */
export async function awaitScores({
  server,
  runId,
  onProgress,
}: {
  server: Server;
  runId: string;
  onProgress: (run: Run) => void;
}): Promise<Run> {
  const ending = new AbortController();
  const changes = watch(server, runId, ending.signal);
  try {
    for (;;) {
      const changed = changes.next();
      const run = await server.client.request('GET', '/runs/:runId', { params: { runId } });
      onProgress(run);
      if (await hasItsScores(server, run)) return run;
      if (run.isPaused)
        throw new AssayError(
          'The run is paused, so its scores do not come: resume it in the console, or by this script.',
        );
      await changed;
    }
  } finally {
    ending.abort();
  }
}

/** Whether all is there that the service makes: people and programs may still have to score. */
async function hasItsScores({ client }: Server, run: Run): Promise<boolean> {
  if (run.scoring.pending === 0 || run.status === 'awaiting_human_scoring') return true;
  // Of a run without some of its records, the status does not tell who has to score.
  if (run.status !== 'running_execution') return false;
  for (const metricVersionId of run.metricVersionIds) {
    const { data } = await client.request('GET', '/runs/:runId/records', {
      params: { runId: run.id },
      query: { metricVersionId, outcome: 'pending', limit: 1, preview: 0 },
    });
    if (data.length > 0) return false;
  }
  return true;
}

/** Follows the events of a run; `next` resolves at the next one, or when it is time to look. */
function watch({ apiUrl, key, fetch }: Server, runId: string, signal: AbortSignal) {
  let lastEventId: string | undefined;
  let isConnected = false;
  let wake: () => void = () => undefined;

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const url = `${apiUrl}/runs/${runId}/events`;
        for await (const event of readEvents({ url, key, lastEventId, signal, fetch })) {
          isConnected = true;
          lastEventId = event.id ?? lastEventId;
          wake();
        }
      } catch {
        // The run itself is read as long as its events do not come.
      }
      isConnected = false;
      await pause(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
  void follow();

  async function next(): Promise<void> {
    const ending = new AbortController();
    const event = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = pause(isConnected ? quietMs : pollMs, undefined, {
      // A timer that nobody waits for any more would keep the process alive.
      signal: AbortSignal.any([ending.signal, signal]),
    });
    await Promise.race([event, timer.catch(() => undefined)]);
    ending.abort();
  }
  return { next };
}
