import type { Log } from '../log.ts';
import { createFairSemaphore } from './fair-semaphore.ts';
import { inOrganizationContext } from './organization-context.ts';

const everyMs = 1000;

export interface DueWorkOptions {
  /** The organizations for which something is due, in any order. */
  organizations: () => Promise<string[]>;
  /**
   * Does some of what is due for an organization, as much as others may wait for, and says whether
   * there may be more.
   */
  work: (organizationId: string) => Promise<boolean>;
  /** The sentence of the log where something fails; it is tried again a second later. */
  failure: string;
  log: Log;
  /** Organizations for which something is done at once. */
  atOnce?: number;
}

/**
 * Does the work that is due, every second and until none is. Organizations take turns, each with one
 * round at a time: the work of one, however much it is, delays that of another by no more than a
 * round.
 */
export function createDueWork({ organizations, work, failure, log, atOnce = 4 }: DueWorkOptions) {
  const inTurn = createFairSemaphore({ permits: atOnce, permitsEach: 1 });
  const working = new Map<string, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isStopped = false;

  const tell = (error: unknown) => log.warn({ err: error }, failure);

  async function workFor(organizationId: string): Promise<void> {
    const round = async () =>
      !isStopped && (await inOrganizationContext({ organizationId }, () => work(organizationId)));
    while (await inTurn(organizationId, round));
  }

  function begin(organizationId: string): void {
    if (isStopped || working.has(organizationId)) return;
    const ended = workFor(organizationId)
      .catch(tell)
      .finally(() => working.delete(organizationId));
    working.set(organizationId, ended);
  }

  const look = async (): Promise<void> => (await organizations()).forEach(begin);

  return {
    start(): void {
      timer = setInterval(() => {
        looking ??= look()
          .catch(tell)
          .finally(() => {
            looking = undefined;
          });
      }, everyMs);
    },
    /** Resolves when nothing is being done; the rest waits for the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await looking;
      await Promise.all(working.values());
    },
  };
}
