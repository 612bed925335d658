import type { Log } from '../log.ts';

export interface RepeatedOptions {
  work: () => Promise<void>;
  everyMs: number;
  /** The sentence of the log where the work fails; it is tried again at its next time. */
  failure: string;
  log: Pick<Log, 'warn'>;
}

/** Does work at the start and again and again, never twice at once. */
export function createRepeated({ work, everyMs, failure, log }: RepeatedOptions) {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;

  function begin(): void {
    working ??= work()
      .catch((error) => log.warn({ err: error }, failure))
      .finally(() => {
        working = undefined;
      });
  }

  return {
    start(): void {
      timer = setInterval(begin, everyMs);
      begin();
    },
    /** Resolves when nothing is being done. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await working;
    },
  };
}
