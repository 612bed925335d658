import { createDueWork } from '@assay/runtime/concurrency/due-work';
import { createRepeated } from '@assay/runtime/concurrency/repeated';
import type { Log } from '@assay/runtime/log';
import { after, claimMs, uploadMs } from './domain/lifetimes.ts';
import type { ContentAddress, Storage } from './storage/content.ts';
import type { Store } from './store.ts';

const everyMs = 10 * 60_000;
const retryMs = 60_000;
/** Contents of one organization, after which another's turn comes. */
const batch = 100;

interface Dependencies {
  store: Store;
  storage: Storage;
  clock: () => Date;
  log: Log;
}

/** Removes the bytes that nothing refers to any more, and the uploads that nobody finished. */
export function createSweep({ store, storage, clock, log }: Dependencies) {
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

  async function settleDue(organizationId: string): Promise<boolean> {
    const due = await store.listContentsToCheck(organizationId, clock(), batch);
    for (const address of due) await settle(address).catch((error) => postpone(address, error));
    return due.length === batch;
  }

  async function postpone(address: ContentAddress, error: unknown): Promise<void> {
    log.warn({ err: error, ...address }, 'removing content will be tried again');
    await store.checkContent(address, after(clock(), retryMs));
  }

  const failure = 'sweeping will be tried again';
  const contents = createDueWork({
    organizations: () => store.organizationsToCheck(clock()),
    work: settleDue,
    failure,
    log,
    everyMs,
  });
  const removeAbandoned = () => storage.removeAbandoned(after(clock(), -(uploadMs + claimMs)));
  const uploads = createRepeated({ work: removeAbandoned, everyMs, failure, log });

  return {
    /** Checks the contents that are due and removes abandoned uploads, once. */
    async run(): Promise<void> {
      await contents.run();
      await removeAbandoned();
    },
    /** Runs at once and then every ten minutes. */
    start(): void {
      contents.start();
      uploads.start();
    },
    /** Checks the contents of an organization that are due. */
    wake: contents.wake,
    async stop(): Promise<void> {
      await Promise.all([contents.stop(), uploads.stop()]);
    },
  };
}
