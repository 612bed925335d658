import type { Announcements, Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { ApiKey, identity as contract, Organization, Role } from '@assay/contracts/identity';
import type { KeptKey } from '@assay/runtime/api-key';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Store, StoredKey } from '../store.ts';
import { toApiKey } from './keys.ts';

/** In one answer: the bus carries 1 MiB. */
const organizationsMax = 200;

interface Dependencies {
  store: Store;
  announce: Announcements<typeof contract>;
  clock: () => Date;
  newId: () => string;
}

export type Operator = ReturnType<typeof createOperator>;

/**
 * Answers the operator of the installation, across organizations. Nobody else may ask: the contract
 * says so, and the bus refuses it.
 */
export function createOperator({ store, announce, clock, newId }: Dependencies) {
  const storedKey = (
    organizationId: string,
    createdByUserId: string,
    key: KeptKey & { name: string; role: Role },
  ): StoredKey => ({
    id: newId(),
    organizationId,
    ...key,
    createdByUserId,
    createdAt: clock(),
    expiresAt: null,
    lastUsedAt: null,
  });

  return {
    async createOrganization({
      name,
      email,
      key,
    }: {
      name: string;
      email: string;
      key: KeptKey;
    }): Promise<{ organization: Organization }> {
      const organization = { id: newId(), name, createdAt: clock() };
      const member = {
        userId: newId(),
        email,
        name: null,
        role: 'admin' as const,
        createdAt: clock(),
      };
      await store.transaction(async () => {
        await store.createOrganization(organization);
        await store.createMember(organization.id, member);
        await store.createKey(
          organization.id,
          storedKey(organization.id, member.userId, { ...key, name: 'First key', role: 'admin' }),
        );
      });
      return { organization: { ...organization, createdAt: organization.createdAt.toISOString() } };
    },
    async listOrganizations(
      after: string | undefined,
    ): Promise<{ organizations: Organization[]; next: string | null }> {
      const { items, next } = await store.listOrganizations({ limit: organizationsMax, after });
      return { organizations: items, next };
    },
    /** The way back in: a key of the organization's longest-standing admin. */
    createKey: ({
      organizationId,
      key,
      ...body
    }: {
      organizationId: string;
      name: string;
      role: Role;
      key: KeptKey;
    }): Promise<{ apiKey: ApiKey }> =>
      store.transaction(async () => {
        const admin = (await store.lockOrganization(organizationId))
          ? await store.findFirstAdmin(organizationId)
          : undefined;
        if (!admin) throw notFound('organization', organizationId);
        const stored = storedKey(organizationId, admin.userId, { ...key, ...body });
        await store.createKey(organizationId, stored);
        return { apiKey: toApiKey(stored) };
      }),
    revokeKey: ({ requestId }: Identity, apiKeyId: string): Promise<{ revoked: boolean }> =>
      store.transaction(async () => {
        const key = await store.findKey(apiKeyId);
        if (!key) return { revoked: false };
        await store.deleteKey(key.organizationId, apiKeyId);
        await announce.keyRevoked(serviceIdentity(key.organizationId, requestId), {
          keyHash: key.keyHash,
        });
        return { revoked: true };
      }),
  };
}
