import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-collections',
    up: async (database) => {
      // Of spans that repeat their attributes, zstd leaves half of the default's bytes.
      await database.createCompressed('trace_parts');
      const parts = database.collection('trace_parts');
      await parts.createIndex({ organizationId: 1, traceId: 1, _id: 1 });
      await parts.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });

      const heads = database.collection('traces');
      const newestFirst = { startedAt: -1, traceId: -1 } as const;
      await heads.createIndex({ organizationId: 1, projectId: 1, ...newestFirst });
      await heads.createIndex(
        { organizationId: 1, sessionId: 1, startedAt: 1, traceId: 1 },
        { partialFilterExpression: { sessionId: { $type: 'string' } } },
      );
      await heads.createIndex({ organizationId: 1, linkIds: 1 }, { sparse: true });
      await heads.createIndex({ organizationId: 1, projectId: 1, tags: 1, ...newestFirst });
      await heads.createIndex({ organizationId: 1, projectId: 1, models: 1, ...newestFirst });
      await heads.createIndex(
        { organizationId: 1, projectId: 1, ...newestFirst, numErrors: 1 },
        { partialFilterExpression: { numErrors: { $gt: 0 } }, name: 'with_errors' },
      );
      await heads.createIndex(
        { hasRoot: 1, changedAt: 1 },
        { partialFilterExpression: { isSettled: false } },
      );
      await heads.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
];
