import type { Identity } from '@assay/contracts/define';
import type { DeletedTestset, Store } from '../store.ts';

/** Longer than any write can be under way that saw the testset before it was deleted. */
export const settledMs = 5 * 60_000;
const intervalMs = 60_000;

interface Parts {
  store: Pick<Store, 'markDeletedTestset' | 'deletedTestsets' | 'unmarkDeletedTestset' | 'deleteTestcasesOf'>;
  clock: () => number;
  log: { warn: (what: object, message: string) => void };
}

export type Forgetting = ReturnType<typeof createForgetting>;

/**
 * Removes the testcases of deleted testsets, which nobody can see any more. A deleted testset is marked, and swept until no write can
 * still add to it; so neither a crash in the middle nor a creation that was under way leaves anything behind.
 */
export function createForgetting({ store, clock, log }: Parts) {
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  const timer = setInterval(nudge, intervalMs);

  async function sweepTestset({ id, organizationId, deletedAt }: DeletedTestset): Promise<void> {
    const isSettled = clock() - deletedAt.getTime() > settledMs;
    await store.deleteTestcasesOf(organizationId, id);
    if (isSettled) await store.unmarkDeletedTestset(id);
  }

  async function sweep(): Promise<void> {
    do {
      again = false;
      for await (const testset of store.deletedTestsets()) {
        if (stopped) return;
        await sweepTestset(testset);
      }
    } while (again);
  }

  function nudge(): void {
    again = true;
    if (running || stopped) return;
    running = sweep()
      .catch((error) => log.warn({ err: error }, 'forgetting deleted testsets will be tried again'))
      .finally(() => {
        running = undefined;
      });
  }

  return {
    /** Safe to run twice. Returns when the deletion can no longer be lost; the work goes on in the background. */
    async forgetTestset({ organizationId }: Identity, id: string): Promise<void> {
      await store.markDeletedTestset({ id, organizationId, deletedAt: new Date(clock()) });
      nudge();
    },
    nudge,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
