import type { Announcements, Identity } from '@assay/contracts/define';
import { conflict, notFound } from '@assay/contracts/failure';
import type { identity as contract, OperatedOrganization } from '@assay/contracts/identity';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Store } from '../store.ts';

interface Dependencies {
  store: Store;
  announce: Announcements<typeof contract>;
  clock: () => Date;
}

export type OrganizationLife = ReturnType<typeof createOrganizationLife>;

/** Suspends organizations and resumes them, for the operator. */
export function createOrganizationLife({ store, announce, clock }: Dependencies) {
  /** Every gateway and every process with due work hears of a change, and asks again. */
  const change = (
    { requestId }: Identity,
    organizationId: string,
    write: () => Promise<OperatedOrganization | undefined>,
  ): Promise<{ organization: OperatedOrganization }> =>
    store.transaction(async () => {
      const organization = await write();
      if (!organization) throw notFound('organization', organizationId);
      await announce.suspensionChanged(serviceIdentity(organizationId, requestId), {
        organizationId,
      });
      return { organization };
    });

  return {
    suspend: (identity: Identity, organizationId: string) =>
      change(identity, organizationId, () => store.suspendOrganization(organizationId, clock())),
    /** @throws CONFLICT once its deletion has begun: a part of it may be gone. */
    resume: (identity: Identity, organizationId: string) =>
      change(identity, organizationId, async () => {
        const resumed = await store.resumeOrganization(organizationId);
        if (!resumed && (await store.findOrganization(organizationId)))
          throw conflict('The deletion of this organization has begun: it cannot be resumed.');
        return resumed;
      }),
  };
}
