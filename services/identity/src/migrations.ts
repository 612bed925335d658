import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      await database.collection('members').createIndex({ organizationId: 1, _id: 1 });
      await database
        .collection('members')
        .createIndex({ organizationId: 1, emailLower: 1 }, { unique: true });
      await database.collection('apiKeys').createIndex({ organizationId: 1, _id: 1 });
      await database.collection('apiKeys').createIndex({ organizationId: 1, createdByUserId: 1 });
      await database.collection('apiKeys').createIndex({ keyHash: 1 }, { unique: true });
    },
  },
  {
    name: '2-browser-sessions',
    up: async (database) => {
      const sessions = database.collection('browserSessions');
      await sessions.createIndex({ secretHash: 1 }, { unique: true });
      await sessions.createIndex({ organizationId: 1, userId: 1 });
      // Every session is idle in the end, also one that was as long as it may be.
      await sessions.createIndex({ lastUsedAt: 1 }, { expireAfterSeconds: 12 * 60 * 60 });
      await database
        .collection('loginTokens')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      // The operator names a member by the address alone.
      await database.collection('members').createIndex({ emailLower: 1 });
    },
  },
  {
    name: '3-device-logins',
    up: async (database) => {
      const logins = database.collection('deviceLogins');
      await logins.createIndex({ userCode: 1 }, { unique: true });
      await logins.createIndex({ clientAddress: 1 });
      for (const collection of ['deviceLogins', 'deviceCodeAttempts'])
        await database
          .collection(collection)
          .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '4-device-logins-by-network',
    up: async (database) => {
      const logins = database.collection('deviceLogins');
      await logins.createIndex({ clientNetwork: 1, askedAt: 1, createdAt: 1 });
      await logins.createIndex({ askedAt: 1, createdAt: 1 });
    },
  },
  {
    name: '5-request-counts',
    up: async (database) => {
      await database
        .collection('requestCounts')
        .createIndex({ endsAt: 1 }, { expireAfterSeconds: 60 });
    },
  },
  {
    name: '6-imported-people',
    up: async (database) => {
      const people = database.collection('importedPeople');
      await people.createIndex({ organizationId: 1, _id: 1 });
      await people.createIndex({ organizationId: 1, projectId: 1 });
      await people.createIndex(
        { organizationId: 1, heldUntil: 1 },
        { partialFilterExpression: { heldUntil: { $exists: true } } },
      );
    },
  },
  {
    name: '7-invitations',
    up: async (database) => {
      const invitations = database.collection('invitations');
      await invitations.createIndex({ tokenHash: 1 }, { unique: true });
      await invitations.createIndex({ organizationId: 1, _id: 1 });
      await invitations.createIndex({ organizationId: 1, emailLower: 1 }, { unique: true });
      await invitations.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      await database.collection('loginTokens').createIndex({ organizationId: 1, userId: 1 });
    },
  },
];
