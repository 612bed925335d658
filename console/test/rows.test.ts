import { createRowSplitter, type Row } from '@assay/import/reading/csv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeRow } from '../src/files/write-row.ts';

function read(pieces: string[], delimiter = ','): Row[] {
  const splitter = createRowSplitter({ name: 'a.csv', delimiter, charactersMax: 4 * 1024 * 1024 });
  return [...pieces.flatMap((piece) => [...splitter.push(piece)]), ...splitter.end()];
}
const cellsOf = (text: string, delimiter?: string) =>
  read([text], delimiter).map(({ cells }) => cells);

const delimiters = fc.constantFrom(',', '\t', ';', '|');
const cell = fc.option(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('"', ',', ';', '\t', '|', '\r', '\n', 'a', ' '))
      .map((all) => all.join('')),
  ),
  { nil: undefined },
);
const row = fc
  .array(cell, { minLength: 1, maxLength: 5 })
  .filter((cells) => cells.length > 1 || cells[0] !== undefined);

test('rows that are written are read again, wherever the text is cut', () => {
  fc.assert(
    fc.property(
      fc.array(row),
      delimiters,
      fc.nat(),
      fc.boolean(),
      (rows, delimiter, cut, isCut) => {
        const whole = rows.map((cells) => writeRow(cells, delimiter)).join('');
        const text = isCut ? whole.slice(0, -1) : whole;
        const at = cut % (text.length + 1);
        const cellsOfPieces = (pieces: string[]) =>
          read(pieces, delimiter).map(({ cells }) => cells);
        expect(cellsOfPieces([text.slice(0, at), text.slice(at)])).toEqual(rows);
        expect(cellsOfPieces([...text])).toEqual(rows);
      },
    ),
  );
});

describe('a table', () => {
  test('may end its lines in any way, and has blank lines', () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(cellsOf(['a,b', '', '1,2', ''].join(end))).toEqual([['a', 'b'], [], ['1', '2']]);
  });

  test('has line breaks, delimiters and doubled quotes in quotes', () => {
    expect(cellsOf('"a\r\nb","c,""d"""\ne,f')).toEqual([
      ['a\r\nb', 'c,"d"'],
      ['e', 'f'],
    ]);
  });

  test('tells a cell without text from an empty text', () => {
    expect(cellsOf(',"",a\n')).toEqual([[undefined, '', 'a']]);
  });

  test('takes a quote inside a cell as text, as spreadsheets copy it', () => {
    expect(cellsOf('5" nail\tb', '\t')).toEqual([['5" nail', 'b']]);
  });

  test('says which row cannot be read, and goes on after it', () => {
    const rows = read(['a,b\n"x"y,1\nc,d']);
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['xy', '1'],
      ['c', 'd'],
    ]);
    expect(rows.map(({ problem }) => problem?.message)).toEqual([
      undefined,
      'a.csv, line 2, column 1: has text after the quote that closes a cell: write a quote inside a cell twice.',
      undefined,
    ]);
    expect(read(['a\n"open,1\nb']).at(-1)!.problem?.sentence).toContain('that nothing closes');
  });

  test('is not read further where a quote swallows it', () => {
    expect(() => read(['"', 'x'.repeat(5_000_000)])).toThrow('4 MiB');
  });
});
