import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '@assay/contracts/failure';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { createSingleFlight } from '../concurrency/single-flight.ts';
import type { JobQueue, QueueProgress } from './job-queues.ts';

/** Jobs that an organization may have in a queue before the first of them is begun. */
export const waitingEach = 16;
const lookEveryMs = 100;

/**
 * Publishes jobs so that an organization has few waiting in a queue: those of another that shares
 * the queue stand behind no more than these. Each process counts its own jobs.
 */
export function createJobShares(progressOf: (queue: JobQueue) => Promise<QueueProgress>) {
  // Jobs of an organization are published one after the other; organizations do not wait for each other.
  const inOrder = createFairSemaphore({ permits: Number.POSITIVE_INFINITY, permitsEach: 1 });
  const singleFlight = createSingleFlight<QueueProgress>();
  const stopping = new AbortController();
  /** The places in their stream of the jobs that may still wait, by queue and organization. */
  const waiting = new Map<string, number[]>();

  async function waitForRoom(queue: JobQueue, share: string): Promise<void> {
    const places = () => waiting.get(share) ?? [];
    while (places().length >= waitingEach) {
      if (stopping.signal.aborted)
        throw new Failure('SERVICE_UNAVAILABLE', 'The service stops, and its queue is full.');
      const { begun, published } = await singleFlight(queue.durable, () => progressOf(queue));
      // A place beyond the last one is of a queue that the bus has lost.
      waiting.set(
        share,
        places().filter((place) => place > begun && place <= published),
      );
      if (places().length >= waitingEach)
        await pause(lookEveryMs, undefined, stopping).catch(() => undefined);
    }
  }

  return {
    /**
     * Publishes when the organization has room in the queue. `publish` returns the place of the job
     * in its stream.
     * @throws SERVICE_UNAVAILABLE where it has none when the service stops.
     */
    publish(
      { queue, organizationId }: { queue: JobQueue; organizationId: string },
      publish: () => Promise<number>,
    ): Promise<void> {
      const share = `${queue.durable} ${organizationId}`;
      return inOrder(share, async () => {
        await waitForRoom(queue, share);
        const place = await publish();
        waiting.set(share, [...(waiting.get(share) ?? []), place]);
      });
    },
    stop: (): void => stopping.abort(),
  };
}
