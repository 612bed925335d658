import { ImportFailure } from '../failure.ts';
import type { SourceFile } from '../source.ts';
import { entryCharactersMax, fieldsMax } from './limits.ts';
import { readText } from './text.ts';

export interface Row {
  cells: string[];
  /** Where it begins, counted from 1. */
  line: number;
}

/**
 * The records of CSV (RFC 4180), without blank ones. The delimiter is given, or named by a first
 * line `sep=;`, or it is the one that the header line has most of.
 */
export async function* readRows(file: SourceFile, delimiter?: string): AsyncGenerator<Row> {
  let cutter: ReturnType<typeof createRowCutter> | undefined;
  let head = '';
  for await (const chunk of readText(file)) {
    if (cutter) {
      yield* cutter.push(chunk);
      continue;
    }
    head += chunk;
    if (!head.includes('\n') && head.length < 64 * 1024) continue;
    cutter = createRowCutter(file.name, delimiter ?? delimiterOf(head));
    yield* cutter.push(head);
  }
  if (!cutter) {
    cutter = createRowCutter(file.name, delimiter ?? delimiterOf(head));
    yield* cutter.push(head);
  }
  yield* cutter.end();
}

/** The delimiter of a table, from its first lines. */
export function delimiterOf(head: string): string {
  const named = /^sep=(.)\r?\n/.exec(head)?.[1];
  if (named) return named;
  const header = head.split('\n', 1)[0]!.replaceAll(/"(?:[^"]|"")*"/g, '');
  const counts = [',', '\t', ';', '|'].map((sign) => [sign, header.split(sign).length] as const);
  return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

function createRowCutter(name: string, delimiter: string) {
  const separator = delimiter.charCodeAt(0);
  let cells: string[] = [];
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let line = 1;
  let rowLine = 1;
  let quoteLine = 1;
  let characters = 0;
  let isFirst = true;

  function endCell(text: string): void {
    cells.push(text);
    cell = '';
    state = 'start';
    if (cells.length > fieldsMax)
      throw new ImportFailure(
        { file: name, line: rowLine },
        `has more than ${fieldsMax} columns, which is too many: leave out those that are not needed.`,
      );
  }

  function takeRow(): Row | undefined {
    const row = { cells, line: rowLine };
    cells = [];
    characters = 0;
    const isSeparatorLine = isFirst && /^sep=/.test(row.cells[0]!);
    isFirst = false;
    return isSeparatorLine || row.cells.every((text) => text.trim() === '') ? undefined : row;
  }

  function grow(by: number): void {
    characters += by;
    if (characters > entryCharactersMax)
      throw new ImportFailure(
        { file: name, line: rowLine },
        `is a row of more than ${entryCharactersMax / 1024 ** 2} MiB: is a quote missing that closes a cell?`,
      );
  }

  return {
    *push(chunk: string): Generator<Row> {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        if (state === 'quoted') {
          const end = chunk.indexOf('"', at);
          const text = chunk.slice(at, end < 0 ? chunk.length : end);
          line += linesIn(text);
          grow(text.length);
          cell += text;
          if (end < 0) return;
          state = 'closed';
          at = end;
          continue;
        }
        const code = chunk.charCodeAt(at);
        if (state === 'closed') {
          if (code === 0x22) {
            cell += '"';
            state = 'quoted';
          } else if (code === separator) endCell(cell);
          else if (code === 0x0a) {
            endCell(cell);
            const row = takeRow();
            if (row) yield row;
            line += 1;
            rowLine = line;
          } else if (code !== 0x0d && code !== 0x20)
            throw new ImportFailure(
              { file: name, line, column: cells.length + 1 },
              'has text after the quote that closes a cell: write a quote inside a cell twice.',
            );
          continue;
        }
        if (state === 'start') {
          from = at;
          if (code === 0x22) {
            state = 'quoted';
            quoteLine = line;
            continue;
          }
          state = 'plain';
        }
        if (code !== separator && code !== 0x0a) continue;
        const text = cell + chunk.slice(from, at);
        grow(at - from);
        endCell(code === 0x0a && text.endsWith('\r') ? text.slice(0, -1) : text);
        if (code === separator) continue;
        const row = takeRow();
        if (row) yield row;
        line += 1;
        rowLine = line;
      }
      if (state === 'plain') {
        cell += chunk.slice(from);
        grow(chunk.length - from);
      }
    },
    *end(): Generator<Row> {
      if (state === 'quoted')
        throw new ImportFailure(
          { file: name, line: quoteLine, column: cells.length + 1 },
          'opens a quote that nothing closes: the file is cut off, or a quote is missing.',
        );
      if (cells.length === 0 && cell === '' && state === 'start') return;
      endCell(cell.endsWith('\r') ? cell.slice(0, -1) : cell);
      const row = takeRow();
      if (row) yield row;
    },
  };
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** A row of a table by its columns. */
export interface TableRow {
  cells: Map<string, string>;
  line: number;
}

/**
 * The rows of a table under its header line. A column without a name gets its number.
 * @throws for a row that has more or fewer cells than the header line.
 */
export async function* readTable(file: SourceFile, delimiter?: string): AsyncGenerator<TableRow> {
  let header: string[] | undefined;
  for await (const { cells, line } of readRows(file, delimiter)) {
    if (!header) {
      header = cells.map((name, index) => unescapeFormula(name).trim() || `column ${index + 1}`);
      checkHeader(file, header, line);
      continue;
    }
    if (cells.length !== header.length)
      throw new ImportFailure(
        { file: file.name, line },
        `has ${cells.length} cells, but the header line has ${header.length}: put cells with a delimiter or a line break between quotes.`,
      );
    yield {
      cells: new Map(header.map((name, index) => [name, unescapeFormula(cells[index]!)])),
      line,
    };
  }
  if (!header)
    throw new ImportFailure({ file: file.name }, 'is empty: a table begins with a header line.');
}

function checkHeader(file: SourceFile, header: string[], line: number): void {
  const twice = header.find((name, index) => header.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ImportFailure(
      { file: file.name, line },
      `has the column ${JSON.stringify(twice)} twice: rename one of them.`,
    );
}

/** Exports write an apostrophe before text that a spreadsheet would run; it is none of the text. */
const unescapeFormula = (text: string): string =>
  /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? text.slice(1) : text;
