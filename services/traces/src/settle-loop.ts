import type { Log } from '@assay/runtime/log';
import type { Settling } from './domain/settling.ts';

const everyMs = 1000;

/** Settles the traces that are due, every second and until none is. */
export function createSettleLoop({ settling, log }: { settling: Settling; log: Log }) {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isStopped = false;

  async function work(): Promise<void> {
    let isMore = true;
    while (isMore && !isStopped) isMore = await settling.settleDue();
  }

  return {
    start(): void {
      timer = setInterval(() => {
        working ??= work()
          .catch((error) => log.warn({ err: error }, 'traces will be settled later'))
          .finally(() => {
            working = undefined;
          });
      }, everyMs);
    },
    /** Resolves when nothing is being settled; the rest waits for the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await working;
    },
  };
}
