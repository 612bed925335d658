import { refusalOf } from '@assay/otlp/check-span';
import { countDataPoints, countOfOtherSignals } from '@assay/otlp/count-data-points';
import { cutByTrace, type SpanInTrace, type TracePart } from '@assay/otlp/cut-by-trace';
import { OtlpFailure } from '@assay/otlp/failure';
import { readLogRecordsOfJson } from '@assay/otlp/json/read-log-records';
import { readSpansOfJson } from '@assay/otlp/json/read-spans';
import { valueDepthMax } from '@assay/otlp/limits';
import { isRoot } from '@assay/otlp/log-record';
import { readLogRecords } from '@assay/otlp/protobuf/read-log-records';
import { readSpans } from '@assay/otlp/protobuf/read-spans';
import type { Encoding } from '@assay/otlp/reply';
import type { Attributes, ReceivedSpan, ResourceSpans } from '@assay/otlp/span';
import { millisecondsOf } from '@assay/span-reading/line-of';
import { endedWithError } from '@assay/span-reading/span-error';
import { spanIdsOf } from './span-ids.ts';

/** Bytes of the spans of one stored part: a document of MongoDB has 16 MiB at most. */
const partBytesMax = 8 * 1024 * 1024;
/** A span is stored in one part with its resource and its scope. */
const spanBytesMax = 12 * 1024 * 1024;

/** Traces that one request may have spans of. */
const tracesMax = 10_000;

/** The spans that a request has of one trace, with the facts that its head needs. */
export interface ReceivedPart {
  traceId: string;
  bytes: Uint8Array;
  numSpans: number;
  spanIds: Uint8Array;
  numErrors: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** The name of its first span. */
  firstName: string;
  /** The name of the root, if it is among the spans. */
  rootName: string | undefined;
  serviceName: string | undefined;
  /** The project that its spans name. */
  projectId: string | undefined;
}

/** A request as it was read: its traces, and the spans that cannot be kept. */
export interface ReceivedRequest {
  parts: ReceivedPart[];
  numRejected: number;
  /** Why the first one was rejected; empty where none was. */
  reason: string;
}

/** A request, or why the whole of it is none. Data alone, as it may come from a worker thread. */
export type RequestReading = { request: ReceivedRequest } | { refused: string };

/** The two requests that have something to keep. */
export type KeptSignal = 'traces' | 'logs';

/** Reads the body of an export of spans, or of log records. `now` is in ms since 1970. */
export function readRequest({
  bytes,
  encoding,
  signal,
  now,
}: {
  bytes: Uint8Array;
  encoding: Encoding;
  signal: KeptSignal;
  now: number;
}): RequestReading {
  const text = () => Buffer.from(bytes).toString();
  return orRefused(() => {
    const request = signal === 'traces' ? readTraces() : readLogs();
    if (encoding === 'protobuf' || request.parts.length > 0 || request.numRejected > 0)
      return { request };
    const numRejected = countOfOtherSignals(text(), signal);
    return { request: numRejected === 0 ? request : { ...request, numRejected, reason: mistaken } };
  });

  function readTraces(): ReceivedRequest {
    return cut(encoding === 'protobuf' ? readSpans(bytes) : readSpansOfJson(text()), now);
  }

  function readLogs(): ReceivedRequest {
    const { batches, numOthers } =
      encoding === 'protobuf' ? readLogRecords(bytes) : readLogRecordsOfJson(text());
    const { parts, numRejected, reason } = cut(batches, now);
    return {
      parts,
      numRejected: numRejected + numOthers,
      reason: reason === '' && numOthers > 0 ? otherLogs : reason,
    };
  }
}

const paths =
  'spans have the path /otel/v1/traces, logs /otel/v1/logs, and metrics /otel/v1/metrics';
const mistaken = `the body belongs at another path: ${paths}`;
const otherLogs =
  'log records are kept where they have the ids of a trace and a span and say what a model was asked and answered (gen_ai.client.inference.operation.details), or how it was scored (gen_ai.evaluation.result)';

/** The number of data points of a request, or why the whole of it is none. */
export type PointCount = { count: number } | { refused: string };

/** Counts the data points of a request with metrics, none of which is kept. */
export const countPoints = ({
  bytes,
  encoding,
}: {
  bytes: Uint8Array;
  encoding: Encoding;
}): PointCount => orRefused(() => ({ count: countDataPoints(bytes, encoding) }));

function orRefused<Found>(work: () => Found): Found | { refused: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof OtlpFailure) return { refused: error.message };
    throw error;
  }
}

function cut(batches: ResourceSpans[], now: number): ReceivedRequest {
  let numRejected = 0;
  let numWithoutIds = 0;
  let reason = '';
  const isTaken = (received: ReceivedSpan): boolean => {
    const { span } = received;
    const refusal = refusalOf(span, now) ?? refusalOfValues(received);
    if (refusal === undefined) return true;
    if (span.traceId.length === 0 && span.spanId.length === 0) numWithoutIds += 1;
    if (numRejected === 0) reason = refusal;
    numRejected += 1;
    return false;
  };
  const parts = cutByTrace(batches, {
    take: (received) => (isTaken(received) ? received : undefined),
    partBytesMax,
  }).map(partOf);
  if (parts.length > tracesMax)
    throw new OtlpFailure(
      `The request has spans of more than ${tracesMax.toLocaleString('en')} traces: send fewer at once.`,
    );
  // Logs and metrics have the outer form of spans, and read as spans without ids.
  if (numWithoutIds > 0 && numWithoutIds === numRejected && parts.length === 0)
    reason = `no span has an id, so this looks like logs or metrics: ${paths}`;
  return { parts, numRejected, reason };
}

function refusalOfValues({ bytes, isTooDeep }: ReceivedSpan): string | undefined {
  if (isTooDeep)
    return `a value of a span, its scope or its resource must have at most ${valueDepthMax} lists and maps within each other`;
  return bytes.length > spanBytesMax ? `a span must have at most ${spanBytesMax} bytes` : undefined;
}

function partOf({ traceId, spans, bytes }: TracePart): ReceivedPart {
  let first = spans[0]!;
  let end = first.span.end;
  let numErrors = 0;
  for (const each of spans) {
    if (each.span.start < first.span.start) first = each;
    if (each.span.end > end) end = each.span.end;
    if (endedWithError(each)) numErrors += 1;
  }
  return {
    traceId,
    bytes,
    numSpans: spans.length,
    spanIds: spanIdsOf(spans),
    numErrors,
    startedAt: millisecondsOf(first.span.start),
    endedAt: millisecondsOf(end),
    firstName: first.span.name,
    rootName: spans.find(({ span }) => isRoot(span))?.span.name,
    serviceName: firstText(
      spans.map(({ resource }) => resource.attributes),
      ['service.name'],
    ),
    projectId: firstText(spans.flatMap(placesOfProject), [
      'assay.project_id',
      'scorecard.project_id',
    ]),
  };
}

const placesOfProject = ({ span, resource }: SpanInTrace): Attributes[] => [
  span.attributes,
  resource.attributes,
];

function firstText(places: Attributes[], keys: string[]): string | undefined {
  for (const attributes of places)
    for (const key of keys) {
      const value = attributes.get(key);
      if (typeof value === 'string' && value !== '') return value.slice(0, 256);
      if (typeof value === 'bigint') return String(value);
    }
  return undefined;
}
