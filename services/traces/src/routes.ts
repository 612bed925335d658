import type { Handlers } from '@assay/contracts/define';
import type { traces } from '@assay/contracts/traces';
import type { Domain } from './domain.ts';

export const createRoutes = (domain: Domain): Handlers<typeof traces> => ({
  exportTraces: ({ identity, query, bytes, contentType }) =>
    domain.receiving.receiveSpans(identity, { bytes, contentType, projectId: query.projectId }),
  exportLogs: ({ bytes, contentType }) =>
    domain.receiving.rejectRecords('logs', { bytes, contentType }),
  exportMetrics: ({ bytes, contentType }) =>
    domain.receiving.rejectRecords('metrics', { bytes, contentType }),
  listTraces: ({ identity, params, query, page }) =>
    domain.list(identity, params.projectId, query, page),
  getTrace: ({ identity, params }) => domain.get(identity, params.traceId),
  deleteTrace: ({ identity, params }) => domain.delete(identity, params.traceId),
  listSpans: ({ identity, params }) => domain.listSpans(identity, params.traceId),
  getSpan: ({ identity, params }) => domain.getSpan(identity, params.traceId, params.spanId),
  listSessionTraces: ({ identity, params, page }) =>
    domain.listOfSession(identity, params.sessionId, page),
});
