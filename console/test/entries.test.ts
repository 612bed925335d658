import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellJson, columnsOf, typeOfColumn } from '../src/files/columns.ts';
import {
  correctionHead,
  type Entry,
  type EntryBatch,
  readEntries,
  writeCorrection,
} from '../src/files/entries.ts';
import { describeFormat, formatOf, formatOfText } from '../src/files/format.ts';
import { sampleOf } from '../src/pages/testset/import/sample.ts';

async function read(content: string | Uint8Array<ArrayBuffer>) {
  const file = new File([content], 'a');
  const format = await formatOf(file);
  const batches: EntryBatch[] = [];
  for await (const batch of readEntries(file, format)) batches.push(batch);
  return {
    format,
    batches,
    entries: batches.flatMap(({ entries }) => entries),
    header: batches.at(-1)!.header,
  };
}
const valuesOf = ({ values }: Entry) => Object.fromEntries(values);

describe('the kind of a file', () => {
  test.each([
    ['a,b\n1,2', 'Table with commas, UTF-8'],
    ['a;b\n"1,5";2', 'Table with semicolons, UTF-8'],
    ['a\tb\n1,5\t2', 'Table with tabs, UTF-8'],
    ['question\nWhy, and how?', 'Table with commas, UTF-8'],
    ['\ufeffa|b\n1|2', 'Table with bars, UTF-8'],
    [' [\n{"a":1}]', 'JSON array, UTF-8'],
    ['[]', 'JSON array, UTF-8'],
    ['{"a":1}\n{"a":2}', 'JSON lines, UTF-8'],
    [`{"a":"${'x'.repeat(300_000)}"}`, 'JSON lines, UTF-8'],
    ['', 'Table with commas, UTF-8'],
  ])('is found by its content: %j', (text, kind) => {
    expect(describeFormat(formatOfText(text.replace('\ufeff', '')))).toBe(kind);
  });

  test('may be what a spreadsheet of Windows writes', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from('a\tb\nü\t2', 'utf16le')]);
    expect(valuesOf((await read(utf16)).entries[0]!)).toEqual({ a: 'ü', b: '2' });
    const latin = new Uint8Array(Buffer.from('a;b\nZürich;2', 'latin1'));
    expect(valuesOf((await read(latin)).entries[0]!)).toEqual({ a: 'Zürich', b: '2' });
  });
});

