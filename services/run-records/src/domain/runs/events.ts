import type { Identity, StreamReply } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { Runs } from './runs.ts';

/** How often a run that clients watch is read, in ms. */
const lookMs = 500;
/**
 * The silence after which a stream sends a comment, in ms: proxies close a connection that is
 * silent for a minute.
 */
const silenceMs = 15_000;
/** How long clients wait before they connect again. */
const reconnectMs = 1000;

type Progress = Awaited<ReturnType<Runs['progress']>>;

/**
 * A run's progress as server-sent events. An event's id is the run's count of changes, which all
 * processes share and which outlives them: a client that reconnects with it, through any gateway,
 * gets the changes since then, and none twice.
 */
export function createRunEvents({ runs, signal }: { runs: Runs; signal: AbortSignal }) {
  const looks = new Map<string, Promise<Progress>>();
  // One listener ends all pauses: of an eleventh, Node.js would warn as of a leak.
  const pauses = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const end of pauses) end();
  });

  /** Streams of the same run share a read; a new stream does a read of its own. */
  function look(identity: Identity, runId: string, isFirst: boolean): Promise<Progress> {
    const key = `${identity.organizationId}/${runId}`;
    const shared = looks.get(key);
    if (shared && !isFirst) return shared;
    const own = runs.progress(identity, runId);
    looks.set(key, own);
    setTimeout(() => looks.delete(key), lookMs / 2).unref();
    return own;
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      pauses.add(end);
    });
  }

  async function* follow(
    identity: Identity,
    runId: string,
    lastEventId: string | undefined,
  ): AsyncIterable<string> {
    let seen = lastEventId;
    let silentSince = performance.now();
    let isFirst = true;
    yield `retry: ${reconnectMs}\n\n`;
    while (!signal.aborted) {
      const progress = await look(identity, runId, isFirst).catch(unlessGone);
      if (!progress) return;
      const { changes, isCompleted, account } = progress;
      isFirst = false;
      const id = String(changes);
      const lastId = `${id}-completed`;
      if (seen !== id && seen !== lastId) {
        yield toEvent({ event: 'progress', id, data: account });
        silentSince = performance.now();
        seen = id;
      }
      if (isCompleted && seen === id) {
        yield toEvent({ event: 'completed', id: lastId, data: account });
        return;
      }
      if (performance.now() - silentSince >= silenceMs) {
        yield ': nothing new\n\n';
        silentSince = performance.now();
      }
      await pause(lookMs);
    }
  }

  return {
    async stream(
      identity: Identity,
      runId: string,
      lastEventId: string | undefined,
    ): Promise<StreamReply> {
      await runs.shownRunOf(identity, runId);
      return {
        contentType: 'text/event-stream; charset=utf-8',
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        stream: follow(identity, runId, lastEventId),
      };
    },
  };
}

/** Ends the stream of a run that is deleted. A client that reconnects is answered NOT_FOUND. */
function unlessGone(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'NOT_FOUND') return undefined;
  throw error;
}

const toEvent = ({ event, id, data }: { event: string; id: string; data: object }): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
