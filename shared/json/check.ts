import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  isSpace,
  openBrace,
  openBracket,
  quote,
} from './scan.ts';

const [minus, plus, point, zero, nine, letterU] = [0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x75];
const literals = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), new TextEncoder().encode(word)]),
);

const isEscape = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrtu'.includes(String.fromCharCode(byte)) ? 1 : 0,
);
const isHex = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-f]/i.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** The text is no JSON. */
export const malformed = -1;
/** Objects and arrays are nested deeper than they may be. */
export const tooDeep = -2;

/**
 * The kind of each open level: 1 for an array, 0 for an object. Kept from check to check: a list has
 * millions of elements.
 */
let isArray = new Uint8Array(1024);

/**
 * Checks the JSON value that starts at `from`, and returns where it ends. Accepts the same text as
 * `JSON.parse` (RFC 8259), but builds nothing, so that 15 MiB of numbers take no more memory than
 * their text. The bytes must be valid UTF-8. Returns `malformed` for text that is not JSON, or
 * `tooDeep` for more than `depthMax` levels, whichever comes first in the text.
 */
export function endOfChecked(bytes: Uint8Array, from: number, depthMax: number): number {
  if (isArray.length <= depthMax) isArray = new Uint8Array(depthMax + 1);
  let depth = 0;
  let at = from;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === openBracket || byte === openBrace) {
      if (++depth > depthMax) return tooDeep;
      isArray[depth] = byte === openBracket ? 1 : 0;
      at = afterSpace(bytes, at + 1);
      const isEmpty = bytes[at] === (byte === openBracket ? closeBracket : closeBrace);
      if (!isEmpty) {
        if (byte === openBrace) at = afterKey(bytes, at);
        if (at < 0) return malformed;
        continue;
      }
      at++;
      depth--;
    } else at = endOfScalar(bytes, at);
    if (at < 0) return malformed;

    // After a value: the ends of the arrays and objects whose last value it is, then the next
    // value.
    for (; depth > 0; depth--) {
      at = afterSpace(bytes, at);
      if (bytes[at] !== (isArray[depth] === 1 ? closeBracket : closeBrace)) break;
      at++;
    }
    if (depth === 0) return at;
    if (bytes[at] !== comma) return malformed;
    at = afterSpace(bytes, at + 1);
    if (isArray[depth] === 0) at = afterKey(bytes, at);
    if (at < 0) return malformed;
  }
}

/** Where the value of the member whose key starts at `from` starts. */
function afterKey(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== quote) return malformed;
  const end = endOfString(bytes, from);
  if (end < 0) return malformed;
  const at = afterSpace(bytes, end);
  return bytes[at] === colon ? afterSpace(bytes, at + 1) : malformed;
}

function endOfScalar(bytes: Uint8Array, from: number): number {
  const first = bytes[from]!;
  if (first === quote) return endOfString(bytes, from);
  if (first === minus || isDigit(first)) return endOfNumber(bytes, from);
  const word = literals.get(first);
  return word?.every((byte, index) => bytes[from + index] === byte)
    ? from + word.length
    : malformed;
}

function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; ) {
    const byte = bytes[at]!;
    // Control characters must be escaped (RFC 8259 section 7).
    if (byte >= 0x20 && byte !== quote && byte !== backslash) at++;
    else if (byte === quote) return at + 1;
    else if (byte !== backslash || isEscape[bytes[at + 1]!] !== 1) return malformed;
    else if (bytes[at + 1] !== letterU) at += 2;
    else if (
      isHex[bytes[at + 2]!] &&
      isHex[bytes[at + 3]!] &&
      isHex[bytes[at + 4]!] &&
      isHex[bytes[at + 5]!]
    )
      at += 6;
    else return malformed;
  }
  return malformed;
}

function endOfNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === minus ? from + 1 : from;
  at = bytes[at] === zero ? at + 1 : afterDigits(bytes, at);
  if (at > 0 && bytes[at] === point) at = afterDigits(bytes, at + 1);
  if (at > 0 && (bytes[at]! | 0x20) === 0x65) {
    const sign = bytes[at + 1];
    at = afterDigits(bytes, sign === plus || sign === minus ? at + 2 : at + 1);
  }
  return at;
}

/** Where the digits end, of which there is one at least. */
function afterDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at]!)) at++;
  return at === from ? malformed : at;
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine;

/** Where the white space of JSON ends (RFC 8259 section 2). */
export function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at]!)) at++;
  return at;
}
