import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      await database.collection('projects').createIndex({ organizationId: 1, _id: 1 });
      await database
        .collection('testsets')
        .createIndex({ organizationId: 1, projectId: 1, _id: 1 });
    },
  },
  {
    name: '2-imports',
    up: async (database) => {
      const imports = database.collection('imports');
      await imports.createIndex(
        { organizationId: 1, keyId: 1 },
        { unique: true, partialFilterExpression: { keyId: { $exists: true } } },
      );
      await imports.createIndex({ expiresAt: 1 }, { sparse: true });
      await imports.createIndex({ forgetAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '3-views',
    up: async (database) => {
      await database
        .collection('views')
        .createIndex({ organizationId: 1, projectId: 1, ownerUserId: 1, _id: 1 });
    },
  },
];
