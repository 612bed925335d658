import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      await database
        .collection('testcases')
        .createIndex({ organizationId: 1, testsetId: 1, _id: 1 });
    },
  },
  {
    name: '2-imports',
    up: async (database) => {
      await database.collection('imports').createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '3-keys',
    up: async (database) => {
      await database
        .collection('testcases')
        .createIndex(
          { organizationId: 1, testsetId: 1, key: 1 },
          { unique: true, partialFilterExpression: { key: { $exists: true } } },
        );
      await database.collection('syncs').createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '4-annotations',
    up: async (database) => {
      const annotations = database.collection('testcase_annotations');
      await annotations.createIndex({ organizationId: 1, testcaseId: 1, _id: 1 });
      await annotations.createIndex({ organizationId: 1, projectId: 1, mentions: 1, _id: -1 });
    },
  },
  {
    name: '5-versions',
    up: async (database) => {
      const testcases = database.collection('testcases');
      const partialFilterExpression = { 'deleted.testsetId': { $exists: true } };
      await testcases.createIndex(
        { organizationId: 1, 'deleted.testsetId': 1, _id: 1 },
        { partialFilterExpression },
      );
      await testcases.createIndex(
        {
          organizationId: 1,
          'deleted.testsetId': 1,
          'deleted.at': 1,
          _id: 1,
          'deleted.userId': 1,
        },
        { partialFilterExpression },
      );
      const versions = database.collection('testcaseVersions');
      await versions.createIndex({
        organizationId: 1,
        testsetId: 1,
        at: 1,
        testcaseId: 1,
        userId: 1,
      });
      // The history of a testcase is read without its data.
      await versions.createIndex({
        organizationId: 1,
        testcaseId: 1,
        version: 1,
        change: 1,
        since: 1,
        at: 1,
      });
    },
  },
  {
    name: '6-deletions',
    up: async (database) => {
      await database
        .collection('testcases')
        .createIndex(
          { organizationId: 1, 'deleted.at': 1, _id: 1 },
          { partialFilterExpression: { 'deleted.at': { $exists: true } } },
        );
    },
  },
];
