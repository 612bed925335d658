import { writeSpan } from './protobuf/write.ts';
import type { Attributes, ReceivedSpan, ResourceSpans, Span, Value } from './span.ts';

/** A log record of OpenTelemetry, as far as it is read. */
export interface LogRecord {
  /** Nanoseconds since 1970; 0 where it does not say. */
  time: bigint;
  /** When the client's own collector saw it. */
  observedTime: bigint;
  eventName: string;
  body: Value;
  attributes: Attributes;
  traceId: Uint8Array;
  spanId: Uint8Array;
}

/** The log records of a request that are kept, as spans, and the number of the others. */
export interface SpansOfLogs {
  batches: ResourceSpans[];
  numOthers: number;
}

/**
 * Log records that tell about a span, by the names of their events in the conventions for generative
 * AI: what a model was asked and answered, and how an answer was scored.
 */
const namesTaken = new Set([
  'gen_ai.client.inference.operation.details',
  'gen_ai.evaluation.result',
  // Up to 1.36
  'gen_ai.system.message',
  'gen_ai.user.message',
  'gen_ai.assistant.message',
  'gen_ai.tool.message',
  'gen_ai.choice',
]);

/** The attribute of a span that stands for a log record. */
const mark = 'assay.log_record';

/** Does the span stand for a log record about the span that has its id? */
export const isLogRecord = ({ attributes }: Span): boolean => attributes.get(mark) === true;

/** Does the span name a parent? Some clients write none as zeros. */
export const hasParent = ({ parentSpanId }: Span): boolean =>
  parentSpanId.some((byte) => byte !== 0);

/** Is the span the root of its trace? */
export const isRoot = (span: Span): boolean => !hasParent(span) && !isLogRecord(span);

/**
 * Makes the span that stands for a log record: it has the ids of the span that the record tells
 * about, and the record as its one event. So it is stored like any other, and `uniqueSpans` puts its
 * event into that span, whichever of the two came first. Undefined for a record of another kind.
 */
export function spanOfLogRecord({
  time,
  observedTime,
  eventName,
  body,
  attributes,
  traceId,
  spanId,
}: LogRecord): ReceivedSpan | undefined {
  const name = eventName || attributes.get('event.name');
  if (typeof name !== 'string' || !namesTaken.has(name)) return undefined;
  if (traceId.length !== 16 || spanId.length !== 8) return undefined;
  const at = time || observedTime;
  const span: Span = {
    traceId,
    spanId,
    parentSpanId: new Uint8Array(),
    name,
    kind: 0,
    start: at,
    end: at,
    attributes: new Map([[mark, true]]),
    // Earlier conventions have the content in the body, and current ones in attributes.
    events: [{ time: at, name, attributes: new Map([...attributes, ...entriesOf(body)]) }],
    links: [],
    status: { code: 0, message: '' },
  };
  return { span, bytes: writeSpan(span) };
}

const entriesOf = (body: Value): Attributes => (body instanceof Map ? body : new Map());
