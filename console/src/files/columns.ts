import type { Entry } from './entries.ts';

/** The types that JSON Schema has, and `any` for a field that may be anything. */
export const fieldTypes = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'any',
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** The JSON type of a value in its text. */
function typeOfJson(json: string): FieldType | 'null' {
  switch (json[0]) {
    case '"':
      return 'string';
    case '{':
      return 'object';
    case '[':
      return 'array';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return /^-?\d+$/.test(json) ? 'integer' : 'number';
  }
}

const isOf = (type: FieldType | 'null', allowed: readonly string[]): boolean =>
  allowed.includes(type) || (type === 'integer' && allowed.includes('number'));

/**
 * Returns a cell as JSON text. Where the field is of other types than text, a cell that reads as
 * JSON of one of them is that value; every other cell is text, and the schema says whether it fits.
 */
export function cellJson(text: string, types: readonly string[]): string {
  const json = types.some((type) => type !== 'string' && type !== 'any')
    ? validJson(text)
    : undefined;
  return json !== undefined && isOf(typeOfJson(json), types) ? json : JSON.stringify(text);
}

function validJson(text: string): string | undefined {
  const json = text.trim();
  try {
    JSON.parse(json);
    return json;
  } catch {
    return undefined;
  }
}

/** The columns of entries in the order in which they come first. */
export const columnsOf = (entries: Entry[]): string[] => [
  ...new Set(entries.flatMap(({ values }) => [...values.keys()])),
];

/**
 * Returns the narrowest type that all values of a column have. Of a table that is text where any
 * cell is no number, `true`, `false`, object or array; cells that are empty say nothing.
 */
export function typeOfColumn(
  entries: Entry[],
  column: string,
  { isTable }: { isTable: boolean },
): FieldType {
  const found = new Set<FieldType | 'null'>();
  for (const { values } of entries) {
    const value = values.get(column);
    if (value === undefined || (isTable && value === '')) continue;
    const json = isTable ? validJson(value) : value;
    found.add(json === undefined ? 'string' : typeOfJson(json));
  }
  if (isTable && found.has('null')) return 'string';
  found.delete('null');
  if (found.size === 2 && found.has('integer') && found.has('number')) return 'number';
  if (found.size === 1) return [...found][0] as FieldType;
  return isTable || found.size === 0 ? 'string' : 'any';
}
