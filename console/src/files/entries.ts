import { membersOf } from '../text/members.ts';
import { createRowReader, type Row, writeRow } from './delimited.ts';
import { createElementReader, createLineReader, type EntryReader } from './elements.ts';
import type { FileFormat } from './format.ts';

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

/**
 * Reads the entries of a file as they come: never more than a piece of the file is in memory. A
 * reader that leaves early ends the reading of the file.
 * @throws Error for a table whose header names a column twice.
 */
export async function* readEntries(file: Blob, format: FileFormat): AsyncGenerator<EntryBatch> {
  const reader = format.kind === 'table' ? createTableReader(format.delimiter) : readerOf(format);
  const decoder = new TextDecoder(format.encoding);
  const bytes = file.stream().getReader();
  let bytesRead = 0;
  try {
    for (;;) {
      const { done, value = new Uint8Array() } = await bytes.read();
      for (let from = 0; from < value.length; from += pieceBytes) {
        const piece = value.subarray(from, from + pieceBytes);
        const entries = reader.push(decoder.decode(piece, { stream: true }));
        bytesRead += piece.length;
        yield { entries, bytesRead, header: reader.header };
      }
      if (!done) continue;
      const entries = [...reader.push(decoder.decode()), ...reader.end()];
      yield { entries, bytesRead, header: reader.header };
      return;
    }
  } finally {
    await bytes.cancel();
  }
}

interface Reader {
  header: string[];
  push: (text: string) => Entry[];
  end: () => Entry[];
}

function readerOf({ kind }: FileFormat): Reader {
  const texts: EntryReader = kind === 'json' ? createElementReader() : createLineReader();
  let number = 0;
  const toEntries = (found: string[]) =>
    found.flatMap((text) => {
      number += 1;
      return text.trim() === '' && kind === 'lines' ? [] : [objectEntry(text, number)];
    });
  return {
    header: [],
    push: (text) => toEntries(texts.push(text)),
    end: () => toEntries(texts.end()),
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

function createTableReader(delimiter: Parameters<typeof createRowReader>[0]): Reader {
  const rows = createRowReader(delimiter);
  let number = 0;
  const reader: Reader = {
    header: [],
    push: (text) => toEntries(rows.push(text)),
    end: () => toEntries(rows.end()),
  };
  return reader;

  function toEntries(found: Row[]): Entry[] {
    return found.flatMap((row) => {
      number += 1;
      if (row.cells.length === 0) return [];
      if (reader.header.length > 0) return [rowEntry(row, reader.header, number)];
      reader.header = headerOf(row);
      return [];
    });
  }
}

function headerOf({ cells, problem }: Row): string[] {
  if (problem) throw new Error(`The header line ${problem}.`);
  const header = cells.map((cell, index) => withoutApostrophe(cell ?? `column ${index + 1}`));
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`The header line names the column “${twice}” twice.`);
  return header;
}

function rowEntry({ cells, problem }: Row, header: string[], number: number): Entry {
  const source = { cells };
  const wrong =
    problem ??
    (cells.length === header.length
      ? undefined
      : `has ${cells.length} cells, but the header line has ${header.length}`);
  if (wrong) return { number, values: new Map(), source, problem: wrong };
  const values = cells.flatMap((cell, index): [string, string][] =>
    cell === undefined ? [] : [[header[index]!, withoutApostrophe(cell)]],
  );
  return { number, values: new Map(values), source };
}

/** Exports write an apostrophe before text that a spreadsheet would run; here it goes again. */
const withoutApostrophe = (text: string): string =>
  /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? text.slice(1) : text;

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
