import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  endOfString,
  isSpace,
  openBrace,
  openBracket,
  quote,
  skipSpace,
} from '@assay/json/scan';

/**
 * Reads JSON as the bytes it is, without building a value of it: a record's 15 MiB may be five
 * million empty arrays, which `JSON.parse` makes a gigabyte of. Every function expects valid JSON,
 * as the service keeps no other.
 */

export type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** A value in the bytes: from `start` up to `end`, without the space around it. */
export interface JsonNode {
  kind: Kind;
  start: number;
  end: number;
}

function kindAt(bytes: Uint8Array, start: number): Kind {
  switch (bytes[start]) {
    case openBrace:
      return 'object';
    case openBracket:
      return 'array';
    case quote:
      return 'string';
    case 0x74:
    case 0x66:
      return 'boolean';
    case 0x6e:
      return 'null';
    default:
      return 'number';
  }
}

/** The whole of the bytes as one value. */
export function rootOf(bytes: Uint8Array): JsonNode {
  const start = skipSpace(bytes, 0);
  let end = bytes.length;
  while (isSpace(bytes[end - 1]!)) end -= 1;
  return { kind: kindAt(bytes, start), start, end };
}

/**
 * Scans an object or array once, and returns where each of its first members begins: at the value,
 * in an object at the key. Grows as it goes, since nobody knows how many there are.
 */
export function scanMembers(
  bytes: Uint8Array,
  { start }: Pick<JsonNode, 'start'>,
  membersMax = Number.POSITIVE_INFINITY,
): Uint32Array {
  let offsets = new Uint32Array(64);
  let count = 0;
  let depth = 0;
  let isExpected = true;
  for (let at = start + 1; ; at += 1) {
    const byte = bytes[at]!;
    if (byte === closeBracket || byte === closeBrace) {
      if (depth === 0) return offsets.slice(0, count);
      depth -= 1;
      continue;
    }
    if (isSpace(byte)) continue;
    if (isExpected) {
      if (count === membersMax) return offsets.slice(0, count);
      if (count === offsets.length) {
        const grown = new Uint32Array(count * 2);
        grown.set(offsets);
        offsets = grown;
      }
      offsets[count] = at;
      count += 1;
      isExpected = false;
    }
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openBracket || byte === openBrace) depth += 1;
    else if (byte === comma && depth === 0) isExpected = true;
  }
}

/** A member of an object or array; `key` is the place of its key in an object. */
export interface Member {
  key: { start: number; end: number } | undefined;
  value: JsonNode;
}

/** Returns one member by its place in the container, without looking at the others. */
export function memberAt(
  bytes: Uint8Array,
  container: JsonNode,
  offsets: Uint32Array,
  index: number,
): Member {
  const first = offsets[index]!;
  const key =
    container.kind === 'object' ? { start: first, end: endOfString(bytes, first) } : undefined;
  const start = key ? skipSpace(bytes, bytes.indexOf(colon, key.end) + 1) : first;
  let end = index + 1 < offsets.length ? offsets[index + 1]! : container.end;
  // Back over the space, and over the comma or bracket that ends the member.
  end -= 1;
  while (isSpace(bytes[end]!)) end -= 1;
  if (index + 1 === offsets.length || bytes[end] === comma) end -= 1;
  while (isSpace(bytes[end]!)) end -= 1;
  return { key, value: { kind: kindAt(bytes, start), start, end: end + 1 } };
}

const decoder = new TextDecoder();

/** The JSON text of a value, up to so many bytes. */
export function textOf(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  bytesMax = Number.POSITIVE_INFINITY,
): string {
  return decoder.decode(bytes.subarray(start, Math.min(end, start + bytesMax)));
}

/**
 * The characters of a string or key between two places within it. A place amid an escape or a
 * character is moved before it.
 */
export function stringOf(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
  { from = 0, bytesMax = Number.POSITIVE_INFINITY } = {},
): { text: string; next: number | undefined } {
  const first = start + 1 + from;
  const last = pieceEnd(bytes, first, { end: end - 1, bytesMax });
  return {
    text: JSON.parse(`"${decoder.decode(bytes.subarray(first, last))}"`),
    next: last < end - 1 ? last - start - 1 : undefined,
  };
}

/** The last place up to which a piece of a string can be read by itself. */
function pieceEnd(
  bytes: Uint8Array,
  first: number,
  { end, bytesMax }: { end: number; bytesMax: number },
): number {
  let at = Math.min(end, first + bytesMax);
  if (at === end) return end;
  // Not amid a character of UTF-8.
  while ((bytes[at]! & 0xc0) === 0x80) at -= 1;
  // Not amid an escape, of which the longest, two surrogates, has twelve bytes.
  let start = Math.max(first, at - 12);
  while (start > first && bytes[start - 1] === backslash) start -= 1;
  for (let place = start; place < at; ) {
    const length = bytes[place] === backslash ? escapeLength(bytes, place) : 1;
    if (place + length > at) return place;
    place += length;
  }
  return at;
}

/** How many bytes an escape has; of two surrogates, both. */
function escapeLength(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== 0x75) return 2;
  const isHigh = /^d[89ab]/i.test(decoder.decode(bytes.subarray(at + 2, at + 4)));
  return isHigh && bytes[at + 6] === backslash && bytes[at + 7] === 0x75 ? 12 : 6;
}

/**
 * Finds a text in the bytes: letters of ASCII in any case, all else as it is. Yields where each
 * match begins, without overlaps.
 */
export function* findText(bytes: Uint8Array, text: string): Generator<number> {
  const wanted = new TextEncoder().encode(JSON.stringify(text).slice(1, -1));
  const folded = wanted.map(lower);
  const [first] = folded;
  if (first === undefined) return;
  const upper = first >= 0x61 && first <= 0x7a ? first - 0x20 : first;
  let [low, high] = [bytes.indexOf(first), upper === first ? -1 : bytes.indexOf(upper)];
  let after = 0;
  while (low >= 0 || high >= 0) {
    const at = high < 0 || (low >= 0 && low < high) ? low : high;
    if (at === low) low = bytes.indexOf(first, at + 1);
    else high = bytes.indexOf(upper, at + 1);
    if (at >= after && isAt(bytes, at, folded)) {
      yield at;
      after = at + folded.length;
    }
  }
}

const lower = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

function isAt(bytes: Uint8Array, at: number, folded: Uint8Array): boolean {
  if (at + folded.length > bytes.length) return false;
  for (let index = 1; index < folded.length; index += 1)
    if (lower(bytes[at + index]!) !== folded[index]) return false;
  return true;
}

/** The index of the last member that begins at or before a place; for offsets in their order. */
export function memberWith(offsets: Uint32Array, place: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
