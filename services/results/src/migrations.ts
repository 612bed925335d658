import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-kept-results',
    up: async (database) => {
      await database.collection('answers').createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      const kept = database.collection('kept_results');
      await kept.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      await kept.createIndex({ organizationId: 1, runIds: 1 });
      await kept.createIndex({ organizationId: 1, keptAt: 1 });
    },
  },
];
