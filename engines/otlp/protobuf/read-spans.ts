import { WireType } from '@bufbuild/protobuf/wire';
import type {
  ReceivedSpan,
  Resource,
  ResourceSpans,
  Scope,
  ScopeSpans,
  Span,
  SpanEvent,
  SpanLink,
  SpanStatus,
} from '../span.ts';
import {
  countMessage,
  type Fields,
  type Reading,
  readFields,
  readMessage,
  readNoting,
  readRequest,
} from './messages.ts';
import { attributesField } from './read-values.ts';

const { Varint, Bit64, LengthDelimited } = WireType;

/**
 * Reads an ExportTraceServiceRequest in protobuf: opentelemetry-proto 1.11, trace/v1/trace.proto.
 * @throws OtlpFailure
 */
export const readSpans = (bytes: Uint8Array): ResourceSpans[] => readBatches(bytes, readSpan);

/** Reads a message that becomes a span, or none. */
type SpanMessage = (reading: Reading) => ReceivedSpan | undefined;

/**
 * Reads a request whose innermost messages are read by `readOne`. Those of spans and of log records
 * have the same fields around them.
 * @throws OtlpFailure
 */
export const readBatches = (bytes: Uint8Array, readOne: SpanMessage): ResourceSpans[] =>
  readRequest(bytes, (reading) => {
    const batches: ResourceSpans[] = [];
    readFields(reading, bytes.length, {
      1: [LengthDelimited, () => keepFilled(batches, readResourceSpans(reading, readOne))],
    });
    return batches;
  });

/** A message without spans has nothing to keep. */
function keepFilled<Holder extends ResourceSpans | ScopeSpans>(kept: Holder[], one: Holder): void {
  const held = 'scopes' in one ? one.scopes : one.spans;
  if (held.length > 0) kept.push(one);
}

function readResourceSpans(reading: Reading, readOne: SpanMessage): ResourceSpans {
  countMessage(reading);
  const batch: ResourceSpans = {
    resource: { attributes: new Map() },
    resourceBytes: undefined,
    schemaUrl: '',
    scopes: [],
  };
  let isTooDeep = false;
  const takeResource = () => {
    const read = readNoting(reading, () => readResource(reading, batch.resource));
    batch.resourceBytes = read.result;
    isTooDeep ||= read.isTooDeep;
  };
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [LengthDelimited, takeResource],
      2: [LengthDelimited, () => keepFilled(batch.scopes, readScopeSpans(reading, readOne))],
      3: [LengthDelimited, () => (batch.schemaUrl = reading.reader.string())],
    }),
  );
  if (isTooDeep) for (const { spans } of batch.scopes) markTooDeep(spans);
  return batch;
}

const readResource = (reading: Reading, { attributes }: Resource): Uint8Array =>
  readMessage(reading, (end) =>
    readFields(reading, end, { 1: attributesField(reading, attributes) }),
  );

function readScopeSpans(reading: Reading, readOne: SpanMessage): ScopeSpans {
  countMessage(reading);
  const own: ScopeSpans = {
    scope: { name: '', version: '', attributes: new Map() },
    scopeBytes: undefined,
    schemaUrl: '',
    spans: [],
  };
  let isTooDeep = false;
  const takeSpan = () => {
    const { result: received, ...read } = readNoting(reading, () => readOne(reading));
    if (!received) return;
    own.spans.push(received);
    if (read.isTooDeep) markTooDeep([received]);
  };
  const takeScope = () => {
    const read = readNoting(reading, () => readScope(reading, own.scope));
    own.scopeBytes = read.result;
    isTooDeep ||= read.isTooDeep;
  };
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [LengthDelimited, takeScope],
      2: [LengthDelimited, takeSpan],
      3: [LengthDelimited, () => (own.schemaUrl = reading.reader.string())],
    }),
  );
  if (isTooDeep) markTooDeep(own.spans);
  return own;
}

function markTooDeep(spans: ReceivedSpan[]): void {
  for (const received of spans) received.isTooDeep = true;
}

const readScope = (reading: Reading, scope: Scope): Uint8Array =>
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [LengthDelimited, () => (scope.name = reading.reader.string())],
      2: [LengthDelimited, () => (scope.version = reading.reader.string())],
      3: attributesField(reading, scope.attributes),
    }),
  );

const noId = new Uint8Array();

function readSpan(reading: Reading): ReceivedSpan {
  countMessage(reading);
  const { reader } = reading;
  const span: Span = {
    traceId: noId,
    spanId: noId,
    parentSpanId: noId,
    name: '',
    kind: 0,
    start: 0n,
    end: 0n,
    attributes: new Map(),
    events: [],
    links: [],
    status: { code: 0, message: '' },
  };
  const fields: Fields = {
    1: [LengthDelimited, () => (span.traceId = reader.bytes())],
    2: [LengthDelimited, () => (span.spanId = reader.bytes())],
    4: [LengthDelimited, () => (span.parentSpanId = reader.bytes())],
    5: [LengthDelimited, () => (span.name = reader.string())],
    6: [Varint, () => (span.kind = reader.int32())],
    7: [Bit64, () => (span.start = BigInt(reader.fixed64()))],
    8: [Bit64, () => (span.end = BigInt(reader.fixed64()))],
    9: attributesField(reading, span.attributes),
    11: [LengthDelimited, () => span.events.push(readEvent(reading))],
    13: [LengthDelimited, () => span.links.push(readLink(reading))],
    15: [LengthDelimited, () => readStatus(reading, span.status)],
  };
  const bytes = readMessage(reading, (end) => readFields(reading, end, fields));
  return { span, bytes };
}

function readEvent(reading: Reading): SpanEvent {
  countMessage(reading);
  const { reader } = reading;
  const event: SpanEvent = { time: 0n, name: '', attributes: new Map() };
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [Bit64, () => (event.time = BigInt(reader.fixed64()))],
      2: [LengthDelimited, () => (event.name = reader.string())],
      3: attributesField(reading, event.attributes),
    }),
  );
  return event;
}

function readLink(reading: Reading): SpanLink {
  countMessage(reading);
  const { reader } = reading;
  const link: SpanLink = { traceId: noId, spanId: noId, attributes: new Map() };
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [LengthDelimited, () => (link.traceId = reader.bytes())],
      2: [LengthDelimited, () => (link.spanId = reader.bytes())],
      4: attributesField(reading, link.attributes),
    }),
  );
  return link;
}

function readStatus(reading: Reading, status: SpanStatus): void {
  const { reader } = reading;
  readMessage(reading, (end) =>
    readFields(reading, end, {
      2: [LengthDelimited, () => (status.message = reader.string())],
      3: [Varint, () => (status.code = reader.int32())],
    }),
  );
}
