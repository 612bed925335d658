import type { Log } from '@assay/runtime/log';
import type { TakenPermit } from '../store/model-permits.ts';

/** How often a free permit is looked for while all are taken. */
const lookEveryMs = 200;

/** The permits that all processes of the service share. */
export interface ModelPermits {
  take(model: string, wish: { count: number; holdMs: number }): Promise<TakenPermit | undefined>;
  giveBack(permit: TakenPermit): Promise<void>;
}

interface SharedPermitOptions {
  permits: ModelPermits;
  model: string;
  /** Calls that all processes together may have under way. */
  count: number;
  /** Longer than a call may last: then the permit of a process that died is free again. */
  holdMs: number;
  sleep: (waitMs: number, signal: AbortSignal) => Promise<void>;
  log: Log;
}

/** Makes a call once there is a permit for it, and gives the permit back. */
export type WithSharedPermit = <Result>(
  signal: AbortSignal,
  call: () => Promise<Result>,
) => Promise<Result>;

/**
 * Bounds the calls to a model over all processes (ADR 79). The calls of one process take permits in turn, so
 * that one looks for all. Where the database does not answer, a call goes out without: each process
 * has its own bound besides.
 * @throws the signal's reason when it is aborted before.
 */
export function createSharedPermits({
  permits,
  model,
  count,
  holdMs,
  sleep,
  log,
}: SharedPermitOptions): WithSharedPermit {
  let before: Promise<unknown> = Promise.resolve();

  async function take(signal: AbortSignal): Promise<TakenPermit | undefined> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const taken = await permits.take(model, { count, holdMs });
        if (taken) return taken;
      } catch (error) {
        log.warn({ err: error, model }, 'a judge is called without a shared permit');
        return undefined;
      }
      await sleep(lookEveryMs, signal);
    }
  }

  const giveBack = (permit: TakenPermit): Promise<void> =>
    permits
      .giveBack(permit)
      .catch((error) => log.warn({ err: error, model }, 'a permit is free again when it ends'));

  return async (signal, call) => {
    const taking = before.then(() => take(signal));
    before = taking.catch(() => undefined);
    const permit = await taking;
    try {
      return await call();
    } finally {
      // Before the next call begins here: it would find none free, and wait.
      if (permit) await giveBack(permit);
    }
  };
}
