import { z } from 'zod';
import { list, operation, question, search, service } from './define.ts';
import {
  count,
  flagParameter,
  grouped,
  instantParameter,
  integerParameter,
  success,
  text,
  timestamp,
} from './fields.ts';
import { forgetTracesQuestion } from './forgetting.ts';
import { usageQuestion } from './limits.ts';
import { namesQuestion } from './names.ts';
import { writtenBefore } from './payload.ts';
import { moveAuthorQuestion } from './project-file/authors.ts';
import { partExport, partRestore, partReveal } from './project-file/operations.ts';
import { mentionsQuestion } from './run-records/mentions.ts';
import { traceAnnotationOperations } from './traces/annotations.ts';
import { fromTraces } from './traces/from-traces.ts';
import { spanId, traceId } from './traces/ids.ts';
import { monitorOperations } from './traces/monitors.ts';
import { conversation, listedSpan, span, trace } from './traces/trace.ts';
import { bucketsMax, traceVolume } from './traces/volume.ts';

export { type TraceAnnotation, traceAnnotationsMax } from './traces/annotations.ts';
export {
  activeMonitorsMax,
  type Monitor,
  type MonitorCounts,
  type MonitorPreview,
  monitorDaysMax,
  noMonitorCounts,
  previewExamplesMax,
  previewedSpansMax,
  previewedTracesMax,
} from './traces/monitors.ts';

export type {
  Evaluation,
  ListedSpan,
  Trace,
  TraceConversation,
  TraceSpan,
} from './traces/trace.ts';
export type { TraceVolume } from './traces/volume.ts';

/** Bytes of a decoded request, as opentelemetry-proto 1.11 recommends. */
export const otlpBytesMax = 64 * 1024 * 1024;
/** Spans of one trace that are listed, in the order of their start. */
export const listedSpansMax = 20_000;
/** Traces of one record that are told. */
export const linkedTracesMax = 20;

const otlpTypes = ['application/x-protobuf', 'application/json'] as const;

/** One of the three requests of OTLP/HTTP. */
const otlp = (signal: string, { summary, description }: { summary: string; description: string }) =>
  operation({
    method: 'POST',
    base: '/otel',
    path: `/v1/${signal}`,
    summary,
    description,
    bytes: otlpTypes,
    bodyBytesMax: otlpBytesMax,
    query: z.object({
      projectId: z.string().max(256).optional().meta({
        description: 'The project of spans that name none themselves.',
      }),
    }),
    status: 200,
  });

const number = (about: string) =>
  z
    .string()
    .regex(/^\d{1,32}(?:\.\d{1,400})?(?:e[+-]?\d{1,3})?$/i, 'must be a number')
    .transform(Number)
    .refine(Number.isFinite, 'must be a number')
    .optional()
    .meta({ description: about, override: { type: 'number', minimum: 0 } });

const filterText = (about: string) => text(512, 1).optional().meta({ description: about });

export const traceFilters = z.object({
  from: instantParameter('Started then or later.'),
  to: instantParameter('Started before.'),
  name: filterText('The name of the trace, exactly.'),
  service: filterText('The name of the service.'),
  model: filterText('A model that answered in it.'),
  sessionId: filterText('Its session.'),
  userId: filterText('Its user.'),
  tag: filterText('One of its tags.'),
  linkId: filterText('One of its link ids, as the `otelLinkId` of a record.'),
  error: flagParameter('Has a span that ended with an error, or has none.'),
  settled: flagParameter('Is settled, or is not.'),
  minDurationMs: number('Took at least as many milliseconds.'),
  minCostUsd: number('Cost at least as much.'),
  rating: flagParameter('Somebody rated it good in an annotation, or bad.'),
});

const withRecords = {
  records: flagParameter('Tells the records that name each trace, with their outcomes.'),
};

const exampleProjectTraces = { query: { from: '2026-03-01T00:00:00Z', error: 'false' } };

