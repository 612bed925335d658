import { whereFieldBytesMax } from '@assay/contracts/testcase-part';
import { canonicalJson, canonicalText } from '@assay/json/canonical';
import { parseJson } from '@assay/json/parse';
import { pointerSegments } from '@assay/json/pointer';
import {
  eachElement,
  endOfValue,
  openBrace,
  openBracket,
  type Span,
  scanMembers,
  skipSpace,
} from '@assay/json/scan';
import { isComposite, isNumber } from '@assay/json/value';

interface Condition {
  field: string;
  /** The way on from the field. */
  inside: string[];
  isEqual: (json: string) => boolean;
}

/**
 * Returns a function that says whether a testcase's data has all values of a `where`: as the value
 * that the pointer leads to, or as an element of the list there. Of a field of more than
 * `whereFieldBytesMax` nothing is read.
 */
export function createWhereMatcher(where: string): (jsonData: Uint8Array) => boolean {
  const conditions = Object.entries(parseJson(where) as Record<string, unknown>).map(toCondition);
  return (jsonData) => {
    const members = scanMembers(jsonData, skipSpace(jsonData, 0));
    return conditions.every(({ field, inside, isEqual }) => {
      const span = members.get(field);
      if (!span || span.end - span.start > whereFieldBytesMax) return false;
      const found = follow(jsonData, span, inside);
      return found !== undefined && hasValue(jsonData, found, isEqual);
    });
  };
}

function toCondition([pointer, value]: [string, unknown]): Condition {
  const [field, ...inside] = pointerSegments(pointer);
  return { field: field!, inside, isEqual: equalTo(value) };
}

/** Says whether a JSON text has this value. The frequent cases need no parser. */
function equalTo(value: unknown): (json: string) => boolean {
  const canonical = canonicalText(value);
  if (typeof value === 'string')
    return (json) =>
      json === canonical ||
      (json.startsWith('"') && json.includes('\\') && canonicalJson(json) === canonical);
  if (isNumber(value)) {
    const nearest = Number(value);
    return (json) =>
      Number(json) === nearest && isNumberText(json) && canonicalJson(json) === canonical;
  }
  if (isComposite(value)) return (json) => /^[[{]/.test(json) && canonicalJson(json) === canonical;
  return (json) => json === canonical;
}

const isNumberText = (json: string): boolean => /^[-\d]/.test(json);

/** The place of the value that the segments lead to. */
function follow(bytes: Uint8Array, from: Span, segments: string[]): Span | undefined {
  let span: Span | undefined = from;
  for (const segment of segments) {
    if (!span) return undefined;
    const first = bytes[span.start];
    if (first === openBrace) span = scanMembers(bytes, span.start).get(segment);
    else if (first === openBracket) span = elementAt(bytes, span.start, segment);
    else return undefined;
  }
  return span;
}

function elementAt(bytes: Uint8Array, list: number, segment: string): Span | undefined {
  if (!/^(0|[1-9]\d*)$/.test(segment)) return undefined;
  const wanted = Number(segment);
  let index = 0;
  let found: Span | undefined;
  eachElement(bytes, list, (start) => {
    const end = endOfValue(bytes, start);
    if (index++ === wanted) found = { start, end };
    return end;
  });
  return found;
}

function hasValue(bytes: Uint8Array, span: Span, isEqual: (json: string) => boolean): boolean {
  if (isEqual(textOf(bytes, span))) return true;
  if (bytes[span.start] !== openBracket) return false;
  let hasElement = false;
  eachElement(bytes, span.start, (start) => {
    const end = endOfValue(bytes, start);
    hasElement ||= isEqual(textOf(bytes, { start, end }));
    return end;
  });
  return hasElement;
}

const textOf = (bytes: Uint8Array, { start, end }: Span): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
