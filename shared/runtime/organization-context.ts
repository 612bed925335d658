import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom work is done. */
export interface OrganizationContext {
  organizationId: string;
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal?: AbortSignal | undefined;
}

const contexts = new AsyncLocalStorage<OrganizationContext>();

/**
 * Does `work` for an organization: whatever is bounded by organization further in (database reads, worker threads, sandboxes) counts it as that
 * organization's, without the organization being passed through all that stands between.
 */
export const inOrganizationContext = <Result>(context: OrganizationContext, work: () => Result): Result => contexts.run(context, work);

/** The organization for which work is under way; undefined for work of the service's own. */
export const organizationContext = (): OrganizationContext | undefined => contexts.getStore();

/** What work of the service's own is counted under. */
export const ownWork = '';
