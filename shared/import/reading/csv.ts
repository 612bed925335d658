import {
  delimiterOfHeader,
  delimiters,
  namedDelimiter,
  unescapeFormula,
} from '@assay/contracts/spreadsheet-text';
import { ImportFailure } from '../failure.ts';
import type { SourceFile } from '../source.ts';
import { entryCharactersMax, fieldsMax } from './limits.ts';
import { readText } from './text.ts';

export interface Row {
  /** A cell that is empty and without quotes is undefined. A blank row has no cells. */
  cells: (string | undefined)[];
  /** Where it begins, counted from 1. */
  line: number;
  /** The first fault of the row, which is read to its end all the same. */
  problem?: ImportFailure;
}

/** A row without a fault, and with a cell that is not empty. */
interface SoundRow {
  cells: string[];
  line: number;
}

/**
 * The records of CSV (RFC 4180), without blank ones. The delimiter is given, or the one that
 * `delimiterOf` finds. @throws for the first row that has a fault.
 */
export async function* readRows(file: SourceFile, delimiter?: string): AsyncGenerator<SoundRow> {
  let splitter: ReturnType<typeof createRowSplitter> | undefined;
  let head = '';
  for await (const chunk of readText(file)) {
    if (splitter) {
      yield* soundRows(splitter.push(chunk));
      continue;
    }
    head += chunk;
    if (head.length < headCharacters) continue;
    splitter = createRowSplitter({ name: file.name, delimiter: delimiter ?? delimiterOf(head) });
    yield* soundRows(splitter.push(head));
  }
  if (!splitter) {
    splitter = createRowSplitter({ name: file.name, delimiter: delimiter ?? delimiterOf(head) });
    yield* soundRows(splitter.push(head));
  }
  yield* soundRows(splitter.end());
}

function* soundRows(rows: Iterable<Row>): Generator<SoundRow> {
  for (const { cells, line, problem } of rows) {
    if (problem) throw problem;
    if (cells.every((text = '') => text.trim() === '')) continue;
    yield { cells: cells.map((text = '') => text), line };
  }
}

/** More characters than a header line has. */
const headCharacters = 64 * 1024;

/** The delimiter of a table, from its beginning: that of its first line, or the one that `sep=;` names there. */
export function delimiterOf(text: string): string {
  const line = firstLineOf(text.slice(0, headCharacters));
  return namedDelimiter(line) ?? delimiterOfHeader(line);
}

/** The first line that says anything; a line break between quotes ends none. */
function firstLineOf(text: string): string {
  let from = 0;
  let isQuoted = false;
  let isStart = true;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"' && (isQuoted || isStart)) isQuoted = !isQuoted;
    const isBreak = !isQuoted && (character === '\n' || character === '\r');
    isStart = !isQuoted && (isBreak || delimiters.some((one) => one === character));
    if (!isBreak) continue;
    const line = text.slice(from, at);
    if (/[^\s,;|]/.test(line)) return line;
    from = at + 1;
  }
  return text.slice(from);
}

/**
 * Cuts a table, which comes piece by piece, into rows. A quote inside a cell that does not begin with
 * one is text, as spreadsheets copy it. Rows end with LF, CRLF or CR.
 * @throws ImportFailure for a row of too many cells or characters.
 */
export function createRowSplitter({
  name,
  delimiter,
  charactersMax = entryCharactersMax,
  cellsMax = fieldsMax,
}: {
  /** Of the file, for faults. */
  name: string;
  delimiter: string;
  charactersMax?: number;
  cellsMax?: number;
}) {
  const separator = delimiter.charCodeAt(0);
  let row: Row = { cells: [], line: 1 };
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let line = 1;
  let quoteLine = 1;
  let characters = 0;
  let isAfterReturn = false;

  function endCell(text: string | undefined): void {
    row.cells.push(text);
    cell = '';
    state = 'start';
    if (row.cells.length > cellsMax)
      throw new ImportFailure(
        { file: name, line: row.line },
        `has more than ${cellsMax} columns, which is too many: leave out those that are not needed.`,
      );
  }

  function endRow(): Row {
    const ended = row;
    const [first, ...others] = ended.cells;
    const isBlank = others.length === 0 && first === undefined;
    const isSeparatorLine = ended.line === 1 && /^sep=.?$/.test(first ?? '');
    if (isBlank || isSeparatorLine) ended.cells = [];
    characters = 0;
    return ended;
  }

  function grow(by: number): void {
    characters += by;
    if (characters > charactersMax)
      throw new ImportFailure(
        { file: name, line: row.line },
        `is a row of more than ${charactersMax / 1024 ** 2} MiB: is a quote missing that closes a cell?`,
      );
  }

  function fault(at: number, sentence: string): void {
    const place = { file: name, line: at, column: row.cells.length + 1 };
    row.problem ??= new ImportFailure(place, sentence);
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
        const isSecondOfBreak = isAfterReturn && code === 0x0a;
        isAfterReturn = false;
        if (isSecondOfBreak) continue;
        const isBreak = code === 0x0a || code === 0x0d;
        if (state === 'closed' && code !== separator && !isBreak) {
          if (code === 0x22) {
            cell += '"';
            state = 'quoted';
          } else if (code !== 0x20) {
            fault(
              line,
              'has text after the quote that closes a cell: write a quote inside a cell twice.',
            );
            state = 'plain';
            from = at;
          }
          continue;
        }
        if (state === 'start') {
          if (code === 0x22) {
            state = 'quoted';
            quoteLine = line;
            continue;
          }
          state = 'plain';
          from = at;
        }
        if (code !== separator && !isBreak) continue;
        if (state === 'closed') endCell(cell);
        else {
          grow(at - from);
          endCell(cell + chunk.slice(from, at) || undefined);
        }
        if (code === separator) continue;
        const ended = endRow();
        line += 1;
        row = { cells: [], line };
        isAfterReturn = code === 0x0d;
        yield ended;
      }
      if (state === 'plain') {
        cell += chunk.slice(from);
        grow(chunk.length - from);
      }
    },
    *end(): Generator<Row> {
      if (state === 'quoted')
        fault(
          quoteLine,
          'opens a quote that nothing closes: the file is cut off, or a quote is missing.',
        );
      if (row.cells.length === 0 && state === 'start') return;
      endCell(state === 'plain' || state === 'start' ? cell || undefined : cell);
      yield endRow();
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
