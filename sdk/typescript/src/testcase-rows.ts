import { guessRole } from '@assay/import/roles';
import { rowKey } from '@assay/import/sending/row-key';
import { canonicalText } from '@assay/json/canonical';
import { isObject } from '@assay/json/value';
import type { Json } from './evaluation.ts';
import { AssayError } from './failure.ts';

/** The roles of a testset's fields. */
export interface FieldRoles {
  inputs: string[];
  expected: string[];
  metadata: string[];
}
type Role = keyof FieldRoles;
const roles: readonly Role[] = ['inputs', 'expected', 'metadata'];

/** A row of `testcases` by the roles of its fields. */
export type RowFields = Record<Role, Json>;

export interface KeyedTestcase {
  key: string;
  jsonData: Json;
}

/** Rows as the testcases of a testset, and the roles of all their fields. */
export interface TestcaseRows {
  testcases: KeyedTestcase[];
  fieldMapping: FieldRoles;
  /** Fields of one name in two roles: how they are stored. */
  renamed: string[];
}

const keyCharactersMax = 255;
/** The columns that are the key where no other is named; an export of a testset has the first. */
const keyColumns = ['_key', 'key'];

/**
 * The fields of a row by their roles. `inputs`, `expected` and `metadata` say it themselves; a column
 * has the role that the testset gives it, else the one that its name suggests, as in an import.
 * @throws AssayError for a row without inputs.
 */
export function fieldsOfRow(
  row: Json,
  { number, known, key }: { number: number; known?: FieldRoles; key?: string | undefined },
): RowFields {
  const isTold = Object.hasOwn(row, 'inputs');
  if (isTold && !isObject(row.inputs))
    throw new AssayError(
      `Row ${number} of \`testcases\` must have an object as its \`inputs\`: give a value alone as \`input\`.`,
    );
  const fields: Record<Role, [string, unknown][]> = { inputs: [], expected: [], metadata: [] };
  const rolesKnown = new Map(
    roles.flatMap((role) => (known?.[role] ?? []).map((name) => [name, role] as const)),
  );
  for (const [name, value] of Object.entries(row)) {
    const isKey = name === '_key' || (name === 'key' && key === undefined);
    if (isKey && !rolesKnown.has(name)) continue;
    if (name === 'inputs') fields.inputs.push(...Object.entries(value as Json));
    else if (name === 'input' && isObject(value) && !isTold)
      fields.inputs.push(...Object.entries(value));
    else if (name === 'expected' || name === 'metadata')
      fields[name].push(...entriesOf(value, name));
    else {
      const role = rolesKnown.get(name) ?? roleByName(name);
      fields[isTold && role === 'inputs' ? 'metadata' : role].push([name, value]);
    }
  }
  if (!isTold && fields.inputs.length === 0)
    throw new AssayError(
      `Row ${number} of \`testcases\` has no inputs: give them as \`inputs\`, such as { inputs: { question: '2 + 2' } }.`,
    );
  const { inputs, expected, metadata } = fields;
  return {
    inputs: Object.fromEntries(inputs),
    expected: Object.fromEntries(expected),
    metadata: Object.fromEntries(metadata),
  };
}

/** An object's own fields; any other value under the given name, and none of null. */
function entriesOf(value: unknown, name: string): [string, unknown][] {
  if (value === null || value === undefined) return [];
  return isObject(value) ? Object.entries(value) : [[name, value]];
}

function roleByName(name: string): Role {
  const role = guessRole(name);
  return role === 'input' ? 'inputs' : role;
}

/**
 * The rows as testcases with keys. The key is the column `key`, else the field `_key` or `key`, else
 * `id` where every row has another one, else a hash of the inputs.
 * @throws AssayError for two rows of one key, and for a field that has another role in the testset.
 */
export function testcasesOfRows(
  rows: readonly Json[],
  { testset, key }: { testset?: { name: string; fieldMapping: FieldRoles }; key?: string },
): TestcaseRows {
  const known = testset?.fieldMapping;
  const fields = rows.map((row, index) =>
    fieldsOfRow(row, { number: index + 1, key, ...(known ? { known } : {}) }),
  );
  const names = namesOf(fields, known);
  if (testset) checkRoles(names, testset);
  const keys = keysOf(rows, fields, key);
  checkKeys(keys);
  return {
    testcases: fields.map((each, index) => ({
      key: keys[index]!.key,
      // Entries keep a field named __proto__, which assigning would not.
      jsonData: Object.fromEntries(
        roles.flatMap((role) =>
          Object.entries(each[role]).map(([name, value]) => [names[role].get(name)!, value]),
        ),
      ),
    })),
    fieldMapping: {
      inputs: [...names.inputs.values()],
      expected: [...names.expected.values()],
      metadata: [...names.metadata.values()],
    },
    renamed: roles.flatMap((role) =>
      [...names[role]].flatMap(([name, stored]) =>
        name === stored
          ? []
          : [
              `The field ${JSON.stringify(name)} has two roles: as ${role} it is ${JSON.stringify(stored)}.`,
            ],
      ),
    ),
  };
}

