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
];
