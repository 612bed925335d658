import { unescapeFormula } from '@assay/contracts/spreadsheet-text';
import { createRowSplitter, type Row } from '@assay/import/reading/csv';
import { createListScan } from '@assay/import/reading/json-stream';
import { createLineSplitter } from '@assay/import/reading/lines';
import { readText } from '@assay/import/reading/text';
import { membersOf } from '@assay/json/members';
import type { FileFormat } from './format.ts';
import { writeRow } from './write-row.ts';

/** One entry of a file: a row of a table, or an object. */
export interface Entry {
  /** As a person counts, from 1: the row with the header, the line, or the element. */
  number: number;
  /** By column: the text of a cell, or the JSON text of a member. */
  values: Map<string, string>;
  /** Why it cannot become a testcase. */
  problem?: string;
  /** As it stands in the file. */
  source: { cells: Row['cells'] } | { text: string };
}

/** Some entries of a file, and how many of its bytes have been read. */
export interface EntryBatch {
  entries: Entry[];
  bytesRead: number;
  /** The columns of a table. */
  header: string[];
}

/** The column of the errors in a file of entries to correct; an import leaves it out. */
export const errorColumn = '_error';

/** The column of the keys of testcases, as exports write it. */
export const keyColumn = '_key';

/** Bytes that are read at once: a browser gives more, which would hold the page up. */
const pieceBytes = 256 * 1024;

/** Characters of one entry: as many as an import takes. */
const charactersMax = 4 * 1024 * 1024;

/**
 * Reads the entries of a file as they come: never more than a piece of the file is in memory.
 * @throws ImportFailure for a file that is no text, an entry that is too long, and a table whose
 * header names a column twice.
 */
export async function* readEntries(file: File, format: FileFormat): AsyncGenerator<EntryBatch> {
  const { name, size } = file;
  const reader =
    format.kind === 'table'
      ? createTableReader(name, format.delimiter)
      : format.kind === 'json'
        ? createListReader(name)
        : createLineReader(name);
  let bytesRead = 0;
  async function* open() {
    for (; bytesRead < size; ) {
      const piece = file.slice(bytesRead, bytesRead + pieceBytes);
      bytesRead += piece.size;
      yield new Uint8Array(await piece.arrayBuffer());
    }
  }
  for await (const text of readText({ name, size, open }, format.encoding))
    yield { entries: reader.push(text), bytesRead, header: reader.header };
  yield { entries: reader.end(), bytesRead: size, header: reader.header };
}

interface Reader {
  header: string[];
  push: (text: string) => Entry[];
  end: () => Entry[];
}

function createLineReader(name: string): Reader {
  const splitter = createLineSplitter({ name, charactersMax });
  const toEntries = (lines: Iterable<{ text: string; line: number }>) =>
    Array.from(lines, ({ text, line }) => objectEntry(text, line));
  return {
    header: [],
    push: (text) => toEntries(splitter.push(text)),
    end: () => toEntries(splitter.end()),
  };
}

function createListReader(name: string): Reader {
  const scan = createListScan({ name, lists: [''], charactersMax });
  let number = 0;
  const toEntry = (text: string) => {
    number += 1;
    return objectEntry(text.trim(), number);
  };
  return {
    header: [],
    push: (text) => Array.from(scan.push(text), (element) => toEntry(element.text)),
    end: () => {
      // Where the file is cut off, its last element is told as one to correct.
      const begun = scan.begun();
      if (begun.trim() !== '') return [toEntry(begun)];
      scan.end();
      return [];
    },
  };
}

function objectEntry(text: string, number: number): Entry {
  const source = { text };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { number, values: new Map(), source, problem: 'is no JSON object' };
    return { number, values: valuesOf(text), source };
  } catch (error) {
    const problem = `is no JSON: ${(error as Error).message}`;
    return { number, values: new Map(), source, problem };
  }
}

/** The members of an object; of a testcase with a key, as exports write it, those of its data. */
function valuesOf(text: string): Map<string, string> {
  const members = new Map(
    membersOf(text).map(({ key, start, end }): [string, string] => [key, text.slice(start, end)]),
  );
  const { jsonData, key, [errorColumn]: error, ...others } = Object.fromEntries(members);
  if (!jsonData?.startsWith('{') || Object.keys(others).length > 0) return members;
  return new Map([
    ...(error === undefined ? [] : [[errorColumn, error] as const]),
    ...(key === undefined ? [] : [[keyColumn, key] as const]),
    ...membersOf(jsonData).map((member): [string, string] => [
      member.key,
      jsonData.slice(member.start, member.end),
    ]),
  ]);
}

function createTableReader(name: string, delimiter: string): Reader {
  const rows = createRowSplitter({ name, delimiter, charactersMax });
  let number = 0;
  const reader: Reader = {
    header: [],
    push: (text) => toEntries(rows.push(text)),
    end: () => toEntries(rows.end()),
  };
  return reader;

  function toEntries(found: Iterable<Row>): Entry[] {
    return [...found].flatMap((row) => {
      number += 1;
      if (row.cells.length === 0) return [];
      if (reader.header.length > 0) return [rowEntry(row, reader.header, number)];
      reader.header = headerOf(row);
      return [];
    });
  }
}

function headerOf({ cells, problem }: Row): string[] {
  if (problem) throw problem;
  const header = cells.map((cell, index) => unescapeFormula(cell ?? `column ${index + 1}`));
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`The header line names the column “${twice}” twice.`);
  return header;
}

function rowEntry({ cells, problem }: Row, header: string[], number: number): Entry {
  const source = { cells };
  const wrong =
    problem?.sentence ??
    (cells.length === header.length
      ? undefined
      : `has ${cells.length} cells, but the header line has ${header.length}`);
  if (wrong) return { number, values: new Map(), source, problem: wrong };
  const values = cells.flatMap((cell, index): [string, string][] =>
    cell === undefined ? [] : [[header[index]!, unescapeFormula(cell)]],
  );
  return { number, values: new Map(values), source };
}

/** The first line of a file of entries to correct. */
export const correctionHead = (format: FileFormat, header: string[]): string =>
  format.kind === 'table'
    ? writeRow([errorColumn, ...header.filter((name) => name !== errorColumn)], format.delimiter)
    : '';

/**
 * An entry as it stood in its file, with its error before it: in the first column, so that a row with
 * too many cells keeps the others in their places.
 */
export function writeCorrection(
  { source, values }: Entry,
  { format, header, error }: { format: FileFormat; header: string[]; error: string },
): string {
  if ('text' in source) {
    const text = source.text.replace(/[\r\n]+/g, ' ');
    if (values.size === 0) return `${text}\n`;
    const members = membersOf(text)
      .filter(({ key }) => key !== errorColumn)
      .map(({ from, end }) => text.slice(from, end));
    return `{${[`"${errorColumn}":${JSON.stringify(error)}`, ...members].join(',')}}\n`;
  }
  const cells = source.cells.filter((_cell, index) => header[index] !== errorColumn);
  return writeRow([error, ...cells], format.kind === 'table' ? format.delimiter : ',');
}
