/** How a filter compares. */
export type Sign = ':' | '>=' | '<=';

/** One filter as it is written, such as `tag:regression` or `Score>=4`. */
export interface Term {
  key: string;
  sign: Sign;
  value: string;
}

/** A term in a draft, from `from` up to `to`. */
export interface PlacedTerm extends Omit<Term, 'sign'> {
  /** A sign that no filter has is told to the person who wrote it. */
  sign: Sign | '>' | '<' | '~';
  from: number;
  to: number;
  /** A quote was opened, and is not closed. */
  isOpen: boolean;
}

/** Filters, and the text that is searched beside them; an empty text searches nothing. */
export interface FilterWords<One extends Term | PlacedTerm = Term> {
  terms: One[];
  text: string;
}

/** Says whether a word before a sign is the key of a filter, so that it is never plain text. */
type IsKey = (key: string) => boolean;

const quoted = /"(?:[^"\\]|\\[\s\S])*"/y;
const bareKey = /[^\s":~<>]+/y;
const sign = />=|<=|[:<>~]/y;
const bareValue = /[^\s"]\S*/y;
const word = /\S+/y;
const space = /\s*/y;

/**
 * Reads a draft. A word with a sign is a term, and everything else is text, which stays as it is
 * written. Quotes hold a key or a value together; text that is one quoted string is its content.
 * `Error: …`, `https://…` and `a>b` are text where no filter has such a key.
 */
export function parse(draft: string, isKey: IsKey): FilterWords<PlacedTerm> {
  const terms: PlacedTerm[] = [];
  const texts: string[] = [];
  let textFrom = 0;
  let at = skip(space, draft, 0);
  while (at < draft.length) {
    const term = termAt(draft, at, isKey);
    if (term) {
      texts.push(draft.slice(textFrom, at));
      terms.push(term);
      textFrom = term.to;
    }
    const end = term?.to ?? wordEnd(draft, at);
    at = skip(space, draft, end);
  }
  texts.push(draft.slice(textFrom));
  const text = texts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
  return { terms, text: match(quoted, text, 0) === text ? unquote(text) : text };
}

/** Writes filters and text so that `parse` reads the same. */
export function print({ terms, text }: FilterWords, isKey: IsKey): string {
  const written = terms.map((term) => printTerm(term));
  if (text !== '') written.push(isPlain(text, isKey) ? text : quote(text));
  return written.join(' ');
}

export const printTerm = ({ key, sign, value }: Term): string =>
  `${printKey(key)}${sign}${match(bareValue, value, 0) === value ? value : quote(value)}`;

export const printKey = (key: string): string =>
  match(bareKey, key, 0) === key ? key : quote(key);

function isPlain(text: string, isKey: IsKey): boolean {
  const read = parse(text, isKey);
  return read.terms.length === 0 && read.text === text;
}

function termAt(draft: string, from: number, isKey: IsKey): PlacedTerm | undefined {
  const quotedKey = match(quoted, draft, from);
  const writtenKey = quotedKey ?? match(bareKey, draft, from);
  if (writtenKey === undefined) return undefined;
  const key = quotedKey === undefined ? writtenKey : unquote(quotedKey);
  const signFrom = from + writtenKey.length;
  const found = match(sign, draft, signFrom) as PlacedTerm['sign'] | undefined;
  if (found === undefined || key === '') return undefined;
  const valueFrom = signFrom + found.length;
  const value = valueAt(draft, valueFrom);
  const isText = found === '<' || found === '>' || value.value === '' || isAddress(draft, signFrom);
  return isText && !isKey(key) ? undefined : { key, sign: found, from, ...value };
}

function valueAt(draft: string, from: number): { value: string; to: number; isOpen: boolean } {
  const isQuoted = draft[from] === '"';
  const quotedValue = isQuoted ? match(quoted, draft, from) : undefined;
  if (quotedValue !== undefined)
    return { value: unquote(quotedValue), to: from + quotedValue.length, isOpen: false };
  if (isQuoted) return { value: draft.slice(from + 1), to: draft.length, isOpen: true };
  const value = match(bareValue, draft, from) ?? '';
  return { value, to: from + value.length, isOpen: false };
}

const isAddress = (draft: string, at: number): boolean => draft.startsWith('://', at);

const wordEnd = (draft: string, at: number): number =>
  at + (match(quoted, draft, at) ?? match(word, draft, at)!).length;

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const unquote = (text: string): string => text.slice(1, -1).replaceAll(/\\([\s\S])/g, '$1');

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

const skip = (pattern: RegExp, text: string, at: number): number =>
  at + (match(pattern, text, at)?.length ?? 0);
