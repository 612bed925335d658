import { endOfText } from './members.ts';
import { isDouble } from './numbers.ts';
import { JsonNumber } from './value.ts';

/** Whether a plain number can stand for one that was sent. */
type IsPlain = (text: string) => boolean;

/**
 * Parses JSON as `JSON.parse` does, and keeps every number as it was sent: those that JavaScript
 * would write otherwise become a {@link JsonNumber}, `1.0` too.
 * @throws SyntaxError for a text that is no JSON, RangeError for one of many thousand levels.
 */
export const parseJson = (text: string): unknown => parse(text, isWrittenAlike);

/**
 * The same where the value counts and not how it was written: only a number whose value a double
 * cannot say becomes a {@link JsonNumber}, and `1.0` is 1.
 */
export const parseByValue = (text: string): unknown => parse(text, isDouble);

function parse(text: string, isPlain: IsPlain): unknown {
  const value: unknown = JSON.parse(text);
  return hasExactNumbers(text, isPlain) ? createReader(text, isPlain)() : value;
}

const isWrittenAlike: IsPlain = (text) => String(Number(text)) === text;

/** Numbers of so many characters without a point or an exponent are written as they were sent. */
const plainCharacters = 15;

/** Are there numbers that JavaScript would write otherwise? Of text that is JSON. */
function hasExactNumbers(text: string, isPlain: IsPlain): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at) - 1;
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (!isShortInteger(text, at, end) && !isPlain(text.slice(at, end))) return true;
      at = end - 1;
    }
  }
  return false;
}

function isShortInteger(text: string, start: number, end: number): boolean {
  if (end - start > plainCharacters) return false;
  let at = start;
  while (at < end && isDigit(text.charCodeAt(at))) at++;
  return at === end;
}

/** Reads a text that is JSON. */
function createReader(text: string, isPlain: IsPlain): () => unknown {
  let at = 0;

  function readValue(): unknown {
    skipSpace();
    const code = text.charCodeAt(at);
    if (code === openBrace) return readObject();
    if (code === openBracket) return readArray();
    if (code === quote) return readText();
    if (code === minus || isDigit(code)) return readNumber();
    return readWord();
  }

  function readObject(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    at += 1;
    for (skipSpace(); text.charCodeAt(at) !== closeBrace; skipSpace()) {
      if (text.charCodeAt(at) === comma) at += 1;
      skipSpace();
      const key = readText();
      skipSpace();
      at += 1;
      setMember(members, key, readValue());
    }
    at += 1;
    return members;
  }

  function readArray(): unknown[] {
    const elements: unknown[] = [];
    at += 1;
    for (skipSpace(); text.charCodeAt(at) !== closeBracket; skipSpace()) {
      if (text.charCodeAt(at) === comma) at += 1;
      elements.push(readValue());
    }
    at += 1;
    return elements;
  }

  function readText(): string {
    const start = at;
    at = endOfText(text, at);
    const inner = text.slice(start + 1, at - 1);
    return inner.includes('\\') ? JSON.parse(text.slice(start, at)) : inner;
  }

  function readNumber(): number | JsonNumber {
    const start = at;
    at = endOfNumber(text, at);
    const number = text.slice(start, at);
    return isPlain(number) ? Number(number) : new JsonNumber(number);
  }

  function readWord(): boolean | null {
    const first = text[at];
    at += first === 'f' ? 'false'.length : 'true'.length;
    return first === 'n' ? null : first === 't';
  }

  function skipSpace(): void {
    while (text.charCodeAt(at) <= space) at += 1;
  }

  return readValue;
}

/** As in `JSON.parse`, `__proto__` is a member like any other. */
function setMember(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(members, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else members[key] = value;
}

const [space, quote, comma, minus] = [0x20, 0x22, 0x2c, 0x2d];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** A number ends before a comma, a bracket or a space. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at++;
  return at;
}

/** A digit, `+`, `-`, `.`, `e` or `E`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2b || code === minus || code === 0x2e || (code | 0x20) === 0x65;
