import type { Announcements, Identity, Request, SessionReply } from '@assay/contracts/define';
import { Failure, invalidAt, notFound, organizationSuspended } from '@assay/contracts/failure';
import {
  browserSessionIdleSecondsMax,
  browserSessionSecondsMax,
  type Caller,
  type identity as contract,
  type VerifiedSession,
} from '@assay/contracts/identity';
import { hashOf, isLoginToken, newConsoleSecret, newSessionSecret } from '@assay/runtime/api-key';
import { signDownload } from '@assay/runtime/download-address';
import type { KeyList } from '@assay/runtime/keys';
import type { Store, StoredBrowserSession, StoredKey } from '../store.ts';
import type { Invitations } from './invitations.ts';
import { effectiveRole, isOver, toApiKey } from './keys.ts';
import type { LastUse } from './last-use.ts';
import { toMember } from './members.ts';

const lengthMaxMs = browserSessionSecondsMax * 1000;

interface Dependencies {
  /** Signs addresses of downloads, which the gateway checks. */
  /** Sign addresses, which the gateway opens. */
  addressKeys: () => KeyList;
  store: Store;
  invitations: Pick<Invitations, 'accept'>;
  keyUse: LastUse;
  memberUse: LastUse;
  sessionUse: LastUse;
  announce: Announcements<typeof contract>;
  clock: () => Date;
  newId: () => string;
}

type SignIn = Request<(typeof contract)['operations']['createBrowserSession']>['body'];

export type BrowserSessions = ReturnType<typeof createBrowserSessions>;

