import { invalid, invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import { keyedData, testcaseKey } from '@assay/contracts/testcases';
import { eachMember, endOfValue, skipSpace } from '@assay/json/scan';
import { isObject } from '@assay/json/value';
import { bodyForm, parsePart } from '@assay/runtime/http/body';
import { tooLarge } from '@assay/runtime/http/failures';
import { issuesOf } from '@assay/runtime/http/issues';

/** The column of CSV that has the keys, where the data has no field of this name. */
export const keyColumn = '_key';

/** A testcase of an import: its data and, where it has one, its key. */
export interface ImportEntry {
  jsonData: JsonText;
  key?: string;
}

/** Bytes of one entry: as much as the body of a testcase may have. */
export const entryBytesMax = 4 * 1024 * 1024;

/**
 * Reads an entry: `{ jsonData, key? }`, or else the data itself.
 * @throws VALIDATION_ERROR, MALFORMED_JSON or PAYLOAD_TOO_LARGE
 */
export async function readEntry(raw: Buffer): Promise<ImportEntry> {
  // An entry of CSV grows when it becomes JSON.
  if (raw.length > entryBytesMax) throw tooLarge(entryBytesMax);
  const value = await parsePart(raw, entryForm);
  if (!isObject(value)) throw invalidAt('', 'must be an object');
  if (!isEntryForm(raw))
    return { jsonData: new JsonText(raw.subarray(skipSpace(raw, 0), endOfObject(raw))) };
  const { jsonData } = value;
  if (!(jsonData instanceof JsonText)) throw invalidAt('/jsonData', 'must be an object');
  return Object.hasOwn(value, 'key') ? { jsonData, key: readKey(value.key) } : { jsonData };
}

/** Of the data itself nothing is built. */
const entryForm = bodyForm(keyedData);

/** An entry as an import reads it: the data itself where that is enough. */
export const writeEntry = (data: Uint8Array, key: string | undefined): Uint8Array[] =>
  key === undefined && !isEntryForm(data)
    ? [data]
    : [
        Buffer.from('{"jsonData":'),
        data,
        Buffer.from(key === undefined ? '}' : `,"key":${JSON.stringify(key)}}`),
      ];

const endOfObject = (raw: Buffer): number => raw.lastIndexOf('}') + 1;

/** Has the object the member `jsonData`, maybe `key`, and no other? Looks no further than it must. */
function isEntryForm(object: Uint8Array): boolean {
  let hasData = false;
  let hasOthers = false;
  eachMember(object, skipSpace(object, 0), (name, start) => {
    hasData ||= name === 'jsonData';
    hasOthers ||= name !== 'jsonData' && name !== 'key';
    return hasOthers ? object.length : endOfValue(object, start);
  });
  return hasData && !hasOthers;
}

function readKey(value: unknown): string {
  const { data, error } = testcaseKey.safeParse(value, { reportInput: true });
  if (error) throw invalid(issuesOf(error, () => '/key'));
  return data;
}
