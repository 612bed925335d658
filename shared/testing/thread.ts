import { BroadcastChannel } from 'node:worker_threads';
import { poll } from './poll.ts';

/** The environment of a thread, which calls it, has modules of its own: hence the global object. */
const globals = globalThis as { [endsKey]?: (() => Promise<void>)[] };
const endsKey = Symbol.for('assay.ends-of-thread');

/** On which threads tell the process that they share something, and that they have stopped it. */
const channelName = 'assay.threads';

/**
 * Returns a function that gives all files of a thread the same thing: the first call starts it, and
 * the end of the thread stops it. A start that fails is tried again by the next file.
 */
export function sharedInThread<Thing>(
  start: () => Promise<Thing>,
  stop: (thing: Thing) => Promise<void>,
): () => Promise<Thing> {
  let started: Promise<Thing> | undefined;
  return async () => {
    started ??= startOnce();
    try {
      return await started;
    } catch (error) {
      started = undefined;
      throw error;
    }
  };

  async function startOnce(): Promise<Thing> {
    const thing = await start();
    if (!globals[endsKey]) {
      globals[endsKey] = [];
      tell('shares');
    }
    globals[endsKey].push(() => stop(thing));
    return thing;
  }
}

/** Stops all that the files of this thread shared, the latest first. */
export async function endThread(): Promise<void> {
  const ends = globals[endsKey];
  if (!ends) return;
  delete globals[endsKey];
  try {
    for (const end of ends.reverse()) await end();
  } finally {
    tell('ended');
  }
}

function tell(word: 'shares' | 'ended'): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(word);
  channel.close();
}

/**
 * Counts the threads of this process that share something. Vitest does not wait for the end of a
 * thread before it stops the servers: `ended` resolves when all have ended.
 * @throws an error after half a minute, as when a thread was killed.
 */
export function watchThreads(): { ended: () => Promise<void> } {
  let sharing = 0;
  const channel = new BroadcastChannel(channelName);
  channel.unref();
  channel.onmessage = ({ data }: MessageEvent) => {
    sharing += data === 'shares' ? 1 : -1;
  };
  return {
    ended: async () => {
      await poll('the threads have stopped what they share', () => sharing === 0).finally(() =>
        channel.close(),
      );
    },
  };
}
