import type { Handlers } from '@assay/contracts/define';
import type { transfers } from '@assay/contracts/transfers';
import type { Domain } from './domain.ts';

export const createRoutes = ({ exports, imports }: Domain): Handlers<typeof transfers> => ({
  exportProject: ({ identity, params }) => exports.exportProject(identity, params.projectId),
  importProject: ({ identity, query, stream, idempotencyKey }) =>
    imports.importProject(identity, {
      stream,
      name: query.name,
      isSummaryOnly: query.answers === 'summary',
      keyId: idempotencyKey?.id ?? null,
    }),
});
