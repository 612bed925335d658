import { isUtf8 } from 'node:buffer';
import type { BodyShape } from '@assay/contracts/body-shape';
import { JsonText } from '@assay/contracts/payload';
import { afterSpace, endOfChecked, malformed, tooDeep } from '@assay/json/check';
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  decodeKey,
  endOfString,
  openBrace,
  openBracket,
  quote,
  type Span,
} from '@assay/json/scan';
import { nestedTooDeep, noJson, noUtf8, tooManyValues } from './body-faults.ts';

export interface ScanLimits {
  depthMax: number;
  /** Values that no shape bounds; values of payloads do not count. */
  valuesMax: number;
}

/** A body in which each payload is the place where its text stands. */
export type ScannedBody = unknown;

interface Mark extends Span {
  isObject: boolean;
}

/**
 * Reads a large body on a worker's thread, so that little crosses to the event loop: payloads are
 * the places where they stand, and of the rest only what the shape has is built. All of it is
 * checked to be JSON. A member that the shape does not have is left out; where the schema refuses
 * such members it is null, so that it is refused. Of a list that is too long one element too many is
 * built, and of a value of another kind than the shape's an empty one, so that both are refused.
 * @throws MALFORMED_JSON; VALIDATION_ERROR for a body that is too deep, or has too many values.
 */
export function scanBody(bytes: Buffer, shape: BodyShape, limits: ScanLimits): ScannedBody {
  if (!isUtf8(bytes)) throw noUtf8();
  const { depthMax, valuesMax } = limits;
  let at = afterSpace(bytes, 0);
  let values = 0;

  function count(more: number): void {
    values += more;
    if (values > valuesMax) throw tooManyValues(valuesMax);
  }

  /** Moves behind the value here, which stands in so many objects and arrays. */
  function skipValue(level: number): Span {
    const start = at;
    const end = endOfChecked(bytes, start, depthMax - level);
    if (end === tooDeep) throw nestedTooDeep(depthMax);
    if (end === malformed) throw noJson(bytes);
    at = end;
    return { start, end };
  }

  function moveOver(byte: number): void {
    if (bytes[at] !== byte) throw noJson(bytes);
    at = afterSpace(bytes, at + 1);
  }

  const parse = ({ start, end }: Span): unknown => JSON.parse(bytes.toString('utf8', start, end));

  function readValue({ payload, any, object, array }: BodyShape, level: number): unknown {
    const first = bytes[at];
    if (payload) return { ...skipValue(level), isObject: first === openBrace } satisfies Mark;
    if (first === openBrace && object) return readObject(object, level + 1);
    if (first === openBracket && array) return readArray(array, level + 1);
    const span = skipValue(level);
    const isContainer = first === openBrace || first === openBracket;
    if (!isContainer) return parse(span);
    if (!any) return first === openBrace ? {} : [];
    count(valuesIn(bytes, span));
    return parse(span);
  }

  function readObject({ members, others }: ObjectShape, level: number): Record<string, unknown> {
    const read: Record<string, unknown> = {};
    moveOver(openBrace);
    for (let isFirst = true; bytes[at] !== closeBrace; isFirst = false) {
      if (!isFirst) moveOver(comma);
      if (bytes[at] !== quote) throw noJson(bytes);
      const name = skipValue(level);
      const key = decodeKey(bytes, name.start, name.end);
      at = afterSpace(bytes, at);
      moveOver(colon);
      if (Object.hasOwn(members, key)) read[key] = readValue(members[key]!, level);
      else {
        const value = readOther(others, level);
        if (others !== 'skipped') {
          count(1);
          Object.defineProperty(read, key, { value, ...ofAnObject });
        }
      }
      at = afterSpace(bytes, at);
    }
    at++;
    return read;
  }

  /** Reads a member that the shape does not have. */
  function readOther(others: ObjectShape['others'], level: number): unknown {
    if (others === 'kept') return readValue({ any: true }, level);
    skipValue(level);
    return null;
  }

  function readArray(
    { elements, itemsMax }: NonNullable<BodyShape['array']>,
    level: number,
  ): unknown[] {
    const read: unknown[] = [];
    moveOver(openBracket);
    for (let isFirst = true; bytes[at] !== closeBracket; isFirst = false) {
      if (!isFirst) moveOver(comma);
      if (read.length > itemsMax) skipValue(level);
      else {
        if (itemsMax === Number.POSITIVE_INFINITY) count(1);
        read.push(readValue(elements, level));
      }
      at = afterSpace(bytes, at);
    }
    at++;
    return read;
  }

  const body = readValue(shape, 0);
  if (afterSpace(bytes, at) !== bytes.length) throw noJson(bytes);
  return body;
}

type ObjectShape = NonNullable<BodyShape['object']>;

/** As members that are assigned: a name such as `__proto__` cannot be. */
const ofAnObject = { enumerable: true, configurable: true, writable: true };

/** The values and the names of members in JSON that was checked. */
function valuesIn(bytes: Buffer, { start, end }: Span): number {
  let values = 1;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === comma || byte === colon || byte === openBrace || byte === openBracket)
      values++;
  }
  return values;
}

/** Puts payloads where they were found. */
export function attachPayloads(body: ScannedBody, shape: BodyShape, bytes: Buffer): unknown {
  const { payload, array, object } = shape;
  if (payload) {
    const mark = body as Mark;
    return mark.isObject ? new JsonText(bytes.subarray(mark.start, mark.end)) : null;
  }
  if (Array.isArray(body))
    return array ? body.map((each) => attachPayloads(each, array.elements, bytes)) : body;
  if (typeof body !== 'object' || body === null || !object) return body;
  const read = body as Record<string, unknown>;
  for (const [key, member] of Object.entries(object.members))
    if (Object.hasOwn(read, key)) read[key] = attachPayloads(read[key], member, bytes);
  return read;
}
