import type { Handlers } from '@assay/contracts/define';
import type { transfers } from '@assay/contracts/transfers';
import type { Domain } from './domain.ts';

export const createRoutes = ({ exports, imports }: Domain): Handlers<typeof transfers> => ({
  exportProject: ({ identity, params, query }) =>
    exports.exportProject(identity, {
      projectId: params.projectId,
      withBytes: query.attachments === 'include',
    }),
  importProject: ({ identity, query, stream, idempotencyKey }) =>
    imports.importProject(identity, {
      stream,
      name: query.name,
      isSummaryOnly: query.answers === 'summary',
      keyId: idempotencyKey?.id ?? null,
    }),
});
