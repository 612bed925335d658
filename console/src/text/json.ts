import { parseByValue } from '@assay/json/parse';
import { isObject } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import { visible } from './format.ts';

/** A value as JSON to read, with the digits of its numbers. */
export const indentedJson = (value: unknown): string => writeJson(value, { indent: 2 });

/** Returns the object that a person typed, or an error that says what is wrong with it. */
export function parseObject(text: string): Record<string, unknown> | Error {
  try {
    const value = parseByValue(text);
    if (isObject(value)) return value;
    return new Error('Must be a JSON object, such as {"model": "gpt-4o"}.');
  } catch (error) {
    return new Error(`This is no JSON: ${(error as Error).message}.`);
  }
}

/** The beginning of a payload, as `preview` gives it (contract section 4). */
export interface Preview {
  text: string;
  bytes: number;
  isCut: boolean;
}

export const isPreview = (payload: object): payload is Preview =>
  'text' in payload && 'bytes' in payload && 'isCut' in payload;

/** True of `{}`, however much of the payload is here. */
export const isEmptyPayload = (payload: Record<string, unknown> | Preview): boolean =>
  isPreview(payload) ? payload.bytes === emptyBytes : Object.keys(payload).length === 0;

const emptyBytes = '{}'.length;

/** The object that a payload is; undefined where only its beginning is known. */
export function wholeOf(
  payload: Record<string, unknown> | Preview,
): Record<string, unknown> | undefined {
  if (!isPreview(payload)) return payload;
  return payload.isCut ? undefined : (parseByValue(payload.text) as Record<string, unknown>);
}

/** An object up to the first field's text, without the quote that ends it. */
const firstText = /^\{\s*"(?:[^"\\]|\\.)*"\s*:\s*("(?:[^"\\]|\\(?:u[0-9a-f]{4}|[^u]))*)/i;

/** A preview for reading: the text of its only field, even where it is cut, else the JSON. */
export function readable(payload: Record<string, unknown> | Preview): string {
  const json = isPreview(payload) ? payload.text : writeJson(payload);
  const isCut = isPreview(payload) && payload.isCut;
  const [before = '', start = ''] = firstText.exec(json) ?? [];
  const rest = json.slice(before.length);
  const isOnlyText =
    start !== '' && (isCut ? /^(?:\\(?:u[0-9a-f]{0,3})?)?$/i.test(rest) : /^"\s*\}$/.test(rest));
  if (isOnlyText) return `${JSON.parse(`${start}"`)}${isCut ? ' …' : ''}`;
  return isCut ? `${json} …` : json;
}

/** The same in one line, with hostile characters as marks. */
export const inShort = (payload: Record<string, unknown> | Preview): string =>
  inOneLine(readable(payload));

export const inOneLine = (text: string): string => visible(text.replace(/\s+/g, ' '));
