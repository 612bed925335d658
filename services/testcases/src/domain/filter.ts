import type { StoredTestcase } from '../store.ts';
import { createWhereMatcher } from './where.ts';

/** Which testcases of a list are wanted: all, unless it says more. */
export interface TestcaseFilter {
  keys: string[] | undefined;
  /** Part of the data or of the key, in any case. */
  text: string | undefined;
  /** Pointers into the data with their values, as JSON text. */
  where: string | undefined;
  /** Only testcases that break the schema. */
  isInvalid: boolean | undefined;
}

/** Whether testcases have to be read to say which of them are wanted. */
export const isFiltered = ({ text, where, isInvalid }: TestcaseFilter): boolean =>
  text !== undefined || where !== undefined || isInvalid === true;

/** Returns a function that says whether a testcase has the wanted data. */
export function matcherOf({ text, where }: TestcaseFilter): (testcase: StoredTestcase) => boolean {
  const hasWanted = text === undefined ? () => true : hasText(text);
  if (where === undefined) return hasWanted;
  const hasValues = createWhereMatcher(where);
  return (testcase) => hasValues(testcase.jsonData) && hasWanted(testcase);
}

/**
 * Returns a function that says whether a testcase has this text, in any case: in its key, in the
 * JSON text of its data as it was sent, or in a string of it that was sent with escapes
 * (`Z\u00fcrich` has `zürich`).
 */
function hasText(text: string): (testcase: StoredTestcase) => boolean {
  const wanted = text.toLowerCase();
  const escaped = JSON.stringify(wanted).slice(1, -1);
  return ({ key, jsonData }) => {
    if (key?.toLowerCase().includes(wanted)) return true;
    const json = Buffer.from(jsonData.buffer, jsonData.byteOffset, jsonData.length).toString();
    if (json.toLowerCase().includes(wanted)) return true;
    return json.includes('\\') && JSON.stringify(JSON.parse(json)).toLowerCase().includes(escaped);
  };
}
