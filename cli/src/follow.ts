import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@assay/client/client';
import { readEvents, type ServerEvent } from '@assay/client/events';
import type { Server } from './connection.ts';
import { proxiedFetch } from './proxied-fetch.ts';

const againMs = 1000;

/**
 * The events of a run up to `completed`. Where a connection breaks, the next one resumes after the last
 * event.
 * @throws RequestFailure where the run cannot be read any more.
 */
export async function* followRun({
  client,
  server: { url, key },
  runId,
  signal,
}: {
  client: Client;
  server: Pick<Server, 'url' | 'key'>;
  runId: string;
  signal: AbortSignal;
}): AsyncGenerator<ServerEvent> {
  let lastEventId: string | undefined;
  for (;;) {
    try {
      for await (const event of readEvents({
        url: `${url}/runs/${runId}/events`,
        key,
        lastEventId,
        signal,
        fetch: proxiedFetch(),
      })) {
        lastEventId = event.id ?? lastEventId;
        yield event;
        if (event.event === 'completed') return;
      }
    } catch (error) {
      if (signal.aborted) throw error;
    }
    // A refusal is told by this request, which is tried as long as any other.
    await client.request('GET', '/runs/:runId', { params: { runId } });
    await pause(againMs, undefined, { signal });
  }
}