/** Names of fields, and those under which they are stored: a testcase has one namespace. */
function namesOf(
  fields: readonly RowFields[],
  known: FieldRoles | undefined,
): Record<Role, Map<string, string>> {
  const names: Record<Role, Map<string, string>> = {
    inputs: new Map(),
    expected: new Map(),
    metadata: new Map(),
  };
  for (const row of fields)
    for (const role of roles)
      for (const name of Object.keys(row[role])) names[role].set(name, name);
  const all = new Set(roles.flatMap((role) => [...names[role].keys()]));
  const taken = new Set([...(known?.inputs ?? []), ...names.inputs.keys()]);
  for (const role of ['expected', 'metadata'] as const)
    for (const name of names[role].keys()) {
      let stored = name;
      if (taken.has(name)) stored = `${role}_${name}`;
      for (let number = 2; stored !== name && all.has(stored); number++)
        stored = `${role}_${name}_${number}`;
      names[role].set(name, stored);
      taken.add(stored);
      all.add(stored);
    }
  return names;
}

function checkRoles(
  names: Record<Role, Map<string, string>>,
  { name: testset, fieldMapping }: { name: string; fieldMapping: FieldRoles },
): void {
  for (const role of roles)
    for (const name of names[role].values()) {
      const other = roles.find((each) => each !== role && fieldMapping[each].includes(name));
      if (other !== undefined)
        throw new AssayError(
          `The field ${JSON.stringify(name)} of \`testcases\` is ${words[role]}, and in the testset ${JSON.stringify(testset)} it is ${words[other]}: give it another name, or change its role in the testset.`,
        );
    }
}

const words: Record<Role, string> = {
  inputs: 'an input',
  expected: 'an expected value',
  metadata: 'metadata',
};

interface RowKey {
  key: string;
  isOfInputs: boolean;
}

function keysOf(
  rows: readonly Json[],
  fields: readonly RowFields[],
  column: string | undefined,
): RowKey[] {
  const own = (row: Json, index: number) =>
    column === undefined
      ? keyColumns.map((name) => keyText(row, name, index)).find((key) => key !== undefined)
      : columnKey(row, column, index);
  const ids = rows.map(({ id }) => (isKey(id) ? String(id) : undefined));
  const areIds = !ids.includes(undefined) && new Set(ids).size === rows.length;
  return rows.map((row, index) => {
    const key = own(row, index) ?? (areIds ? ids[index] : undefined);
    if (key === undefined)
      return { key: rowKey(canonicalText(fields[index]!.inputs)), isOfInputs: true };
    if (key.length > keyCharactersMax)
      throw new AssayError(
        `The key of row ${index + 1} of \`testcases\` has more than ${keyCharactersMax} characters: name a shorter column as \`key\`.`,
      );
    return { key, isOfInputs: false };
  });
}

const isKey = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

/** The key in a field of the row; undefined where it has none. */
function keyText(row: Json, name: string, index: number): string | undefined {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  if (isKey(value)) return String(value);
  throw new AssayError(
    `The key of row ${index + 1} of \`testcases\`, ${JSON.stringify(name)}, must be a text or a number.`,
  );
}

/** The key in the column that is named, which may be one of the row's inputs or metadata. */
function columnKey(row: Json, column: string, index: number): string {
  const places = [row, row.inputs, row.input, row.metadata].filter(isObject);
  const key = places
    .map((place) => keyText(place, column, index))
    .find((found) => found !== undefined);
  if (key !== undefined) return key;
  throw new AssayError(
    `Row ${index + 1} of \`testcases\` has no key: it has nothing in ${JSON.stringify(column)}, which \`key\` names.`,
  );
}

function checkKeys(keys: readonly RowKey[]): void {
  const seen = new Map<string, number>();
  for (const [index, { key, isOfInputs }] of keys.entries()) {
    const first = seen.get(key);
    seen.set(key, index);
    if (first === undefined) continue;
    const same = `Rows ${first + 1} and ${index + 1} of \`testcases\` have the same key ${JSON.stringify(key)}`;
    throw new AssayError(
      isOfInputs
        ? `${same}, since their inputs are equal: leave one out, or name a column that tells them apart as \`key\`.`
        : `${same}: give each row a key of its own.`,
    );
  }
}
