import { isUtf8 } from 'node:buffer';
import { Failure, invalidAt } from '@assay/contracts/failure';
import {
  delimiterOfHeader,
  delimiters,
  escapeFormula,
  namedDelimiter,
  unescapeFormula,
} from '@assay/contracts/spreadsheet-text';
import { topLevelKeys } from '@assay/json-schema/keys';
import {
  createRecordSplitter,
  type RawEntry,
  type Splitter,
} from '@assay/runtime/uploads/splitters';
import { parse } from 'csv-parse/sync';
import type { Definition } from './definitions.ts';
import { keyColumn } from './entry.ts';

/**
 * How the cells of a column are read: the JSON types, besides text, that its property in the schema
 * has.
 */
export type ColumnTypes = ReadonlySet<string>;

/** The part of a testset that says which columns its testcases have. */
type Columns = Pick<Definition, 'schemaText' | 'fieldMapping'>;

/**
 * Cuts CSV with a header line into the entries that its records stand for, under the types of the
 * schema. The column `_key` has their keys, unless it is a field of the testset. The header line, or
 * a line `sep=;` before it, tells the delimiter. A record of nothing but delimiters is skipped, and
 * `skip` told.
 */
export function createCsvSplitter(
  definition: Columns,
  { bytesMax, skip }: { bytesMax: number; skip: () => void },
): Splitter {
  let delimiter: string | undefined;
  let code: number | undefined;
  const records = createRecordSplitter(bytesMax, (byte) =>
    code === undefined ? delimiterCodes.has(byte) : byte === code,
  );
  const typesOf = columnTypesOf(definition.schemaText);
  const hasKeyField = dataColumns(definition).includes(keyColumn);
  let table: Table | undefined;

  function begin(record: Buffer): void {
    const line = textOf(record);
    const named = delimiter === undefined ? namedDelimiter(line) : undefined;
    delimiter ??= named ?? delimiterOfHeader(line);
    code = delimiter.charCodeAt(0);
    if (named !== undefined) return;
    const cells = readRecord(record, delimiter);
    if (isNothing(cells)) return;
    const header = readHeader(cells);
    const keyAt = hasKeyField ? -1 : header.indexOf(keyColumn);
    table = { delimiter, header, types: header.map(typesOf), keyAt };
  }

  function* toEntries(found: Iterable<RawEntry>): Iterable<RawEntry> {
    for (const record of found) {
      if (table) {
        const entry = entryOrFailure(record, table);
        if (entry) yield entry;
        else skip();
      } else if (record instanceof Failure) throw record;
      else begin(record);
    }
  }

  return {
    push: (chunk) => toEntries(records.push(chunk)),
    *end() {
      yield* toEntries(records.end());
      if (!table) throw invalidAt('', 'must have a header line');
    },
    abandon: records.abandon,
    release: records.release,
  };
}

const delimiterCodes: ReadonlySet<number> = new Set(delimiters.map((one) => one.charCodeAt(0)));

interface Table {
  delimiter: string;
  header: string[];
  types: ColumnTypes[];
  /** The column of the keys; -1 where there is none. */
  keyAt: number;
}

/** Undefined for a record of nothing but delimiters. */
function entryOrFailure(record: RawEntry, table: Table): RawEntry | undefined {
  if (record instanceof Failure) return record;
  try {
    const cells = readRecord(record, table.delimiter);
    return isNothing(cells) ? undefined : entryOf(cells, table);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

interface Cell {
  text: string;
  isQuoted: boolean;
}

const textTypes: ColumnTypes = new Set();

/**
 * The columns' types: `type` of the schema's top-level property, where it says one or more of
 * number, integer, boolean, null, object and array. All other columns hold text.
 */
export function columnTypesOf(schemaText: string): (key: string) => ColumnTypes {
  const { properties } = JSON.parse(schemaText) as { properties?: unknown };
  return (key) => {
    if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, key))
      return textTypes;
    const property = (properties as Record<string, unknown>)[key] as
      | { type?: unknown }
      | boolean
      | null;
    const types =
      typeof property === 'object' && property !== null ? [property.type ?? []].flat() : [];
    return new Set(
      types
        .map((type) => (type === 'integer' ? 'number' : String(type)))
        .filter((type) => type !== 'string'),
    );
  };
}

