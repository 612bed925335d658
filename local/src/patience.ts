import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '@assay/contracts/failure';
import { ForeignReply } from '@assay/runtime/bus/asking';

/** Between two sentences about the same wait. */
const sayAgainMs = 60_000;

/**
 * Repeats work that needs a service of this process while that service is too busy to answer. Says
 * `sentence` at the first refusal, and then once a minute.
 */
export async function patiently<Result>(
  work: () => Promise<Result>,
  { say, sentence }: { say?: ((line: string) => void) | undefined; sentence: string },
): Promise<Result> {
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - saidAt >= sayAgainMs) {
        say?.(sentence);
        saidAt = performance.now();
      }
      await pause(250);
    }
  }
}

/** A reply of another installation stays foreign, however often it is asked for. */
const isBusy = (error: unknown): boolean =>
  error instanceof Failure &&
  error.code === 'SERVICE_UNAVAILABLE' &&
  !(error.cause instanceof ForeignReply);
