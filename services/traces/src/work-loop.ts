import type { Log } from '@assay/runtime/log';

const everyMs = 1000;

/**
 * Does the work that is due, every second and until none is. `work` does some of it, and says
 * whether there may be more; `failure` is the sentence of the log where it fails.
 */
export function createWorkLoop({
  work,
  failure,
  log,
}: {
  work: () => Promise<boolean>;
  failure: string;
  log: Log;
}) {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isStopped = false;

  async function workAll(): Promise<void> {
    let isMore = true;
    while (isMore && !isStopped) isMore = await work();
  }

  return {
    start(): void {
      timer = setInterval(() => {
        working ??= workAll()
          .catch((error) => log.warn({ err: error }, failure))
          .finally(() => {
            working = undefined;
          });
      }, everyMs);
    },
    /** Resolves when nothing is being done; the rest waits for the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await working;
    },
  };
}