export const traces = service({
  name: 'traces',
  summary: 'Traces that systems send by OpenTelemetry',
  operations: {
    exportTraces: otlp('traces', {
      summary: 'Send spans: an ExportTraceServiceRequest of OTLP/HTTP in protobuf or JSON',
      description:
        'Answered when the spans are durable. A span that cannot be kept is refused by itself: the reply’s `partial_success` counts these and tells why the first was. A repeat stores nothing twice. Spans belong to the project that their attribute `assay.project_id` or `scorecard.project_id`, or that of their resource, names; else to that of the query, or of the header `x-assay-project`; else to the oldest of the organization, which is told with each trace.',
    }),
    exportLogs: otlp('logs', {
      summary: 'Send log records: an ExportLogsServiceRequest of OTLP/HTTP',
      description:
        'Kept are log records that have the ids of a trace and a span and are named as OpenTelemetry’s conventions for generative AI have it: `gen_ai.client.inference.operation.details` (what a model was asked and answered), `gen_ai.evaluation.result` (a score), and the messages of conventions up to 1.36. They become events of their span, whichever of the two comes first. All others are counted as rejected in the reply’s `partial_success`.',
    }),
    exportMetrics: otlp('metrics', {
      summary: 'Send metrics: an ExportMetricsServiceRequest of OTLP/HTTP',
      description:
        'No data point is kept: all are counted as rejected in the reply’s `partial_success`.',
    }),
    listTraces: list({
      path: '/projects/:projectId/traces',
      expensive: true,
      summary: 'List the traces of a project, newest first',
      description: 'Filters combine with AND.',
      query: traceFilters.extend(withRecords),
      item: trace,
      example: exampleProjectTraces,
    }),
    searchTraces: search({
      path: '/projects/:projectId/traces/search',
      expensive: true,
      summary: 'Search the traces of a project for a text, newest first',
      description:
        'Finds the text as people read it, in any case, in the names of spans and in the values of their attributes and events: what a model was asked and answered, what tools were given and gave, errors. In a value that is JSON, escapes count as the characters that they stand for. A text in another normal form of Unicode is not found. Filters are those of the list. A page ends when `limit` traces are found, or after 2 s, maybe without one; its cursor goes on from there.',
      query: traceFilters.extend(withRecords),
      body: { text: text(256, 1).meta({ description: 'What to look for.' }) },
      found: trace,
      progress: {
        searched: count().meta({
          description: 'Traces that were looked in, those of the pages before included.',
        }),
        searchedTo: timestamp().nullable().meta({
          description:
            'When the last trace began that was looked in: of what began later, everything was. Null where there was none.',
        }),
      },
      example: { query: { from: '2026-03-01T00:00:00Z' }, body: { text: 'tracking number' } },
    }),
    getTraceVolume: operation({
      method: 'GET',
      path: '/projects/:projectId/traces/volume',
      expensive: true,
      summary:
        'Count the traces of a project, and those with errors, in equal stretches of time by their start',
      description:
        'The day up to now where no time is given. Filters are those of the list. The newest stretches are counted first, for a second: where this is not enough, the older ones are null and `isComplete` is false. A shorter time, or a filter by name, service, model, user or tag, counts less.',
      query: traceFilters
        .extend({
          buckets: integerParameter({
            min: 1,
            max: bucketsMax,
            default: 60,
            about: 'How many parts of equal length the time is cut into.',
          }),
        })
        .refine(({ from, to }) => !from || !to || Date.parse(from) < Date.parse(to), {
          path: ['to'],
          error: 'must be later than from',
        }),
      reply: traceVolume,
      status: 200,
      example: { query: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' } },
    }),
    getTrace: operation({
      method: 'GET',
      path: '/traces/:traceId',
      params: { traceId },
      summary: 'Get a trace',
      reply: trace,
      status: 200,
    }),
    deleteTrace: operation({
      method: 'DELETE',
      path: '/traces/:traceId',
      expensive: true,
      params: { traceId },
      summary: 'Delete a trace and its spans',
      reply: success,
      status: 200,
    }),
    listSpans: operation({
      method: 'GET',
      path: '/traces/:traceId/spans',
      expensive: true,
      params: { traceId },
      summary: 'List the spans of a trace in the order of their start, without large values',
      description: `Lists ${grouped(listedSpansMax)} spans at most; \`numSpans\` counts all.`,
      reply: z.object({
        data: writtenBefore(z.array(listedSpan)),
        numSpans: count().meta({ description: 'Spans that the trace has.' }),
      }),
      status: 200,
    }),
    getConversation: operation({
      method: 'GET',
      path: '/traces/:traceId/conversation',
      expensive: true,
      params: { traceId },
      summary: 'Get what was said in a trace, and what the system did for the answer',
      description:
        'The conversation is found whichever instrumentation tells it, and cut after the last message of the user. At most 1 MiB.',
      reply: conversation,
      status: 200,
    }),
    getSpan: operation({
      method: 'GET',
      path: '/traces/:traceId/spans/:spanId',
      expensive: true,
      params: { traceId, spanId },
      summary:
        'Get a span with all that its client sent, and with input, output and messages read of it',
      reply: span,
      status: 200,
    }),
    listSessionTraces: list({
      path: '/sessions/:sessionId/traces',
      expensive: true,
      params: {
        sessionId: text(256, 1).meta({ description: 'The conversation that spans name.' }),
      },
      summary: 'List the traces of a session, oldest first',
      item: trace,
    }),
    ...traceAnnotationOperations,
    ...fromTraces,
    ...monitorOperations,
    exportTracesPart: partExport('traces'),
    restoreTracesPart: partRestore('traces'),
    revealTracesPart: partReveal('traces'),
  },
  questions: {
    mentions: mentionsQuestion,
    tracesOf: question({
      summary: 'The traces that carry a link id, or have it as their id, the newest first',
      payload: z.object({ linkId: z.string() }),
      reply: z.object({ traceIds: z.array(z.string()).max(linkedTracesMax) }),
    }),
    names: namesQuestion,
    moveAuthor: moveAuthorQuestion,
    forgetProject: question({
      summary: 'Delete everything in a deleted project before answering',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
    forgetTraces: forgetTracesQuestion,
    usage: usageQuestion(
      'The bytes of spans that the organization has sent today; asked by identity',
    ),
  },
});
