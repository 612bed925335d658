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
];
