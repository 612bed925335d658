import type { Migration } from '@assay/runtime/mongo/migrations';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      const attachments = database.collection('attachments');
      await attachments.createIndex(
        { organizationId: 1, sessionId: 1, filePath: 1 },
        { unique: true },
      );
      await attachments.createIndex({ organizationId: 1, sessionId: 1, isUploaded: 1, _id: 1 });
      await attachments.createIndex({ organizationId: 1, 'content.sha256': 1 });
      await attachments.createIndex({ organizationId: 1, 'upload.sha256': 1 });
      await database
        .collection('contents')
        .createIndex({ checkAt: 1 }, { partialFilterExpression: { checkAt: { $exists: true } } });
    },
  },
  {
    name: '2-arriving-attachments',
    up: async (database) => {
      const arriving = database.collection('arriving_attachments');
      await arriving.createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      await arriving.createIndex({ organizationId: 1, sha256: 1, expiresAt: 1 });
      await arriving.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '3-due-by-organization',
    up: async (database) => {
      await database
        .collection('contents')
        .createIndex(
          { organizationId: 1, checkAt: 1 },
          { partialFilterExpression: { checkAt: { $exists: true } } },
        );
    },
  },
];
