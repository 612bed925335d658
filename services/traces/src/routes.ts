import type { Handlers, Request } from '@assay/contracts/define';
import type { traces } from '@assay/contracts/traces';
import type { Export } from './domain/receiving.ts';
import type { Domain } from './domain.ts';

type ExportRequest = Pick<
  Request<(typeof traces)['operations']['exportTraces']>,
  'bytes' | 'contentType' | 'query' | 'projectHeader'
>;

const exportOf = ({ bytes, contentType, query, projectHeader }: ExportRequest): Export => ({
  bytes,
  contentType,
  projectId: query.projectId ?? projectHeader,
});

export const createRoutes = (domain: Domain): Handlers<typeof traces> => ({
  exportTraces: ({ identity, ...request }) =>
    domain.receiving.receiveSpans(identity, exportOf(request)),
  exportLogs: ({ identity, ...request }) =>
    domain.receiving.receiveLogs(identity, exportOf(request)),
  exportMetrics: (request) => domain.receiving.rejectMetrics(exportOf(request)),
  listTraces: ({ identity, params, query, page }) =>
    domain.list(identity, params.projectId, query, page),
  searchTraces: ({ identity, params, query, body, page }) =>
    domain.search(identity, params.projectId, { text: body.text, filters: query, page }),
  getTraceVolume: ({ identity, params, query }) => domain.volume(identity, params.projectId, query),
  getTrace: ({ identity, params }) => domain.get(identity, params.traceId),
  deleteTrace: ({ identity, params }) => domain.delete(identity, params.traceId),
  listSpans: ({ identity, params }) => domain.listSpans(identity, params.traceId),
  getConversation: ({ identity, params }) => domain.getConversation(identity, params.traceId),
  getSpan: ({ identity, params }) => domain.getSpan(identity, params.traceId, params.spanId),
  listSessionTraces: ({ identity, params, page }) =>
    domain.listOfSession(identity, params.sessionId, page),
  createTraceAnnotation: ({ identity, params, body }) =>
    domain.annotations.create(identity, params.traceId, body),
  updateTraceAnnotation: ({ identity, params, body }) =>
    domain.annotations.update(identity, params, body),
  deleteTraceAnnotation: ({ identity, params }) =>
    domain.annotations.delete(identity, params.traceId, params.annotationId),
  createTestcasesFromTraces: ({ identity, params, body }) =>
    domain.fromTraces.createTestcases(identity, params.testsetId, body),
  createRecordsFromTraces: ({ identity, params, body }) =>
    domain.fromTraces.createRecords(identity, params.runId, body),
  saveMonitor: ({ identity, params, body }) =>
    domain.monitors.save(identity, params.projectId, body),
  previewMonitor: ({ identity, params, body }) =>
    domain.monitors.preview(identity, params.projectId, body),
  listMonitors: ({ identity, params, page }) =>
    domain.monitors.list(identity, params.projectId, page),
  getMonitor: ({ identity, params }) => domain.monitors.get(identity, params.monitorId),
  updateMonitor: ({ identity, params, body }) =>
    domain.monitors.update(identity, params.monitorId, body),
  deleteMonitor: ({ identity, params }) => domain.monitors.delete(identity, params.monitorId),
  backfillMonitor: ({ identity, params, body }) =>
    domain.monitors.backfill(identity, params.monitorId, body),
  exportTracesPart: ({ identity, body }) => domain.monitorPart.exportPart(identity, body),
  restoreTracesPart: ({ identity, query, stream }) =>
    domain.monitorPart.restorePart(identity, query.projectId, stream),
  revealTracesPart: ({ identity, body }) => domain.monitorPart.revealPart(identity, body.projectId),
});
