import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      const judgements = database.collection('judgements');
      await judgements.createIndex({ organizationId: 1, runId: 1, _id: 1 });
      await judgements.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '2-spending',
    up: async (database) => {
      await database
        .collection('spending')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '3-answers',
    up: async (database) => {
      const answers = database.collection('answers');
      await answers.createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      await answers.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      await database.collection('deleted_projects').createIndex({ deletedAt: 1 });
    },
  },
  {
    name: '4-pairwise-comparisons',
    up: async (database) => {
      const comparisons = database.collection('pairwise_comparisons');
      await comparisons.createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      await comparisons.createIndex({ organizationId: 1, projectId: 1, runIds: 1, _id: 1 });
      await comparisons.createIndex({ organizationId: 1, metricVersionId: 1, _id: 1 });
      await comparisons.createIndex({ sweepAt: 1 }, { sparse: true });
      const judgements = database.collection('pair_judgements');
      await judgements.createIndex({ organizationId: 1, comparisonId: 1, _id: 1 });
      await judgements.createIndex({ organizationId: 1, comparisonId: 1, state: 1, _id: 1 });
    },
  },
  {
    // The processes of 0.2.0 still use sweepAt_1, which this makes useless.
    name: '5-due-by-organization',
    up: async (database) => {
      await database
        .collection('pairwise_comparisons')
        .createIndex(
          { organizationId: 1, sweepAt: 1 },
          { partialFilterExpression: { sweepAt: { $exists: true } } },
        );
    },
  },
  {
    name: '6-model-permits',
    up: async (database) => {
      await database.collection('modelPermits').createIndex({ model: 1, until: 1 });
    },
  },
];
