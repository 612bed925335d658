import type { Announcements, Identity, Request } from '@assay/contracts/define';
import { conflict, type Failure, invalidAt, notFound } from '@assay/contracts/failure';
import type {
  ApiKey,
  identity as contract,
  Member,
  Organization,
  RequestWish,
  TakenRequests,
  VerifiedKey,
} from '@assay/contracts/identity';
import type { OwnLimits } from '@assay/contracts/limits';
import type { Page, PageRequest } from '@assay/contracts/page';
import { makeKey } from '@assay/runtime/api-key';
import type { ImportedPeople } from './domain/imported-people.ts';
import { effectiveRole, isOver, openExpiry, toApiKey } from './domain/keys.ts';
import type { LastUse } from './domain/last-use.ts';
import { checkIsAdmin, keepAnAdmin, toMember } from './domain/members.ts';
import { createMembersPart } from './domain/project-part.ts';
import type { Store, StoredMember } from './store.ts';

const minuteMs = 60_000;

interface Dependencies {
  store: Store;
  importedPeople: Pick<ImportedPeople, 'list' | 'map'>;
  keyUse: LastUse;
  memberUse: LastUse;
  announce: Announcements<typeof contract>;
  clock: () => Date;
  newId: () => string;
}

type Operations = (typeof contract)['operations'];
type MemberBody = Request<Operations['createMember']>['body'];
type MemberQuery = Request<Operations['listMembers']>['query'];
type MemberChange = Request<Operations['updateMember']>['body'];
type KeyBody = Request<Operations['createApiKey']>['body'];

export type Domain = ReturnType<typeof createDomain>;

/**
 * The rules of members and API keys (contract sections 1 Authentication and 2 Organization). Who
 * may call is checked at the edge.
 */
