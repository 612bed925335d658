/** The sign between the cells of a row. */
export type Delimiter = ',' | '\t' | ';' | '|';

/** A row of a table as text: a cell that is empty and without quotes is undefined. */
export interface Row {
  /** None where the row is blank. */
  cells: (string | undefined)[];
  /** Why the row cannot be read. */
  problem?: string;
}

/** Characters of one row: as many as an entry of an import may have. */
const rowCharactersMax = 4 * 1024 * 1024;

/**
 * Reads a table piece by piece (RFC 4180): cells in quotes may hold delimiters, line breaks, and
 * quotes that are doubled. A quote inside a cell that does not begin with one is text, as
 * spreadsheets copy it. Rows end with LF, CRLF or CR.
 * @throws Error for a row of more than 4 MiB.
 */
export function createRowReader(delimiter: Delimiter) {
  const end = delimiter === '\t' ? /[\r\n\t]/g : new RegExp(`[\\r\\n${delimiter}]`, 'g');
  let row: Row = { cells: [] };
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let isAfterReturn = false;

  function endCell(): void {
    row.cells.push(cell === '' && state === 'start' ? undefined : cell);
    cell = '';
    state = 'start';
  }

  function endRow(): Row {
    endCell();
    const ended = row;
    row = { cells: [] };
    const isBlank = ended.cells.length === 1 && ended.cells[0] === undefined;
    return isBlank ? { cells: [] } : ended;
  }

  function add(text: string): void {
    cell += text;
    if (cell.length > rowCharactersMax)
      throw new Error('A row has more than 4 MiB. Perhaps a quote in the file is not closed.');
  }

  /** Reads one sign, or a run of text, and returns the position after it. */
  function readAt(text: string, at: number, rows: Row[]): number {
    if (state === 'quoted') {
      const close = text.indexOf('"', at);
      add(text.slice(at, close < 0 ? undefined : close));
      if (close < 0) return text.length;
      state = 'closed';
      return close + 1;
    }
    const sign = text[at]!;
    const isSecondOfBreak = isAfterReturn && sign === '\n';
    isAfterReturn = false;
    if (isSecondOfBreak) return at + 1;
    if (sign === '"' && (state === 'start' || state === 'closed')) {
      if (state === 'closed') add('"');
      state = 'quoted';
      return at + 1;
    }
    if (sign === delimiter) {
      endCell();
      return at + 1;
    }
    if (sign === '\n' || sign === '\r') {
      rows.push(endRow());
      isAfterReturn = sign === '\r';
      return at + 1;
    }
    if (state === 'closed') row.problem = 'has text after a cell in quotes';
    else state = 'plain';
    end.lastIndex = at;
    const next = end.exec(text)?.index ?? text.length;
    add(text.slice(at, next));
    return next;
  }

  return {
    /** Returns the rows that end in this piece of the text. */
    push(text: string): Row[] {
      const rows: Row[] = [];
      for (let at = 0; at < text.length; ) at = readAt(text, at, rows);
      return rows;
    },
    /** Returns the last row, where no line break ended it. */
    end(): Row[] {
      if (state === 'quoted') row.problem = 'has a quote that is not closed';
      return row.cells.length > 0 || state !== 'start' ? [endRow()] : [];
    },
  };
}

/** A row as text with its line break, which `createRowReader` reads as these cells. */
export function writeRow(cells: (string | undefined)[], delimiter: Delimiter): string {
  const written = cells.map((cell) => {
    if (cell === undefined) return '';
    const needsQuotes = cell === '' || /["\r\n]/.test(cell) || cell.includes(delimiter);
    return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${written.join(delimiter)}\n`;
}
