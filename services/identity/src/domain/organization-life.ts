import type { Announcements, Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
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
    resume: (identity: Identity, organizationId: string) =>
      change(identity, organizationId, () => store.resumeOrganization(organizationId)),
  };
}