export function createDomain({
  store,
  importedPeople,
  keyUse,
  memberUse,
  announce,
  clock,
  newId,
}: Dependencies) {
  async function memberOf({ organizationId }: Identity, userId: string): Promise<StoredMember> {
    const member = await store.findMember(organizationId, userId);
    if (!member) throw notFound('user', userId);
    return member;
  }

  /**
   * Runs changes that affect who is an admin one at a time in an organization, so that each sees
   * the result of the previous one.
   */
  const changeMember = <Result>(
    identity: Identity,
    userId: string,
    change: (member: StoredMember) => Promise<Result>,
  ): Promise<Result> =>
    store.transaction(async () => {
      await store.lockOrganization(identity.organizationId);
      return change(await memberOf(identity, userId));
    });

  const updateMember = (
    identity: Identity,
    userId: string,
    change: Omit<MemberChange, 'mapTo'>,
  ): Promise<Member> =>
    changeMember(identity, userId, async (member) => {
      if (change.role === 'member') await keepAnAdmin(store, identity.organizationId, member);
      if (!(await store.updateMember(identity.organizationId, userId, change))) throw emailTaken();
      if (change.email !== undefined)
        await store.deleteInvitationTo(identity.organizationId, change.email);
      // A link gives no more than its maker may.
      if (change.role === 'member') await store.deleteLinksBy(identity.organizationId, { userId });
      const changed = await memberOf(identity, userId);
      if (changed.role !== member.role) await announce.memberChanged(identity, { userId });
      return toMember(changed);
    });

  return {
    membersPart: createMembersPart({ store }),
    async getOrganization({ organizationId }: Identity): Promise<Organization> {
      const organization = await store.findOrganization(organizationId);
      if (!organization) throw notFound('organization', organizationId);
      return organization;
    },
    ownLimits: ({ organizationId }: Identity): Promise<OwnLimits> =>
      store.findLimits(organizationId),

    /** Of the minute of this process's clock. */
    async takeRequests(organizationId: string, wish: RequestWish): Promise<TakenRequests> {
      const now = clock().getTime();
      const number = Math.floor(now / minuteMs);
      const endsAt = new Date((number + 1) * minuteMs);
      const taken = await store.takeRequests(organizationId, { number, endsAt }, wish);
      return { ...taken, resetsInMs: endsAt.getTime() - now };
    },

    async suspension({ organizationId }: Identity): Promise<{ isSuspended: boolean }> {
      return { isSuspended: await store.isSuspended(organizationId) };
    },

    async listMembers(
      identity: Identity,
      { imported }: MemberQuery,
      page: PageRequest,
    ): Promise<Page<Member>> {
      if (imported) return importedPeople.list(identity, page);
      const { items, next } = await store.listMembers(identity.organizationId, page);
      return { items: items.map(toMember), next };
    },
    async createMember(
      { organizationId }: Identity,
      { email, name, role }: MemberBody,
    ): Promise<Member> {
      const member = { userId: newId(), email, name: name ?? null, role, createdAt: clock() };
      await store.transaction(async () => {
        if (!(await store.createMember(organizationId, member))) throw emailTaken();
        await store.deleteInvitationTo(organizationId, email);
      });
      return toMember(member);
    },
    /** @throws VALIDATION_ERROR at /mapTo where something else is to change, too. */
    updateMember(
      identity: Identity,
      userId: string,
      { mapTo, ...change }: MemberChange,
    ): Promise<Member> {
      if (mapTo === undefined) return updateMember(identity, userId, change);
      if (Object.keys(change).length > 0)
        throw invalidAt(
          '/mapTo',
          'must be sent alone: it says to whom an imported person is mapped',
        );
      return importedPeople.map(identity, userId, mapTo);
    },
    /** Members may remove themselves like anyone else: the key that asked ends with them. */
    deleteMember: (identity: Identity, userId: string) =>
      changeMember(identity, userId, async (member) => {
        await keepAnAdmin(store, identity.organizationId, member);
        await store.deleteMember(identity.organizationId, userId);
        await store.deleteKeysOf(identity.organizationId, userId);
        await store.deleteBrowserSessionsOf(identity.organizationId, { userId });
        await store.deleteLoginTokensOf(identity.organizationId, userId);
        await store.deleteLinksBy(identity.organizationId, { userId });
        await announce.memberChanged(identity, { userId });
        return { success: true as const };
      }),
    async isMember({ organizationId }: Identity, userId: string): Promise<{ found: boolean }> {
      return { found: (await store.findMember(organizationId, userId)) !== undefined };
    },

    async listApiKeys({ organizationId }: Identity, page: PageRequest): Promise<Page<ApiKey>> {
      const { items, next } = await store.listKeys(organizationId, page);
      return { items: items.map(toApiKey), next };
    },
    async createApiKey(
      identity: Identity,
      { expiresAt, ...body }: KeyBody,
    ): Promise<ApiKey & { key: string }> {
      const { organizationId, userId } = identity;
      const createdAt = clock();
      const { key, kept } = makeKey();
      const stored = {
        id: newId(),
        organizationId,
        ...kept,
        ...body,
        createdByUserId: userId,
        createdAt,
        expiresAt: openExpiry(expiresAt ?? null, createdAt),
        lastUsedAt: null,
      };
      await store.transaction(async () => {
        await store.lockOrganization(organizationId);
        await checkIsAdmin(store, identity);
        await store.createKey(organizationId, stored);
      });
      return { ...toApiKey(stored), key };
    },
    /**
     * Revokes any key, also the caller's own and the last admin's, since the operator can make
     * another.
     */
    deleteApiKey: (identity: Identity, id: string) =>
      store.transaction(async () => {
        const key = await store.deleteKey(identity.organizationId, id);
        if (!key) throw notFound('api key', id);
        const { createdByUserId: userId, keyHash } = key;
        await store.deleteBrowserSessionsOf(identity.organizationId, { userId, apiKeyId: id });
        await store.deleteLinksBy(identity.organizationId, { userId, apiKeyId: id });
        await announce.keyRevoked(identity, { keyHash, apiKeyId: id });
        return { success: true as const };
      }),

    /** Which of the hashes are of a key or a browser session, good or not any more. */
    async findHeldSecrets(secretHashes: string[]): Promise<{ held: string[] }> {
      const found = await Promise.all([
        store.findKeyHashes(secretHashes),
        store.findSessionHashes(secretHashes),
      ]);
      return { held: found.flat() };
    },

    /**
     * Why a key is not good is not told: unknown, revoked, expired and without its member are one.
     * The owner of a good one learns that the organization is suspended.
     */
    async verifyKey(keyHash: string): Promise<VerifiedKey> {
      const key = await store.findKeyByHash(keyHash);
      if (!key || isOver(key.expiresAt, clock())) return { outcome: 'unknown' };
      const [member, isSuspended] = await Promise.all([
        store.findMember(key.organizationId, key.createdByUserId),
        store.isSuspended(key.organizationId),
      ]);
      if (!member) return { outcome: 'unknown' };
      if (isSuspended) return { outcome: 'unknown', isSuspended };
      keyUse.used(key.id, key.lastUsedAt);
      memberUse.used(member.userId, member.lastSeenAt ?? null);
      return {
        outcome: 'valid',
        organizationId: key.organizationId,
        userId: member.userId,
        apiKeyId: key.id,
        role: effectiveRole(key.role, member.role),
        expiresAtMs: key.expiresAt?.getTime() ?? null,
      };
    },
  };
}

const emailTaken = (): Failure =>
  conflict('A member of this organization has this e-mail address already.');
