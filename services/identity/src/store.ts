import type { Role } from '@assay/contracts/identity';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { findPage } from '@assay/runtime/mongo/page';
import type { Use } from './domain/last-use.ts';
import { createDeviceLogins } from './store/device-logins.ts';
import { createImportedPeopleStore } from './store/imported-people.ts';
import { createInvitationStore } from './store/invitations.ts';
import { createLoginTokens } from './store/login-tokens.ts';
import { createOrganizations } from './store/organizations.ts';
import { createPeople } from './store/people.ts';
import { createRequestCounts } from './store/request-counts.ts';

export type { AnsweredDeviceLogin, StoredDeviceLogin } from './store/device-logins.ts';
export type { StoredInvitation } from './store/invitations.ts';

export interface StoredMember {
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  createdAt: Date;
  /** To about five minutes; left out before the first request. */
  lastSeenAt?: Date;
}

interface MemberDocument extends Omit<StoredMember, 'userId'> {
  _id: string;
  organizationId: string;
  emailLower: string;
}

/** A key as it is kept: never the secret. */
export interface StoredKey {
  id: string;
  organizationId: string;
  keyHash: string;
  name: string;
  prefix: string;
  role: Role;
  createdByUserId: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** A device login gave it: the device may revoke it. */
  isOfDevice?: true;
}

type KeyDocument = Omit<StoredKey, 'id'> & { _id: string };

/** A member with the organization, as only the operator finds one. */
export interface FoundMember extends StoredMember {
  organizationId: string;
}

/** A browser session as it is kept: never its secret. */
export interface StoredBrowserSession {
  id: string;
  organizationId: string;
  secretHash: string;
  /** Sessions that a process before 0.3.0 began have no second secret. */
  consoleSecretHash?: string;
  userId: string;
  /** The key that began it, or null where a login token did. */
  apiKeyId: string | null;
  createdAt: Date;
  lastUsedAt: Date;
}

type BrowserSessionDocument = Omit<StoredBrowserSession, 'id'> & { _id: string };

export type MemberChange = Partial<Pick<StoredMember, 'email' | 'name' | 'role'>>;

export type Store = ReturnType<typeof createStore>;

/**
 * Identity's collections. Documents of other organizations are never found, except by the few
 * functions that look across organizations.
 */
export function createStore(database: Database) {
  return {
    transaction: database.transaction,
    ...createOrganizations(database),
    ...createMembers(database),
    ...createKeys(database),
    ...createBrowserSessions(database),
    ...createLoginTokens(database),
    ...createInvitationStore(database),
    ...createDeviceLogins(database),
    ...createPeople(database),
    ...createRequestCounts(database),
    ...createImportedPeopleStore(database),
  };
}

function createMembers(database: Database) {
  const members = database.collection<MemberDocument>('members');
  return {
    /** False when the e-mail address is taken. */
    async createMember(
      organizationId: string,
      { userId, ...member }: StoredMember,
    ): Promise<boolean> {
      return unlessTaken(
        members.insertOne({
          _id: userId,
          organizationId,
          ...member,
          emailLower: member.email.toLowerCase(),
        }),
      );
    },
    async findMember(organizationId: string, userId: string): Promise<StoredMember | undefined> {
      return toStoredMember(await members.findOne({ _id: userId, organizationId }));
    },
    /** By an e-mail address of whatever case. */
    async findMemberByEmail(
      organizationId: string,
      email: string,
    ): Promise<StoredMember | undefined> {
      const emailLower = email.toLowerCase();
      return toStoredMember(await members.findOne({ organizationId, emailLower }));
    },
    async findFirstAdmin(organizationId: string): Promise<StoredMember | undefined> {
      return toStoredMember(
        await members.findOne({ organizationId, role: 'admin' }, { sort: { _id: 1 } }),
      );
    },
    /**
     * Across organizations: the operator's. Finds by an e-mail address of whatever case, by a user
     * id, or the first admin by the id of an organization.
     */
    async findMembersAnywhere(text: string, limit: number): Promise<FoundMember[]> {
      const documents = text.includes('@')
        ? await members.find({ emailLower: text.toLowerCase() }, { limit }).toArray()
        : [
            (await members.findOne({ _id: text })) ??
              (await members.findOne(
                { organizationId: text, role: 'admin' },
                { sort: { _id: 1 } },
              )) ??
              [],
          ].flat();
      return documents.map((document) => ({
        ...toStoredMember(document)!,
        organizationId: document.organizationId,
      }));
    },
    countAdmins: (organizationId: string): Promise<number> =>
      members.countDocuments({ organizationId, role: 'admin' }),
    listMembers(organizationId: string, page: PageRequest): Promise<Page<StoredMember>> {
      return findPage(members, {
        filter: { organizationId },
        page,
        toItem: (document) => toStoredMember(document)!,
      });
    },
    /** False when the e-mail address is taken. */
    async updateMember(
      organizationId: string,
      userId: string,
      change: MemberChange,
    ): Promise<boolean> {
      const emailLower =
        change.email === undefined ? {} : { emailLower: change.email.toLowerCase() };
      // A $set of nothing is an error to MongoDB, so the organization is set to itself.
      return unlessTaken(
        members.updateOne(
          { _id: userId, organizationId },
          { $set: { organizationId, ...change, ...emailLower } },
        ),
      );
    },
    /** Across organizations: who verified the key or the session knows the member. */
    async noteMemberUse({ id, at, unlessAfter }: Use): Promise<void> {
      const isDue = {
        $or: [{ lastSeenAt: { $exists: false } }, { lastSeenAt: { $lte: unlessAfter } }],
      };
      await members.updateOne({ _id: id, ...isDue }, { $set: { lastSeenAt: at } });
    },
    async deleteMember(organizationId: string, userId: string): Promise<void> {
      await members.deleteOne({ _id: userId, organizationId });
    },
  };
}