describe('the entries of a file', () => {
  test('of testcases with keys, as exports write them, are their data and a column of keys', async () => {
    const { entries } = await read(
      '{"jsonData":{"a":1.50},"key":"x"}\n{"_error":"e","key":7,"jsonData":{"key":"y"}}\n{"jsonData":{},"b":1}\n{"jsonData":[]}\n',
    );
    expect(entries.map(valuesOf)).toEqual([
      { _key: '"x"', a: '1.50' },
      { _error: '"e"', _key: '7', key: '"y"' },
      { jsonData: '{}', b: '1' },
      { jsonData: '[]' },
    ]);
  });

  test('of a table have the number that a spreadsheet shows', async () => {
    const { entries, header } = await read('\ufeffa,b\r\n1,\r\n\r\n2,3,4\r\n"x\ny",\'=1\r\n');
    expect(header).toEqual(['a', 'b']);
    expect(entries.map(({ number }) => number)).toEqual([2, 4, 5]);
    expect(valuesOf(entries[0]!)).toEqual({ a: '1' });
    expect(entries[1]!.problem).toBe('has 3 cells, but the header line has 2');
    expect(valuesOf(entries[2]!)).toEqual({ a: 'x\ny', b: '=1' });
  });

  test('of a table whose header names a column twice are none', async () => {
    await expect(read('a,b,a\n1,2,3')).rejects.toThrow('“a” twice');
  });

  test('of JSON keep every digit, and a broken one is told as its own', async () => {
    const lines = await read('{"a":12345678901234567890.10}\n\n{"a":\n7\n{"b":{"c":[1, 2]}}');
    expect(lines.entries.map(({ number, problem }) => [number, problem?.split(':')[0]])).toEqual([
      [1, undefined],
      [3, 'is no JSON'],
      [4, 'is no JSON object'],
      [5, undefined],
    ]);
    expect(valuesOf(lines.entries[0]!)).toEqual({ a: '12345678901234567890.10' });
    const array = await read('[{"a":"],[{\\""},\n{"b":[[],{}]} , 7]');
    expect(array.entries.map(valuesOf)).toEqual([{ a: '"],[{\\""' }, { b: '[[],{}]' }, {}]);
    expect(array.entries[2]!.problem).toBe('is no JSON object');
    expect((await read('[ ]')).entries).toEqual([]);
    expect((await read('[{"a":1},{"b":')).entries.at(-1)!.problem).toContain('is no JSON');
  });

  test.each([
    ['JSON on one line', ['{"testcases":[', '{"a":1},', ']}']],
    ['an array whose element does not end', ['[{"a":[', '{"a":1},', ']}]']],
  ])('of %s of 5 MiB are refused: one entry may have four', async (_kind, [head, part, tail]) => {
    const content = `${head}${part!.repeat(5 * 128 * 1024)}${tail}`;
    const failure = await read(content).catch((error: Error) => error.message);
    expect(String(failure)).toMatch(/4 MiB, which is too long/);
  });

  test('come in pieces of a size that does not hold the page up, however short they are', async () => {
    const { batches } = await read(`a,b\n${'1,2\n'.repeat(150_000)}`);
    const ends = batches.map(({ bytesRead }) => bytesRead);
    const pieces = ends.map((end, index) => end - (ends[index - 1] ?? 0));
    expect(Math.max(...pieces)).toBeLessThanOrEqual(256 * 1024);
    expect(batches.flatMap(({ entries }) => entries)).toHaveLength(150_000);
  });

  test('are looked at by a sample, which takes few of those that are large', async () => {
    const line = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
    const file = new File([`${line}\n`.repeat(12)], 'large.jsonl');
    const { columns, entries } = await sampleOf(file);
    expect(columns).toEqual(['text']);
    expect([entries.length >= 3, entries.length <= 5]).toEqual([true, true]);
  });

  test('are the same wherever the file is cut', async () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(objects, fc.nat(2), async (values, space) => {
        const { entries } = await read(JSON.stringify(values, undefined, space));
        expect(
          entries.map(({ values }) => [...values].map(([key, json]) => [key, JSON.parse(json)])),
        ).toEqual(JSON.parse(JSON.stringify(values)).map((value: object) => Object.entries(value)));
      }),
    );
  });

  test('that are to be corrected are a file that can be read again', async () => {
    for (const content of ['a,b\n1,"2\n3"\nx,y,z\n', '{"a":1}\n{"b":2}\n']) {
      const { entries, format, header } = await read(content);
      const file = [
        correctionHead(format, header),
        ...entries.map((entry) => writeCorrection(entry, { format, header, error: 'is, wrong' })),
      ].join('');
      const again = await read(file);
      expect(again.entries.map(valuesOf)).toEqual(
        entries.map((entry) =>
          entry.problem
            ? {}
            : { ...valuesOf(entry), _error: format.kind === 'table' ? 'is, wrong' : '"is, wrong"' },
        ),
      );
      const twice = again.entries.map((entry) =>
        writeCorrection(entry, { format: again.format, header: again.header, error: 'is, wrong' }),
      );
      expect([correctionHead(again.format, again.header), ...twice].join('')).toBe(file);
    }
  });
});

describe('the type of a column', () => {
  const typeOf = (cells: string[], isTable = true) =>
    typeOfColumn(
      cells.map((cell, number) => ({
        number,
        values: new Map([['a', cell]]),
        source: { text: '' },
      })),
      'a',
      { isTable },
    );

  test.each([
    [['1', '', '-20'], 'integer'],
    [['1', '2.5'], 'number'],
    [['true', 'false'], 'boolean'],
    [['{"a":1}', '{}'], 'object'],
    [['[1]'], 'array'],
    [['007', '1'], 'string'],
    [['1', 'x'], 'string'],
    [['1', 'true'], 'string'],
    [['null', '1'], 'string'],
    [[], 'string'],
  ])('of a table with %j is %s', (cells, type) => {
    expect(typeOf(cells)).toBe(type);
  });

  test('of JSON is that of its values, or any', () => {
    expect(typeOf(['"1"', 'null'], false)).toBe('string');
    expect(typeOf(['"1"', '1'], false)).toBe('any');
  });

  test('decides whether a cell is text', () => {
    expect(cellJson('5', ['string'])).toBe('"5"');
    expect(cellJson(' 12345678901234567890 ', ['integer'])).toBe('12345678901234567890');
    expect(cellJson('5', ['number', 'null'])).toBe('5');
    expect(cellJson('x', ['number'])).toBe('"x"');
    expect(cellJson('1.5', ['integer'])).toBe('"1.5"');
    expect(cellJson('{"a":1}', ['any'])).toBe('"{\\"a\\":1}"');
  });

  test('columns stand in the order in which they come first', () => {
    const entry = (...keys: string[]): Entry => ({
      number: 1,
      values: new Map(keys.map((key) => [key, '1'])),
      source: { text: '' },
    });
    expect(columnsOf([entry('b', 'a'), entry('c', 'a')])).toEqual(['b', 'a', 'c']);
  });
});
