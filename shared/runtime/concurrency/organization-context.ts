import { AsyncLocalStorage } from 'node:async_hooks';
import { createAskers } from './askers.ts';
import { createFairSemaphore, type FairSemaphoreOptions } from './fair-semaphore.ts';

/** For whom work is done. */
export interface OrganizationContext {
  organizationId: string;
  /**
   * Aborted when nobody waits for the outcome any more: users' work that waits for its turn is
   * dropped then.
   */
  readonly signal?: AbortSignal | undefined;
  /** True if the work may write. Once begun, it is then finished even if no client waits for it. */
  readonly writes?: boolean;
  /** True if other organizations use the installation, too: maybe other services of it. */
  readonly isBesideOthers?: boolean;
}

/**
 * The organizations for which the process does anything. Of one that only reads, or whose writes
 * are committed with those of others, a queue for writes would not know.
 */
export const askersOfProcess = createAskers();

const contexts = new AsyncLocalStorage<OrganizationContext | undefined>();

/**
 * Does `work` for an organization: whatever is bounded by organization further in (database reads,
 * worker threads, sandboxes) counts it as that organization's, without the organization being
 * passed through all that stands between.
 */
export const inOrganizationContext = <Result>(
  context: OrganizationContext,
  work: () => Result,
): Result => {
  askersOfProcess.note(context.organizationId);
  if (context.isBesideOthers) askersOfProcess.noteOthers();
  return contexts.run(context, work);
};

/**
 * The same for a stream, whose items are made when somebody reads them: outside of the context in
 * which the stream itself was made.
 */
export function streamInOrganizationContext<Item>(
  context: OrganizationContext,
  stream: AsyncIterable<Item>,
): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]: () => {
      const items = inOrganizationContext(context, () => stream[Symbol.asyncIterator]());
      return {
        next: () => inOrganizationContext(context, () => items.next()),
        return: (value) =>
          inOrganizationContext(context, async () =>
            items.return ? items.return(value) : { done: true, value },
          ),
      };
    },
  };
}

/** The organization for which work is under way; undefined for work of the service's own. */
export const organizationContext = (): OrganizationContext | undefined => contexts.getStore();

/**
 * Runs work that serves several organizations as the service's own: the organization that began it
 * does not pay for the others.
 */
export const asOwnWork = <Result>(work: () => Result): Result => contexts.run(undefined, work);

/**
 * Organizations take turns, as in a fair semaphore: work is counted as that of the organization in
 * whose context it is begun.
 */
export function createOrganizationQueue(options: FairSemaphoreOptions) {
  const withPermit = createFairSemaphore(options);
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const { organizationId, signal } = organizationContext() ?? ownWork;
    return withPermit(organizationId, work, { signal });
  };
}

/** Work of the service's own is counted as if it were one organization more. */
export const ownWork: OrganizationContext = { organizationId: '' };