const isNothing = (cells: Cell[]): boolean =>
  cells.every(({ text, isQuoted }) => text === '' && !isQuoted);

/** @throws MALFORMED_JSON for bytes that are not UTF-8. */
function textOf(record: Buffer): string {
  if (!isUtf8(record))
    throw new Failure(
      'MALFORMED_JSON',
      'The body is not valid UTF-8. If it is of Windows, say so: `content-type: text/csv; charset=windows-1252`.',
    );
  return record.toString();
}

/**
 * Returns the cells of one record. @throws VALIDATION_ERROR for text that is not a record,
 * MALFORMED_JSON for bytes that are not UTF-8.
 */
function readRecord(record: Buffer, delimiter: string): Cell[] {
  const line = textOf(record);
  try {
    const cast = (text: string, { quoting }: { quoting: boolean }): Cell => ({
      text,
      isQuoted: quoting,
    });
    return (
      parse(line, {
        cast: cast as never,
        delimiter,
        record_delimiter: '\n',
      }) as unknown as Cell[][]
    )[0]!;
  } catch {
    throw invalidAt('', 'has a quote that is not closed, or text before or after a quoted cell');
  }
}

/** The keys that the header line names. @throws VALIDATION_ERROR where one is named twice. */
function readHeader(cells: Cell[]): string[] {
  const keys = cells.map(({ text }) => unescapeFormula(text));
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined)
    throw invalidAt('', `has the column ${JSON.stringify(twice)} twice in its header line`);
  return keys;
}

/**
 * The entry that a record stands for. An empty cell without quotes leaves its field out; with quotes
 * it is the empty text. An empty cell of the keys is no key in either case.
 */
function entryOf(cells: Cell[], { header, types, keyAt }: Table): Buffer {
  if (cells.length !== header.length)
    throw invalidAt('', `has ${cells.length} cells, but the header line has ${header.length}`);
  const members = cells.flatMap(({ text, isQuoted }, index) =>
    index === keyAt || (text === '' && !isQuoted)
      ? []
      : [`${JSON.stringify(header[index])}:${readCell(text, types[index]!)}`],
  );
  const key = unescapeFormula(cells[keyAt]?.text ?? '');
  return Buffer.from(
    `{"jsonData":{${members.join(',')}}${key === '' ? '' : `,"key":${JSON.stringify(key)}`}}`,
  );
}

/**
 * Returns a cell as JSON text. A column of text alone holds text. In any other column, a cell that
 * reads as JSON of one of the column's types, or as a JSON string, is that value; every other cell
 * is text, and validation against the schema reports whether it fits.
 */
function readCell(cell: string, types: ColumnTypes): string {
  const text = unescapeFormula(cell);
  const kind = types.size > 0 ? kindOf(text) : undefined;
  return kind === 'string' || (kind !== undefined && types.has(kind)) ? text : JSON.stringify(text);
}

/** The columns of a testset's data: the keys of its mapping by role, then others of its schema. */
export function dataColumns({ schemaText, fieldMapping }: Columns): string[] {
  const { inputs, expected, metadata } = fieldMapping;
  return [...new Set([...inputs, ...expected, ...metadata, ...topLevelKeys(schemaText)])];
}

/** The cell of a name. */
export const writeKey = (key: string): string => escapeFormula(key);

/**
 * The cell that `readCell` reads as this value, where the column's types have it or it is a string;
 * else its JSON text.
 */
export function writeCell(value: string, types: ColumnTypes): string {
  if (!value.startsWith('"')) return value;
  const text = JSON.parse(value) as string;
  const isRead = types.size === 0 || kindOf(text) === undefined;
  return escapeFormula(isRead ? text : JSON.stringify(text));
}

function kindOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  } catch {
    return undefined;
  }
}
