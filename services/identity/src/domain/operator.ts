import type { Announcements, Identity } from '@assay/contracts/define';
import { Failure, notFound } from '@assay/contracts/failure';
import type { ApiKey, identity as contract, Organization, Role } from '@assay/contracts/identity';
import type { Store } from '../store.ts';
import { makeKey, toApiKey } from './keys.ts';

/** In one answer: the bus carries 1 MiB. */
const organizationsMax = 200;

interface Parts {
  store: Store;
  announce: Announcements<typeof contract>;
  clock: () => Date;
  newId: () => string;
}

export type Operator = ReturnType<typeof createOperator>;

/** What the operator of the installation may ask, across organizations. Each throws FORBIDDEN for anyone but a service. */
export function createOperator({ store, announce, clock, newId }: Parts) {
  const newKeyOf = (organizationId: string, createdByUserId: string, key: { name: string; role: Role }) =>
    makeKey({ id: newId(), organizationId, ...key, createdByUserId, createdAt: clock(), expiresAt: null });

  return {
    async createOrganization(
      identity: Identity,
      { name, email }: { name: string; email: string },
    ): Promise<{ organization: Organization; key: string }> {
      onlyOperator(identity);
      const organization = { id: newId(), name, createdAt: clock() };
      const member = { userId: newId(), email, name: null, role: 'admin' as const, createdAt: clock() };
      const { key, stored } = newKeyOf(organization.id, member.userId, { name: 'First key', role: 'admin' });
      await store.transaction(async () => {
        await store.createOrganization(organization);
        await store.createMember(organization.id, member);
        await store.createKey(organization.id, stored);
      });
      return { organization: { ...organization, createdAt: organization.createdAt.toISOString() }, key };
    },
    async listOrganizations(
      identity: Identity,
      after: string | undefined,
    ): Promise<{ organizations: Organization[]; next: string | null }> {
      onlyOperator(identity);
      const { items, next } = await store.listOrganizations({ limit: organizationsMax, after });
      return { organizations: items, next };
    },
    /** The way back in: a key of the organization's longest-standing admin. */
    async createKey(
      identity: Identity,
      { organizationId, ...body }: { organizationId: string; name: string; role: Role },
    ): Promise<{ apiKey: ApiKey; key: string }> {
      onlyOperator(identity);
      return store.transaction(async () => {
        const admin = (await store.lockOrganization(organizationId)) ? await store.findFirstAdmin(organizationId) : undefined;
        if (!admin) throw notFound('organization', organizationId);
        const { key, stored } = newKeyOf(organizationId, admin.userId, body);
        await store.createKey(organizationId, stored);
        return { apiKey: toApiKey(stored), key };
      });
    },
    async revokeKey(identity: Identity, apiKeyId: string): Promise<{ revoked: boolean }> {
      onlyOperator(identity);
      return store.transaction(async () => {
        const key = await store.findKey(apiKeyId);
        if (!key) return { revoked: false };
        await store.deleteKey(key.organizationId, apiKeyId);
        await announce.keyRevoked({ ...identity, organizationId: key.organizationId }, { keyHash: key.keyHash });
        return { revoked: true };
      });
    },
  };
}

function onlyOperator({ role }: Identity): void {
  if (role !== 'service') throw new Failure('FORBIDDEN', 'Only the operator of this installation may do this.');
}
