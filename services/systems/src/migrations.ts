import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      const systems = database.collection('systems');
      await systems.createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      await systems.createIndex({ organizationId: 1, projectId: 1, name: 1 }, { unique: true });
      const versions = database.collection('versions');
      await versions.createIndex(
        { organizationId: 1, systemId: 1, configHash: 1 },
        { unique: true },
      );
      await versions.createIndex({ organizationId: 1, systemId: 1, _id: 1, name: 1 });
      await versions.createIndex({ organizationId: 1, systemId: 1, name: 1 });
      await versions.createIndex({ organizationId: 1, projectId: 1 });
    },
  },
  {
    // The names of versions are searched in the index alone: a config may be a megabyte.
    name: '2-names',
    up: async (database) => {
      await database
        .collection('versions')
        .createIndex({ organizationId: 1, projectId: 1, _id: -1, name: 1, systemId: 1 });
    },
  },
];
