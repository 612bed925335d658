import type { Log } from '@assay/runtime/log';
import { after, claimMs, uploadMs } from './domain/lifetimes.ts';
import type { ContentAddress, Storage } from './storage/content.ts';
import type { Store } from './store.ts';

const everyMs = 10 * 60_000;
const retryMs = 60_000;
const batch = 100;

interface Dependencies {
  store: Store;
  storage: Storage;
  clock: () => Date;
  log: Log;
}

export interface Sweep {
  /** Checks the content that is due and removes abandoned uploads, once. */
  run(): Promise<void>;
  /** Runs at once and then every ten minutes. */
  start(): void;
  /** Runs at once, or after the run in progress. */
  wake(): void;
  stop(): Promise<void>;
}

/** Removes the bytes that nothing refers to any more, and the uploads that nobody finished. */
export function createSweep({ store, storage, clock, log }: Dependencies): Sweep {
  /**
   * The first write takes the content's document: a declaration of the same content waits until the
   * bytes are gone, and one that came first makes this transaction start anew and see it.
   */
  function settle(address: ContentAddress): Promise<void> {
    return store.transaction(async () => {
      const { isCommitted, declaredUntil } = await store.findContentUse(address);
      const claimedUntil = declaredUntil && after(declaredUntil, claimMs);
      if (isCommitted) await store.keepContent(address);
      else if (claimedUntil && claimedUntil > clock())
        await store.checkContent(address, claimedUntil);
      else if (await store.forgetContent(address)) await storage.remove(address);
    });
  }

  async function run(): Promise<void> {
    for (;;) {
      const due = await store.listContentsToCheck(clock(), batch);
      for (const address of due) await settle(address).catch((error) => postpone(address, error));
      if (due.length < batch) break;
    }
    await storage.removeAbandoned(after(clock(), -(uploadMs + claimMs)));
  }

  async function postpone(address: ContentAddress, error: unknown): Promise<void> {
    log.warn({ err: error, ...address }, 'removing content will be tried again');
    await store.checkContent(address, after(clock(), retryMs));
  }

  return {
    run,
    ...createRhythm(() =>
      run().catch((error) => log.warn({ err: error }, 'sweeping will be tried again')),
    ),
  };
}

/** Runs `work` at its times, never twice at once. */
function createRhythm(work: () => Promise<void>): Omit<Sweep, 'run'> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  function wake(): void {
    again = true;
    if (!stopped) running ??= repeat();
  }

  async function repeat(): Promise<void> {
    while (again && !stopped) {
      again = false;
      await work();
    }
    running = undefined;
  }

  return {
    wake,
    start() {
      timer = setInterval(wake, everyMs);
      wake();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
