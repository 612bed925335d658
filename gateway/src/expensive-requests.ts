import type { Askers } from '@assay/runtime/concurrency/askers';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';

/** Of a streamed one, the body or the reply is long: it may take minutes. */
export type ExpensiveKind = 'short' | 'streamed';

/** The expensive requests of one kind on their way to one process of a service (ADR 83). */
export interface ExpensiveRequests {
  /**
   * Sends a request when its organization has a turn, which lasts until `over` is called.
   * @throws QueueFull if the organization has as many waiting as it may; the signal's reason if it
   * is aborted before the turn.
   */
  sendInTurn<Outcome>(
    organizationId: string,
    signal: AbortSignal,
    send: (over: () => void) => Promise<Outcome>,
  ): Promise<Outcome>;
  /** The requests that wait for their turn. */
  waiting(): number;
}

export interface ExpensiveBounds {
  /** The requests of an organization that the process has at once, while others ask too. */
  besideOthers: number;
  /** A request that takes longer goes on, and the next begins beside it. */
  turnMaxMs: number;
  /** For whom requests of any kind come. */
  askers: Askers;
}

/**
 * Creates the turns of a process. An organization that is alone has as many requests under way as
 * it sends; beside others the rest waits here, since each in the service would delay those of
 * others.
 */
export function createExpensiveRequests({
  besideOthers,
  turnMaxMs,
  askers,
  waitingEach,
}: ExpensiveBounds & { waitingEach: number }): ExpensiveRequests {
  const withPermit = createFairSemaphore({
    permits: Number.POSITIVE_INFINITY,
    permitsBesideOthers: besideOthers,
    waitingEach,
    turnMaxMs,
    askers,
  });
  return {
    sendInTurn: (organizationId, signal, send) =>
      new Promise((resolve, reject) => {
        const turn = () =>
          new Promise<void>((over) => {
            send(over).then(resolve, (error: unknown) => {
              over();
              reject(error);
            });
          });
        withPermit(organizationId, turn, { signal }).catch(reject);
      }),
    waiting: withPermit.waiting,
  };
}
