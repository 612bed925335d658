import type { ItemOf } from '@assay/client/operations';
import { memberText } from '@assay/json/members';
import { visible } from '../../text/format.ts';
import { inOneLine, type Preview } from '../../text/json.ts';
import { escapedKey } from '../../text/pointers.ts';
import type { Field } from './fields.ts';

/** A testcase of the list: the beginning of its data, and of the values that were asked for. */
export type TestcaseItem = ItemOf<'/testsets/:testsetId/testcases'>;

/** Pointers that a list takes (contract section 4). */
const pointersMax = 10;
const pointerCharactersMax = 1000;

const pointerTo = (name: string): string => `/jsonData/${escapedKey(name)}`;

/** The values that the list is asked for: as many columns as it gives. */
export const pointersOf = (fields: Field[]): string[] =>
  fields
    .map(({ name }) => pointerTo(name))
    .filter((pointer) => pointer.length <= pointerCharactersMax)
    .slice(0, pointersMax);

/** A value for a cell: its text in one line; undefined where the data has none. */
export interface CellValue {
  text: string;
  isJson: boolean;
}

/** The preview of a testcase's data: the list gives nothing else here. */
export const dataOf = ({ jsonData }: TestcaseItem): Preview => jsonData as unknown as Preview;

/** Returns the value of a field, `…` where it is too far inside of large data to be shown. */
export function valueIn(testcase: TestcaseItem, name: string): CellValue | undefined {
  const shown = testcase.fields?.[pointerTo(name)];
  if (shown) {
    const { text, bytes, isCut } = shown;
    const isText = isCut ? !/^[[{]/.test(text) : bytes !== new TextEncoder().encode(text).length;
    return { text: inOneLine(`${text}${isCut ? ' …' : ''}`), isJson: !isText };
  }
  const { text, isCut } = dataOf(testcase);
  if (isCut) return testcase.fields ? undefined : { text: '…', isJson: false };
  const json = memberText(text, name);
  if (json === undefined) return undefined;
  const isText = json.startsWith('"');
  return { text: inOneLine(isText ? (JSON.parse(json) as string) : json), isJson: !isText };
}

/** The errors of a testcase, each at the field that it is about, and the rest under no name. */
export function errorsByField(
  { validationErrors = [] }: Pick<TestcaseItem, 'validationErrors'>,
  fields: Pick<Field, 'name'>[],
): Map<string | undefined, string[]> {
  const found = new Map<string | undefined, string[]>();
  for (const { path, message } of validationErrors) {
    const name = fields.find((field) => isAbout(path, message, field.name))?.name;
    found.set(name, [...(found.get(name) ?? []), visible(message)]);
  }
  return found;
}

/** A missing field has no place of its own: the error of the whole names it first. */
const isAbout = (path: string, message: string, name: string): boolean =>
  path === `/data/${escapedKey(name)}` ||
  path.startsWith(`/data/${escapedKey(name)}/`) ||
  (path === '/data' && message.startsWith(`"${name}" `));
