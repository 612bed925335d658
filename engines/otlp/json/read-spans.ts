import { countMessage, readNoting } from '../protobuf/messages.ts';
import { writeResource, writeScope, writeSpan } from '../protobuf/write.ts';
import type {
  ReceivedSpan,
  ResourceSpans,
  ScopeSpans,
  Span,
  SpanEvent,
  SpanLink,
} from '../span.ts';
import {
  elementsOf,
  enumOf,
  idOf,
  integerOf,
  member,
  type Place,
  readJson,
  textOf,
} from './members.ts';
import { attributesOf, type RequestCounts } from './read-values.ts';

const kinds = [
  'SPAN_KIND_UNSPECIFIED',
  'SPAN_KIND_INTERNAL',
  'SPAN_KIND_SERVER',
  'SPAN_KIND_CLIENT',
  'SPAN_KIND_PRODUCER',
  'SPAN_KIND_CONSUMER',
];
const statusCodes = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'];

/**
 * Reads an ExportTraceServiceRequest in JSON, by the rules of OTLP/HTTP: ids in hexadecimal digits,
 * integers of 64 bits as numbers or digits, enumerations as numbers or names. The messages are those
 * that protobuf would have.
 * @throws OtlpFailure
 */
export const readSpansOfJson = (text: string): ResourceSpans[] =>
  readBatchesOfJson(
    text,
    { resources: 'resourceSpans', scopes: 'scopeSpans', each: 'spans' },
    spanOf,
  );

/** The names of the lists that stand within each other. */
interface ListNames {
  resources: string;
  scopes: string;
  each: string;
}

type SpanPlace = (place: Place, counted: RequestCounts) => ReceivedSpan | undefined;

/** Reads a request whose innermost members are read by `readOne`. */
export function readBatchesOfJson(
  text: string,
  names: ListNames,
  readOne: SpanPlace,
): ResourceSpans[] {
  const counted: RequestCounts = { values: 0, messages: 0, tooDeep: 0 };
  return elementsOf(member(readJson(text), names.resources))
    .map((place) => batchOf(place, names, readOne, counted))
    .filter(({ scopes }) => scopes.length > 0);
}

function batchOf(
  place: Place,
  { scopes, each }: ListNames,
  readOne: SpanPlace,
  counted: RequestCounts,
): ResourceSpans {
  countMessage(counted);
  const { result: attributes, isTooDeep } = readNoting(counted, () =>
    attributesOf(member(member(place, 'resource'), 'attributes'), counted),
  );
  const resource = { attributes };
  // Without spans there is nothing to keep, as in protobuf.
  return {
    resource,
    resourceBytes: writeResource(resource),
    schemaUrl: textOf(member(place, 'schemaUrl')),
    scopes: elementsOf(member(place, scopes))
      .map((own) => scopeSpansOf(own, { each, readOne, counted, isTooDeep }))
      .filter(({ spans }) => spans.length > 0),
  };
}

interface ScopeReading {
  each: string;
  readOne: SpanPlace;
  counted: RequestCounts;
  /** Whether a value of the resource is too deep. */
  isTooDeep: boolean;
}

function scopeSpansOf(
  place: Place,
  { each, readOne, counted, isTooDeep }: ScopeReading,
): ScopeSpans {
  countMessage(counted);
  const own = member(place, 'scope');
  const read = readNoting(counted, () => attributesOf(member(own, 'attributes'), counted));
  const scope = {
    name: textOf(member(own, 'name')),
    version: textOf(member(own, 'version')),
    attributes: read.result,
  };
  const isAnyTooDeep = isTooDeep || read.isTooDeep;
  return {
    scope,
    scopeBytes: writeScope(scope),
    schemaUrl: textOf(member(place, 'schemaUrl')),
    spans: elementsOf(member(place, each)).flatMap((inner) => {
      const { result: received, ...noted } = readNoting(counted, () => readOne(inner, counted));
      if (!received) return [];
      return isAnyTooDeep || noted.isTooDeep ? { ...received, isTooDeep: true } : received;
    }),
  };
}

function spanOf(place: Place, counted: RequestCounts): ReceivedSpan {
  countMessage(counted);
  const status = member(place, 'status');
  const span: Span = {
    traceId: idOf(member(place, 'traceId')),
    spanId: idOf(member(place, 'spanId')),
    parentSpanId: idOf(member(place, 'parentSpanId')),
    name: textOf(member(place, 'name')),
    kind: enumOf(member(place, 'kind'), kinds),
    start: timeOf(member(place, 'startTimeUnixNano')),
    end: timeOf(member(place, 'endTimeUnixNano')),
    attributes: attributesOf(member(place, 'attributes'), counted),
    events: elementsOf(member(place, 'events')).map((event) => eventOf(event, counted)),
    links: elementsOf(member(place, 'links')).map((link) => linkOf(link, counted)),
    status: {
      code: enumOf(member(status, 'code'), statusCodes),
      message: textOf(member(status, 'message')),
    },
  };
  return { span, bytes: writeSpan(span) };
}

function eventOf(place: Place, counted: RequestCounts): SpanEvent {
  countMessage(counted);
  return {
    time: timeOf(member(place, 'timeUnixNano')),
    name: textOf(member(place, 'name')),
    attributes: attributesOf(member(place, 'attributes'), counted),
  };
}

function linkOf(place: Place, counted: RequestCounts): SpanLink {
  countMessage(counted);
  return {
    traceId: idOf(member(place, 'traceId')),
    spanId: idOf(member(place, 'spanId')),
    attributes: attributesOf(member(place, 'attributes'), counted),
  };
}

/** A time that has no 64 bits without a sign is none: its span is refused by itself. */
export function timeOf(place: Place): bigint {
  const time = integerOf(place);
  return time < 0n || time >= 2n ** 64n ? 0n : time;
}
