import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Attributes, Scope, Span, SpanEvent, SpanLink, SpanStatus, Value } from '../span.ts';

const { Varint, Bit64, LengthDelimited } = WireType;

/** Writes a message into a field. */
function field(writer: BinaryWriter, number: number, write: () => void): void {
  writer.tag(number, LengthDelimited).fork();
  write();
  writer.join();
}

function text(writer: BinaryWriter, number: number, value: string): void {
  if (value !== '') writer.tag(number, LengthDelimited).string(value);
}

function bytes(writer: BinaryWriter, number: number, value: Uint8Array): void {
  if (value.length > 0) writer.tag(number, LengthDelimited).bytes(value);
}

function time(writer: BinaryWriter, number: number, value: bigint): void {
  if (value !== 0n) writer.tag(number, Bit64).fixed64(value);
}

function whole(writer: BinaryWriter, number: number, value: number): void {
  if (value !== 0) writer.tag(number, Varint).int32(value);
}

function attributes(writer: BinaryWriter, number: number, entries: Attributes): void {
  for (const [key, value] of entries)
    field(writer, number, () => {
      text(writer, 1, key);
      if (value !== undefined) field(writer, 2, () => writeValue(writer, value));
    });
}

function writeValue(writer: BinaryWriter, value: Value): void {
  if (value === undefined) return;
  if (typeof value === 'string') writer.tag(1, LengthDelimited).string(value);
  else if (typeof value === 'boolean') writer.tag(2, Varint).bool(value);
  else if (typeof value === 'bigint') writer.tag(3, Varint).int64(value);
  else if (typeof value === 'number') writer.tag(4, Bit64).double(value);
  else if (value instanceof Uint8Array) writer.tag(7, LengthDelimited).bytes(value);
  else if (value instanceof Map) field(writer, 6, () => attributes(writer, 1, value));
  else
    field(writer, 5, () => {
      for (const element of value) field(writer, 1, () => writeValue(writer, element));
    });
}

/** Writes the message of a resource. */
export function writeResource({ attributes: own }: { attributes: Attributes }): Uint8Array {
  const writer = new BinaryWriter();
  attributes(writer, 1, own);
  return writer.finish();
}

/** Writes the message of a scope. */
export function writeScope({ name, version, attributes: own }: Scope): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, name);
  text(writer, 2, version);
  attributes(writer, 3, own);
  return writer.finish();
}

/** Writes the message of a span. */
export function writeSpan(span: Span): Uint8Array {
  const writer = new BinaryWriter();
  bytes(writer, 1, span.traceId);
  bytes(writer, 2, span.spanId);
  bytes(writer, 4, span.parentSpanId);
  text(writer, 5, span.name);
  whole(writer, 6, span.kind);
  time(writer, 7, span.start);
  time(writer, 8, span.end);
  attributes(writer, 9, span.attributes);
  for (const event of span.events) field(writer, 11, () => writeEventMembers(writer, event));
  for (const link of span.links) field(writer, 13, () => writeLink(writer, link));
  if (span.status.code !== 0 || span.status.message !== '')
    field(writer, 15, () => writeStatus(writer, span.status));
  return writer.finish();
}

/** Writes the message of an event. */
export function writeEvent(event: SpanEvent): Uint8Array {
  const writer = new BinaryWriter();
  writeEventMembers(writer, event);
  return writer.finish();
}

/** Writes the field of a span that has an event. */
export function writeEventField(event: SpanEvent): Uint8Array {
  const writer = new BinaryWriter();
  field(writer, 11, () => writeEventMembers(writer, event));
  return writer.finish();
}

function writeEventMembers(writer: BinaryWriter, event: SpanEvent): void {
  time(writer, 1, event.time);
  text(writer, 2, event.name);
  attributes(writer, 3, event.attributes);
}

function writeLink(writer: BinaryWriter, link: SpanLink): void {
  bytes(writer, 1, link.traceId);
  bytes(writer, 2, link.spanId);
  attributes(writer, 4, link.attributes);
}

function writeStatus(writer: BinaryWriter, { code, message }: SpanStatus): void {
  text(writer, 2, message);
  whole(writer, 3, code);
}
