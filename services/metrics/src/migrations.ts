import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      await database.collection('metrics').createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      const versions = database.collection('versions');
      await versions.createIndex({ organizationId: 1, metricId: 1 });
      await versions.createIndex({ organizationId: 1, projectId: 1 });
      const groups = database.collection('groups');
      await groups.createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      await groups.createIndex({ organizationId: 1, metricIds: 1 });
    },
  },
  {
    name: '2-versions-in-order',
    up: async (database) => {
      const versions = database.collection('versions');
      await versions.createIndex({ organizationId: 1, metricId: 1, _id: 1 });
      // The new one begins with it.
      const before = 'organizationId_1_metricId_1';
      if (await versions.indexExists(before)) await versions.dropIndex(before);
    },
  },
];