function createKeys(database: Database) {
  const keys = database.collection<KeyDocument>('apiKeys');
  return {
    async createKey(organizationId: string, { id, ...key }: StoredKey): Promise<void> {
      await keys.insertOne({ _id: id, ...key, organizationId });
    },
    listKeys(organizationId: string, page: PageRequest): Promise<Page<StoredKey>> {
      return findPage(keys, {
        filter: { organizationId },
        page,
        toItem: (document) => toStoredKey(document)!,
      });
    },
    async deleteKey(organizationId: string, id: string): Promise<StoredKey | undefined> {
      return toStoredKey(await keys.findOneAndDelete({ _id: id, organizationId }));
    },
    async deleteKeysOf(organizationId: string, userId: string): Promise<void> {
      await keys.deleteMany({ organizationId, createdByUserId: userId });
    },
    /** Across organizations: a key says to which it belongs. */
    async findKeyByHash(keyHash: string): Promise<StoredKey | undefined> {
      return toStoredKey(await keys.findOne({ keyHash }));
    },
    /** Across organizations: the hashes of these that are of a key. */
    async findKeyHashes(keyHashes: string[]): Promise<string[]> {
      return (await keys.distinct('keyHash', { keyHash: { $in: keyHashes } })) as string[];
    },
    async findKeyOf(organizationId: string, id: string): Promise<StoredKey | undefined> {
      return toStoredKey(await keys.findOne({ _id: id, organizationId }));
    },
    /** Across organizations: the operator's. */
    async findKey(id: string): Promise<StoredKey | undefined> {
      return toStoredKey(await keys.findOne({ _id: id }));
    },
    /** Across organizations: who verified the key knows it. */
    async noteKeyUse({ id, at, unlessAfter }: Use): Promise<void> {
      const isDue = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lte: unlessAfter } }] };
      await keys.updateOne({ _id: id, ...isDue }, { $set: { lastUsedAt: at } });
    },
  };
}

function createBrowserSessions(database: Database) {
  const sessions = database.collection<BrowserSessionDocument>('browserSessions');
  return {
    async createBrowserSession(
      organizationId: string,
      { id, ...session }: StoredBrowserSession,
    ): Promise<void> {
      await sessions.insertOne({ _id: id, ...session, organizationId });
    },
    async findBrowserSession(
      organizationId: string,
      id: string,
    ): Promise<StoredBrowserSession | undefined> {
      return toStoredSession(await sessions.findOne({ _id: id, organizationId }));
    },
    /** Across organizations: a session says to which it belongs. */
    async findBrowserSessionByHash(secretHash: string): Promise<StoredBrowserSession | undefined> {
      return toStoredSession(await sessions.findOne({ secretHash }));
    },
    /** Across organizations: the hashes of these that are of a session. */
    async findSessionHashes(secretHashes: string[]): Promise<string[]> {
      return (await sessions.distinct('secretHash', {
        secretHash: { $in: secretHashes },
      })) as string[];
    },
    async deleteBrowserSession(organizationId: string, id: string): Promise<void> {
      await sessions.deleteOne({ _id: id, organizationId });
    },
    /** Deletes the sessions of a member, or those alone that one of the member's keys began. */
    async deleteBrowserSessionsOf(
      organizationId: string,
      owner: { userId: string; apiKeyId?: string },
    ): Promise<void> {
      await sessions.deleteMany({ organizationId, ...owner });
    },
    /** Across organizations: who verified the session knows it. */
    async noteBrowserSessionUse({ id, at, unlessAfter }: Use): Promise<void> {
      await sessions.updateOne(
        { _id: id, lastUsedAt: { $lte: unlessAfter } },
        { $set: { lastUsedAt: at } },
      );
    },
  };
}

/** In a transaction, a taken key ends it: the caller must throw. */
async function unlessTaken(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

const toStoredMember = (document: MemberDocument | null): StoredMember | undefined =>
  document
    ? {
        userId: document._id,
        email: document.email,
        name: document.name,
        role: document.role,
        createdAt: document.createdAt,
        ...(document.lastSeenAt ? { lastSeenAt: document.lastSeenAt } : {}),
      }
    : undefined;

function toStoredSession(
  document: BrowserSessionDocument | null,
): StoredBrowserSession | undefined {
  if (!document) return undefined;
  const { _id, ...session } = document;
  return { id: _id, ...session };
}

function toStoredKey(document: KeyDocument | null): StoredKey | undefined {
  if (!document) return undefined;
  const { _id, ...key } = document;
  return { id: _id, ...key };
}
