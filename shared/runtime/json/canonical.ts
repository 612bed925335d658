import { createHash } from 'node:crypto';

/**
 * The same for two JSON texts exactly when they are equal as JSON values, whatever the order of
 * their keys.
 */
export const hashOfJson = (text: string): string =>
  createHash('sha256').update(canonicalJson(text)).digest('base64url');

/**
 * A JSON text in one form: no space, keys sorted, of a repeated key the last, strings by their
 * characters, numbers by their value. Numbers are compared digit by digit, since two that differ
 * may be one double. The text must have passed `JSON.parse`.
 */
export const canonicalJson = (text: string): string =>
  write(JSON.parse(text.replaceAll(scalar, tag)));

const scalar = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Strings and keys begin with "s" and numbers become strings that begin with "n": `JSON.parse`
 * would round them.
 */
const tag = (lexeme: string): string =>
  lexeme.startsWith('"') ? `"s${lexeme.slice(1)}` : `"n${canonicalNumber(lexeme)}"`;

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? writeTagged(value) : String(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${writeTagged(key)}:${write(member)}`).join(',')}}`;
}

const writeTagged = (tagged: string): string =>
  tagged.startsWith('n') ? tagged.slice(1) : JSON.stringify(tagged.slice(1));

/** Digits an exponent may have to be computed with; a longer one stays as it was sent. */
const exponentDigitsMax = 15;

/** `1`, `1.0`, `10e-1` → `1e0`; `-0` → `0`. */
export function canonicalNumber(lexeme: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme)!;
  const digits = (whole! + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  if (exponent.replace(/^[+-]?0*/, '').length > exponentDigitsMax) return lexeme;
  const significant = digits.slice(0, endOfSignificant(digits));
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

// By hand: /0+$/ takes quadratic time on a long run of zeros that is not the last.
function endOfSignificant(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end;
}
