import type { Announcements, Identity } from '@assay/contracts/define';
import { conflict, Failure, notFound } from '@assay/contracts/failure';
import type {
  ApiKey,
  identity as contract,
  Member,
  OperatedOrganization,
  Organization,
  Role,
} from '@assay/contracts/identity';
import type { LimitChange, OwnLimits } from '@assay/contracts/limits';
import type { KeptKey } from '@assay/runtime/api-key';
import { serviceIdentity } from '@assay/runtime/signature';
import type { FoundMember, Store, StoredKey } from '../store.ts';
import { toApiKey } from './keys.ts';
import { toMember } from './members.ts';
import type { Usage } from './usage.ts';

/** In one answer: the bus carries 1 MiB. */
const organizationsMax = 200;

/** How long a login token is good. */
const loginTokenMs = 10 * 60 * 1000;

/** Members of the same e-mail address that a refusal names. */
const sameAddressMax = 10;

interface Dependencies {
  store: Store;
  usage: Pick<Usage, 'read'>;
  announce: Announcements<typeof contract>;
  clock: () => Date;
  newId: () => string;
}

export type Operator = ReturnType<typeof createOperator>;

/**
 * Answers the operator of the installation, across organizations. Nobody else may ask: the contract
 * says so, and the bus refuses it.
 */
export function createOperator({ store, usage, announce, clock, newId }: Dependencies) {
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

  async function oneMember(text: string): Promise<FoundMember> {
    const found = await store.findMembersAnywhere(text, sameAddressMax);
    const [first] = found;
    if (!first)
      throw new Failure(
        'NOT_FOUND',
        'No member has this e-mail address or user id, and no organization with an admin has this id.',
      );
    if (found.length === 1) return first;
    const choices = found.map(
      ({ userId, organizationId }) => `${userId} (organization ${organizationId})`,
    );
    throw conflict(
      `Members of several organizations have this e-mail address; name one by the user id: ${choices.join(', ')}.`,
    );
  }

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
    async renameOrganization({
      organizationId,
      name,
    }: {
      organizationId: string;
      name: string;
    }): Promise<{ organization: Organization }> {
      const organization = await store.renameOrganization(organizationId, name);
      if (!organization) throw notFound('organization', organizationId);
      return { organization };
    },
    async listOrganizations(
      after: string | undefined,
    ): Promise<{ organizations: OperatedOrganization[]; next: string | null }> {
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
        const { organizationId, createdByUserId: userId, keyHash } = key;
        await store.deleteKey(organizationId, apiKeyId);
        await store.deleteBrowserSessionsOf(organizationId, { userId, apiKeyId });
        await store.deleteLinksBy(organizationId, { userId, apiKeyId });
        await announce.keyRevoked(serviceIdentity(organizationId, requestId), {
          keyHash,
          apiKeyId,
        });
        return { revoked: true };
      }),
    /** Every process that enforces a limit hears of it, and asks again. */
    setLimits: (
      { requestId }: Identity,
      { organizationId, change }: { organizationId: string; change: LimitChange },
    ): Promise<{ limits: OwnLimits }> =>
      store.transaction(async () => {
        const limits = await store.updateLimits(organizationId, change);
        if (!limits) throw notFound('organization', organizationId);
        await announce.limitsChanged(serviceIdentity(organizationId, requestId), {
          organizationId,
        });
        return { limits };
      }),
    async limits({ requestId }: Identity, organizationId: string) {
      if (!(await store.findOrganization(organizationId)))
        throw notFound('organization', organizationId);
      return usage.read(serviceIdentity(organizationId, requestId));
    },
    /** Another way back in: a member's sign-in, or that of an organization's first admin. */
    async createLoginToken({
      member: text,
      tokenHash,
    }: {
      member: string;
      tokenHash: string;
    }): Promise<{ member: Member; organization: Organization }> {
      const { organizationId, ...member } = await oneMember(text);
      const expiresAt = new Date(clock().getTime() + loginTokenMs);
      const { userId } = member;
      await store.createLoginToken(organizationId, { tokenHash, userId, expiresAt });
      const organization = await store.findOrganization(organizationId);
      if (!organization) throw notFound('organization', organizationId);
      return { member: toMember(member), organization };
    },
  };
}