/** The rules of signing in with a browser (contract section 4), and of who a request acts as. */
export function createBrowserSessions({
  addressKeys,
  store,
  invitations,
  keyUse,
  memberUse,
  sessionUse,
  announce,
  clock,
  newId,
}: Dependencies) {
  async function begin(owner: SessionOwner): Promise<SessionReply> {
    const sessionSecret = newSessionSecret();
    const consoleSecret = newConsoleSecret();
    const createdAt = clock();
    await store.createBrowserSession(owner.organizationId, {
      id: newId(),
      ...owner,
      secretHash: hashOf(sessionSecret),
      consoleSecretHash: hashOf(consoleSecret),
      createdAt,
      lastUsedAt: createdAt,
    });
    return { sessionSecret, consoleSecret };
  }

  const ownerOf = async (tokenHash: string) =>
    (await store.spendLoginToken(tokenHash, clock())) ?? (await invitations.accept(tokenHash));

  /** The token is spent when the session is stored, and not otherwise. */
  const beginByToken = (token: string): Promise<SessionReply> =>
    store.transaction(async () => {
      const owner = isLoginToken(token) ? await ownerOf(hashOf(token)) : undefined;
      if (!owner || !(await store.findMember(owner.organizationId, owner.userId)))
        throw new Failure(
          'UNAUTHORIZED',
          'This link is spent or withdrawn, has expired, or never was one: each works once. Ask an admin of your organization for another (Settings, Members), or the operator (`npm run admin -- login-link`); or sign in with an API key.',
        );
      if (await store.isSuspended(owner.organizationId)) throw organizationSuspended();
      return begin({ ...owner, apiKeyId: null });
    });

  async function keyOf(session: StoredBrowserSession): Promise<StoredKey | undefined> {
    return session.apiKeyId === null
      ? undefined
      : store.findKeyOf(session.organizationId, session.apiKeyId);
  }

  return {
    createBrowserSession({ role, ...identity }: Identity, body: SignIn): Promise<SessionReply> {
      if (role === 'anonymous') return beginByToken(body?.token ?? '');
      if (body) throw invalidAt('/token', 'must be left out where an API key signs in');
      const { organizationId, userId, apiKeyId } = identity;
      return begin({ organizationId, userId, apiKeyId });
    },
    deleteBrowserSession: async (identity: Identity): Promise<SessionReply> => {
      const { organizationId, browserSessionId } = identity;
      if (browserSessionId === undefined) throw inNoSession();
      await store.transaction(async () => {
        await store.deleteBrowserSession(organizationId, browserSessionId);
        await announce.browserSessionEnded(identity, { browserSessionId });
      });
      return { sessionSecret: null };
    },
    /**
     * A session ends with its member and its key. Why it is not good is not told, as of a key. It is
     * refused while the organization is suspended, and good again afterwards.
     */
    async verifySession(secretHash: string): Promise<VerifiedSession> {
      const session = await store.findBrowserSessionByHash(secretHash);
      const at = clock();
      if (!session || isOver(endOf(session), at)) return { outcome: 'unknown' };
      const { id, organizationId, userId, apiKeyId, consoleSecretHash, lastUsedAt } = session;
      const [member, key, isSuspended] = await Promise.all([
        store.findMember(organizationId, userId),
        keyOf(session),
        store.isSuspended(organizationId),
      ]);
      if (!member || (apiKeyId !== null && (!key || isOver(key.expiresAt, at))))
        return { outcome: 'unknown' };
      if (isSuspended) return { outcome: 'unknown', isSuspended };
      if (key) keyUse.used(key.id, key.lastUsedAt);
      sessionUse.used(id, lastUsedAt);
      memberUse.used(userId, member.lastSeenAt ?? null);
      return {
        outcome: 'valid',
        organizationId,
        userId,
        apiKeyId,
        browserSessionId: id,
        ...(consoleSecretHash === undefined ? {} : { consoleSecretHash }),
        role: key ? effectiveRole(key.role, member.role) : member.role,
        expiresAtMs: Math.min(
          endOf(session).getTime(),
          key?.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
        ),
      };
    },
    /** @throws NOT_FOUND for a request that came with an API key. */
    async createDownload(
      { organizationId, browserSessionId }: Identity,
      { path }: { path: string },
    ): Promise<{ path: string; expiresAt: string }> {
      const session =
        browserSessionId === undefined
          ? undefined
          : await store.findBrowserSession(organizationId, browserSessionId);
      if (!session) throw inNoSession();
      const { secretHash: sessionHash } = session;
      const { target, expiresAt } = signDownload(
        addressKeys(),
        { target: path, sessionHash },
        clock(),
      );
      return { path: target, expiresAt: expiresAt.toISOString() };
    },
    async getMe({
      organizationId,
      userId,
      apiKeyId,
      browserSessionId,
      role,
    }: Identity): Promise<Caller> {
      const [member, organization, key, session] = await Promise.all([
        store.findMember(organizationId, userId),
        store.findOrganization(organizationId),
        apiKeyId === null ? undefined : store.findKeyOf(organizationId, apiKeyId),
        browserSessionId === undefined
          ? undefined
          : store.findBrowserSession(organizationId, browserSessionId),
      ]);
      // Removed since the gateway asked.
      if (!member || !organization) throw notFound('user', userId);
      return {
        member: toMember(member),
        organization,
        role: role === 'admin' ? 'admin' : 'member',
        key: key ? toApiKey(key) : null,
        session: session
          ? {
              createdAt: session.createdAt.toISOString(),
              expiresAt: endOf(session).toISOString(),
            }
          : null,
      };
    },
  };
}

const inNoSession = (): Failure =>
  new Failure('NOT_FOUND', 'This request came with an API key, and in no session.');

type SessionOwner = Pick<StoredBrowserSession, 'organizationId' | 'userId' | 'apiKeyId'>;

/** Returns when a session ends unless it is used again. */
export const endOf = ({
  createdAt,
  lastUsedAt,
}: Pick<StoredBrowserSession, 'createdAt' | 'lastUsedAt'>): Date =>
  new Date(
    Math.min(
      createdAt.getTime() + lengthMaxMs,
      lastUsedAt.getTime() + browserSessionIdleSecondsMax * 1000,
    ),
  );
