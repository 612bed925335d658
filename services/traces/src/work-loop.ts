import type { Log } from '@assay/runtime/log';

const everyMs = 1000;
/** After there was nothing to do. */
const restMs = 10_000;

/**
 * Does some of a long work every second, and looks every ten seconds whether there is any. `work`
 * says whether it did something; `failure` is the sentence of the log where it fails.
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

  async function workOnce(): Promise<void> {
    const isUnderWay = await work().catch((error) => {
      log.warn({ err: error }, failure);
      return true;
    });
    if (!isStopped) wait(isUnderWay ? everyMs : restMs);
  }

  function wait(ms: number): void {
    timer = setTimeout(() => {
      working = workOnce();
    }, ms);
  }

  return {
    start: () => wait(everyMs),
    /** Resolves when nothing is being done; the rest waits for the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await working;
    },
  };
}
