import type { Migration } from '@assay/runtime/mongo/migrations';

/**
 * Leaves out null. With `$type` an index is not used at all: MongoDB does not see that a text that is
 * looked for has that type.
 */
const aText = { $gt: '' };

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
        { partialFilterExpression: { sessionId: aText } },
      );
      // An empty list has an entry in an index of lists, too, unless the index leaves it out.
      await heads.createIndex(
        { organizationId: 1, linkIds: 1 },
        { partialFilterExpression: { 'linkIds.0': { $exists: true } } },
      );
      await heads.createIndex(
        { organizationId: 1, projectId: 1, tags: 1, ...newestFirst },
        { partialFilterExpression: { 'tags.0': { $exists: true } } },
      );
      await heads.createIndex(
        { organizationId: 1, projectId: 1, userId: 1, ...newestFirst },
        { partialFilterExpression: { userId: aText } },
      );
      await heads.createIndex({ organizationId: 1, projectId: 1, name: 1, ...newestFirst });
      await heads.createIndex({ organizationId: 1, projectId: 1, serviceName: 1, ...newestFirst });
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
      await heads.createIndex({ askAt: 1 }, { sparse: true });

      const monitors = database.collection('monitors');
      await monitors.createIndex(
        { organizationId: 1, projectId: 1, description: 1 },
        { unique: true },
      );
      await monitors.createIndex({ organizationId: 1, projectId: 1, _id: -1 });
      const days = database.collection('monitor_days');
      await days.createIndex({ organizationId: 1, monitorId: 1, day: -1 });
      await days.createIndex({ organizationId: 1, projectId: 1 });
      await database
        .collection('record_links')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      await database
        .collection('trace_annotations')
        .createIndex({ organizationId: 1, traceId: 1, _id: 1 });
      const hours = database.collection('monitor_hours');
      await hours.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '2-mapping-of-heads',
    up: async (database) => {
      await database
        .collection('traces')
        .createIndex(
          { mapping: 1, startedAt: -1 },
          { partialFilterExpression: { isSettled: true } },
        );
    },
  },
  {
    name: '3-span-lists',
    up: async (database) => {
      await database.createCompressed('span_lists');
      await database
        .collection('span_lists')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    // Of the indexes that this makes useless, the processes of 0.2.0 still use hasRoot_1_changedAt_1
    // and askAt_1.
    name: '4-due-by-organization',
    up: async (database) => {
      const heads = database.collection('traces');
      await heads.createIndex(
        { isSettled: 1, hasRoot: 1, organizationId: 1, changedAt: 1 },
        { partialFilterExpression: { isSettled: false } },
      );
      await heads.createIndex(
        { organizationId: 1, askAt: 1 },
        { partialFilterExpression: { askAt: { $exists: true } } },
      );
    },
  },
  {
    name: '5-daily-bytes',
    up: async (database) => {
      await database
        .collection('daily_bytes')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    // The processes of 0.2.0 still use mapping_1_startedAt_-1, which this makes useless.
    name: '6-outdated-by-organization',
    up: async (database) => {
      await database
        .collection('traces')
        .createIndex(
          { organizationId: 1, mapping: 1, startedAt: -1 },
          { partialFilterExpression: { isSettled: true } },
        );
    },
  },
  {
    name: '7-mentions',
    up: async (database) => {
      await database
        .collection('trace_annotations')
        .createIndex(
          { organizationId: 1, projectId: 1, mentions: 1, _id: -1 },
          { partialFilterExpression: { mentions: { $exists: true } } },
        );
    },
  },
  {
    // Where few traces took so long, or cost so much, these are found without reading all others.
    name: '8-sparse-filters',
    up: async (database) => {
      const heads = database.collection('traces');
      for (const field of ['durationMs', 'costUsd'])
        await heads.createIndex(
          { organizationId: 1, projectId: 1, [field]: 1, startedAt: -1, traceId: -1 },
          { partialFilterExpression: { [field]: { $gte: 0 } } },
        );
    },
  },
  {
    name: '9-deleted-traces',
    up: async (database) => {
      await database
        .collection('deleted_traces')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '10-ratings',
    up: async (database) => {
      const heads = database.collection<{ _id: string }>('traces');
      const rated = database.collection('trace_annotations').aggregate([
        { $match: { rating: { $in: [true, false] } } },
        {
          $group: {
            _id: { $concat: ['$organizationId', '/', '$traceId'] },
            ratings: { $addToSet: '$rating' },
          },
        },
      ]);
      for await (const { _id, ratings } of rated)
        await heads.updateOne({ _id }, { $set: { ratings } });
      await heads.createIndex(
        { organizationId: 1, projectId: 1, ratings: 1, startedAt: -1, traceId: -1 },
        { partialFilterExpression: { 'ratings.0': { $exists: true } } },
      );
    },
  },
];
