import type { Log } from '../log.ts';
import { createFairSemaphore } from './fair-semaphore.ts';
import { inOrganizationContext } from './organization-context.ts';
import { createRepeated } from './repeated.ts';

export interface DueWorkOptions {
  /** The organizations for which something is due, in the order in which they get their first round. */
  organizations: () => Promise<string[]>;
  /**
   * Does some of what is due for an organization, as much as others may wait for, and says whether
   * there may be more.
   */
  work: (organizationId: string) => Promise<boolean>;
  /** The sentence of the log where something fails; it is tried again the next time. */
  failure: string;
  log: Pick<Log, 'warn'>;
  /** Organizations for which something is done at once. */
  atOnce?: number;
  /** Nothing is done for a suspended organization; what is due waits until it is resumed. */
  isSuspended?: (organizationId: string) => boolean | Promise<boolean>;
  /** How often due work is looked for; every second by default. */
  everyMs?: number;
}

export type DueWork = ReturnType<typeof createDueWork>;

/**
 * Does the work that is due, every second and until none is. Organizations take turns, each with one
 * round at a time: the work of one, however much it is, delays that of another by no more than a
 * round.
 */
export function createDueWork({
  organizations,
  work,
  failure,
  log,
  atOnce = 4,
  isSuspended = () => false,
  everyMs = 1000,
}: DueWorkOptions) {
  const withPermit = createFairSemaphore({ permits: atOnce, permitsEach: 1 });
  const working = new Map<string, { isAgain: boolean; ended: Promise<void> }>();
  const repeated = createRepeated({ work: beginAll, everyMs, failure, log });
  let isStopped = false;

  async function workFor(organizationId: string): Promise<void> {
    const round = async () =>
      !isStopped &&
      !(await isSuspended(organizationId)) &&
      (await inOrganizationContext({ organizationId }, () => work(organizationId)));
    const isAgain = () => {
      const current = working.get(organizationId)!;
      const { isAgain } = current;
      current.isAgain = false;
      return isAgain;
    };
    while ((await withPermit(organizationId, round)) || (!isStopped && isAgain()));
  }

  function begin(organizationId: string): void {
    if (isStopped || working.has(organizationId)) return;
    const current = { isAgain: false, ended: Promise.resolve() };
    working.set(organizationId, current);
    current.ended = workFor(organizationId)
      .catch((error) => log.warn({ err: error, organizationId }, failure))
      .finally(() => working.delete(organizationId));
  }

  async function beginAll(): Promise<void> {
    for (const organizationId of await organizations()) begin(organizationId);
  }

  return {
    start: repeated.start,
    /** Something became due for an organization: it is begun now, also where a round is under way. */
    wake(organizationId: string): void {
      const current = working.get(organizationId);
      if (current) current.isAgain = true;
      else begin(organizationId);
    },
    /** Does all that is due now. */
    async run(): Promise<void> {
      await beginAll();
      await Promise.all([...working.values()].map(({ ended }) => ended));
    },
    /** Resolves when nothing is being done; the rest waits for the next start. */
    async stop(): Promise<void> {
      isStopped = true;
      await repeated.stop();
      await Promise.all([...working.values()].map(({ ended }) => ended));
    },
  };
}
