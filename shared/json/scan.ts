/**
 * Finds where the parts of a JSON text stand, without building them. It checks nothing but the
 * depth: of a text that is no JSON it finds anything, or throws SyntaxError for a key.
 */
export const quote = 0x22;
export const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const comma = 0x2c;
export const colon = 0x3a;

/** White space of JSON (RFC 8259 section 2). */
export const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export interface Span {
  start: number;
  end: number;
}

/** Are objects and arrays nested deeper than `levels`? It looks no further than it must. */
export function isDeeperThan(bytes: Uint8Array, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) {
      if (++depth > levels) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return false;
}

/**
 * The members of the object that starts at `from`: where each value stands. Of a repeated key the
 * last counts, as in `JSON.parse`.
 */
export function scanMembers(bytes: Uint8Array, from: number): Map<string, Span> {
  const members = new Map<string, Span>();
  eachMember(bytes, from, (key, start) => {
    const end = endOfValue(bytes, start);
    members.set(key, { start, end });
    return end;
  });
  return members;
}

/**
 * Visits the members of the object that starts at `from`, each of which says where its value ends.
 * Where the object ends.
 */
export function eachMember(
  bytes: Uint8Array,
  from: number,
  endOf: (key: string, start: number) => number,
): number {
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] === quote) {
    const keyEnd = endOfString(bytes, at);
    const key = decodeKey(bytes, at, keyEnd);
    at = skipSpace(bytes, endOf(key, skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)));
    if (bytes[at] !== comma) break;
    at = skipSpace(bytes, at + 1);
  }
  return at + 1;
}

/** Where the value stands that segments of a JSON Pointer lead to; undefined where none does. */
export function spanAt(bytes: Uint8Array, segments: readonly string[]): Span | undefined {
  const start = skipSpace(bytes, 0);
  let span: Span | undefined = { start, end: endOfValue(bytes, start) };
  for (const segment of segments) {
    span = span && partOf(bytes, span.start, segment);
    if (!span) return undefined;
  }
  return span;
}

function partOf(bytes: Uint8Array, from: number, segment: string): Span | undefined {
  if (bytes[from] === openBrace) return scanMembers(bytes, from).get(segment);
  if (bytes[from] !== openBracket || !/^(0|[1-9]\d*)$/.test(segment)) return undefined;
  let index = 0;
  let found: Span | undefined;
  eachElement(bytes, from, (start) => {
    const end = endOfValue(bytes, start);
    if (index++ === Number(segment)) found = { start, end };
    return found ? bytes.length : end;
  });
  return found;
}

/**
 * Visits the elements of the array that starts at `from`, each of which says where it ends. Where
 * the array ends.
 */
export function eachElement(
  bytes: Uint8Array,
  from: number,
  endOf: (start: number) => number,
): number {
  let at = skipSpace(bytes, from + 1);
  while (bytes[at] !== closeBracket && at < bytes.length) {
    at = skipSpace(bytes, endOf(at));
    if (bytes[at] !== comma) break;
    at = skipSpace(bytes, at + 1);
  }
  return at + 1;
}

/** Skips control characters, too: no JSON has them between its tokens. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at]! <= 0x20) at++;
  return at;
}

export function endOfValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from]!;
  if (first === quote) return endOfString(bytes, from);
  if (first === openBrace || first === openBracket) return endOfContainer(bytes, from);
  let at = from;
  while (at < bytes.length && !endsScalar(bytes[at]!)) at++;
  return at;
}

const endsScalar = (byte: number): boolean =>
  byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20;

function endOfContainer(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
    at++;
  }
  return at;
}

/**
 * Short strings are walked; a long one is searched natively, which a loop in JavaScript cannot
 * match.
 */
const walkedBytes = 48;

/** Where the string ends that starts at `from` with its quote. */
export function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  const walkEnd = Math.min(bytes.length, at + walkedBytes);
  while (at < walkEnd) {
    const byte = bytes[at]!;
    if (byte === backslash) at += 2;
    else if (byte === quote) return at + 1;
    else at++;
  }
  while (at < bytes.length) {
    const found = bytes.indexOf(quote, at);
    if (found < 0) return bytes.length;
    if (!isEscaped(bytes, found, at)) return found + 1;
    at = found + 1;
  }
  return at;
}

/**
 * A quote is escaped when an odd number of backslashes stands before it; none of them lies before
 * `floor`.
 */
function isEscaped(bytes: Uint8Array, quoteAt: number, floor: number): boolean {
  let at = quoteAt;
  while (at > floor && bytes[at - 1] === backslash) at--;
  return (quoteAt - at) % 2 === 1;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads the name of a member between its quotes. Names in ASCII are put together here: to begin a
 * decoder takes longer.
 */
export function decodeKey(bytes: Uint8Array, start: number, end: number): string {
  let name = '';
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x80 || byte === backslash) return decodeAnyKey(bytes.subarray(start + 1, end - 1));
    name += String.fromCharCode(byte);
  }
  return name;
}

function decodeAnyKey(name: Uint8Array): string {
  const key = decoder.decode(name);
  return key.includes('\\') ? JSON.parse(`"${key}"`) : key;
}
