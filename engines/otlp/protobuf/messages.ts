import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { OtlpFailure } from '../failure.ts';
import { messagesMax, valuesMax } from '../limits.ts';

/** The reader of one request, with its counts so far. */
export interface Reading {
  bytes: Uint8Array;
  reader: BinaryReader;
  values: number;
  messages: number;
  /** Values that are left out, since they are too deep. */
  tooDeep: number;
}

/**
 * Reads a request by a function.
 * @throws OtlpFailure where the request is not protobuf of its kind.
 */
export function readRequest<Result>(bytes: Uint8Array, work: (reading: Reading) => Result): Result {
  const reader = new BinaryReader(bytes);
  try {
    return work({ bytes, reader, values: 0, messages: 0, tooDeep: 0 });
  } catch (error) {
    if (error instanceof OtlpFailure) throw error;
    // The reader throws errors of several kinds, none of which helps whoever sent the body.
    throw new OtlpFailure(
      `The body is not protobuf of OTLP: it cannot be read near byte ${Math.min(reader.pos, bytes.length)}. Is its content type right?`,
    );
  }
}

/** How a field is read, by its number and its wire type. */
export type Fields = Record<number, readonly [WireType, read: () => void]>;

/**
 * Reads the fields of a message up to its end. Unknown ones are left out, and so is a field with a
 * wire type that is not its own, as protobuf has it.
 */
export function readFields({ reader }: Reading, end: number, fields: Fields): void {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = fields[number];
    if (field && field[0] === wireType) field[1]();
    else reader.skip(wireType, number);
  }
  if (reader.pos !== end) throw new RangeError('A field is longer than its message.');
}

/** Reads a message that stands in a field; `read` gets its end. Returns its bytes. */
export function readMessage({ bytes, reader }: Reading, read: (end: number) => void): Uint8Array {
  const length = reader.uint32();
  const start = reader.pos;
  const end = start + length;
  if (end > reader.len) throw new RangeError('A message is longer than the body.');
  read(end);
  return bytes.subarray(start, end);
}

/** Counts a span, an event, a link, or a message that holds some. */
export function countMessage(counted: { messages: number }): void {
  counted.messages += 1;
  if (counted.messages > messagesMax)
    throw new OtlpFailure(
      `The request has more than ${messagesMax.toLocaleString('en')} resources, scopes, spans, events and links: send fewer at once.`,
    );
}

/** Does the work of reading a part of a request, and says whether a value in it is too deep. */
export function readNoting<Result>(
  counted: { tooDeep: number },
  read: () => Result,
): { result: Result; isTooDeep: boolean } {
  const before = counted.tooDeep;
  const result = read();
  return { result, isTooDeep: counted.tooDeep > before };
}

/** Counts an attribute, or an element of one. */
export function countValue(counted: { values: number }): void {
  counted.values += 1;
  if (counted.values > valuesMax)
    throw new OtlpFailure(
      `The request has more than ${valuesMax.toLocaleString('en')} attributes: send fewer spans at once.`,
    );
}
