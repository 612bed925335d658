import { writeJson } from '@assay/json/write';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTable } from '../reading/csv.ts';
import { readJson } from '../reading/json-stream.ts';
import { parseJson } from '../reading/json-text.ts';
import { numberAt, textAt } from '../reading/json-values.ts';
import { readLines } from '../reading/lines.ts';
import { readText } from '../reading/text.ts';
import type { SourceFile } from '../source.ts';
import { fileOf } from '../source.ts';

/** A file whose bytes come in chunks of a few bytes, cut anywhere. */
function chopped(name: string, content: string | Uint8Array, step: number): SourceFile {
  const file = fileOf(name, content);
  return {
    ...file,
    async *open() {
      for await (const chunk of file.open())
        for (let at = 0; at < chunk.length; at += step) yield chunk.subarray(at, at + step);
    },
  };
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const textOf = async (file: SourceFile): Promise<string> => (await all(readText(file))).join('');
const table = async (content: string | Uint8Array, step = 1000, delimiter?: string) =>
  (await all(readTable(chopped('t.csv', content, step), delimiter))).map(({ cells }) =>
    Object.fromEntries(cells),
  );
const elements = async (content: string, lists: string[], step = 1000, skipped: string[] = []) =>
  all(readJson(chopped('d.json', content, step), { lists, skipped, lose: () => undefined }));

describe('text', () => {
  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffgrün,日本')],
    ['UTF-16, low byte first', Buffer.from('\ufeffgrün,日本', 'utf16le')],
    ['UTF-16, high byte first', Buffer.from('\ufeffgrün,日本', 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from('abc,grün,日本', 'utf16le')],
  ])('%s is read, however its bytes are cut', async (_name, bytes) => {
    for (const step of [1, 2, 3, 100])
      expect(await textOf(chopped('t.txt', bytes, step))).toMatch(/^(abc,)?grün,日本$/);
  });

  test('bytes that are no UTF-8 are refused with their place and a remedy', async () => {
    const latin = Buffer.from('caf\xe9 au lait', 'latin1');
    await expect(textOf(fileOf('t.csv', latin))).rejects.toThrow(
      't.csv, byte 3: is not text in UTF-8: save it as UTF-8 (in Excel: "CSV UTF-8").',
    );
  });

  test('a character that the end of the file cuts is refused', async () => {
    await expect(textOf(fileOf('t.csv', Buffer.from('ab日').subarray(0, 4)))).rejects.toThrow(
      'is not text in UTF-8',
    );
  });

  test('NUL in a text is refused with its byte', async () => {
    await expect(textOf(fileOf('t.csv', 'abcde\0f'))).rejects.toThrow('t.csv, byte 5: contains');
  });

  test.each([
    ['an Excel workbook', 'PK\x03\x04....', 'is a zip archive'],
    ['gzip', '\x1f\x8b\x08....', 'is compressed by gzip'],
    ['a PDF', '%PDF-1.7', 'is a PDF'],
  ])('%s is no text, and the message says what to do', async (_name, head, message) => {
    const file = fileOf('t.csv', Buffer.from(head, 'latin1'));
    await expect(textOf(file)).rejects.toThrow(message);
  });
});

describe('lines', () => {
  test('lines end by LF or CRLF, blank ones are skipped, and numbers count them all', async () => {
    const file = chopped('l.jsonl', 'a\r\n\r\n\nbb\nccc', 2);
    expect(await all(readLines(file))).toEqual([
      { text: 'a\r', line: 1 },
      { text: 'bb', line: 4 },
      { text: 'ccc', line: 5 },
    ]);
  });
});

describe('tables', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', ',', '"', '\n', '\r\n', ' ', '=') });
  const write = (text: string) => `"${text.replaceAll('"', '""')}"`;

  test('what RFC 4180 writes is read back, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, step) => {
          const text = [['x', 'y'], ...rows].map((row) => row.map(write).join(',')).join('\r\n');
          const kept = rows.filter((row) => row.some((value) => value.trim() !== ''));
          expect(await table(text, step)).toEqual(kept.map(([x, y]) => ({ x, y })));
        },
      ),
    );
  });

  test.each([
    ['a comma', 'a,b\n1,2', undefined],
    ['a tab', 'a\tb\n1\t2', undefined],
    ['a semicolon', 'a;b\n1;2', undefined],
    ['a tab beside a comma in the header', 'a, in words\tb\n1\t2', undefined],
    ['a comma, in lines that end with CR', 'a,b\r1,2\r', undefined],
    ['the first line of Excel', 'sep=|\na|b\n1|2', undefined],
    ['the user', 'a,x|b\n1|2', '|'],
  ])('the delimiter is told by %s', async (_name, text, delimiter) => {
    expect(Object.values((await table(text, 3, delimiter))[0]!)).toEqual(['1', '2']);
  });

  test.each([
    ['a quote that nothing closes', 'a,b\n1,"2\n3,4\n', 't.csv, line 2, column 2: opens a quote'],
    ['text after a closing quote', 'a\n"1"x\n', 't.csv, line 2, column 1: has text after'],
    [
      'a row that is too short',
      'a,b\n1\n',
      't.csv, line 2: has 1 cells, but the header line has 2',
    ],
    ['a column that is there twice', 'a,a\n1,2\n', 't.csv, line 1: has the column "a" twice'],
    ['a million columns', `${'a,'.repeat(1_000_000)}\n`, 'line 1: has more than 2000 columns'],
    ['nothing at all', '', 't.csv: is empty'],
  ])('%s is refused with its place', async (_name, text, message) => {
    await expect(table(text)).rejects.toThrow(message);
  });

  test('a column without a name has its number, and names such as __proto__ are columns', async () => {
    const [row] = await table(',__proto__,constructor\n1,2,3\n');
    expect(Object.entries(row!)).toEqual([
      ['column 1', '1'],
      ['__proto__', '2'],
      ['constructor', '3'],
    ]);
  });

  test('the apostrophe that protects a spreadsheet from a formula is taken off', async () => {
    expect(await table("a\n'=1+1\n'quoted'\n")).toEqual([{ a: '=1+1' }, { a: "'quoted'" }]);
  });
});

describe('documents of JSON', () => {
  test('a document cut into elements and its rest is the document, however its bytes are cut', async () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    await fc.assert(
      fc.asyncProperty(
        json,
        fc.array(json),
        fc.integer({ min: 1, max: 7 }),
        async (a, list, step) => {
          const text = JSON.stringify({ a, b: { 'x/~"y': list }, c: a }, undefined, step % 2);
          const parts = await elements(text, ['/b/x~1~0"y'], step);
          expect(parts.filter((part) => part.kind === 'element').map(({ value }) => value)).toEqual(
            JSON.parse(JSON.stringify(list)),
          );
          const rest = parts.at(-1)!.value;
          expect(rest).toEqual(JSON.parse(JSON.stringify({ a, b: { 'x/~"y': [] }, c: a })));
        },
      ),
    );
  });

  test('a list at the top is read element by element, and a skipped one is not read at all', async () => {
    expect((await elements('[1, {"a": [2]}]', [''])).map(({ value }) => value)).toEqual([
      1,
      { a: [2] },
      [],
    ]);
    const skipped = await elements('{"a": [nonsense], "b": 1}', [], 1000, ['/a']);
    expect(skipped).toEqual([{ kind: 'rest', value: { a: [], b: 1 } }]);
  });

  test.each([
    [
      'a document that is cut off',
      '{"rows": [{"a": 1}, {"a"',
      'd.json, line 1, at /rows/1: ends in the middle',
    ],
    [
      'an element that is no JSON',
      '{"rows": [{"a": 1},\n {a: 1}]}',
      'd.json, line 2, column 3, at /rows/1: is not JSON',
    ],
    ['text after the document', '{"rows": []} x', 'is not JSON'],
    ['a hundred thousand levels', `{"rows": [${'['.repeat(100_000)}`, 'has more than 512 levels'],
    ['a hundred thousand levels around', '{"a":'.repeat(100_000), 'has more than 512 levels'],
  ])('%s is refused with its place', async (_name, text, message) => {
    await expect(elements(text, ['/rows'])).rejects.toThrow(message);
  });

  test('bare NaN and Infinity become null and are noted; in strings they stay', () => {
    const lost: string[] = [];
    const text = '{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \\" Infinity"}';
    expect(parseJson(text, {}, (_place, reason) => lost.push(reason))).toEqual({
      a: null,
      b: [null, null],
      c: 'NaN " Infinity',
    });
    expect(lost).toEqual(['NaN and Infinity are no numbers of JSON: they became null.']);
  });

  test('numbers that a double cannot say keep their digits, and nothing is lost', () => {
    const lost: string[] = [];
    const text = '{"id":12345678901234567891,"share":0.12345678901234567890123,"all":[1e400,1.0]}';
    const value = parseJson(text, {}, (_place, reason) => lost.push(reason));
    expect(writeJson(value)).toBe(text.replace('1.0', '1'));
    expect(lost).toEqual([]);
    expect(numberAt(value, 'share')).toBe(0.12345678901234568);
    expect(numberAt(value, 'all', 0)).toBeUndefined();
    expect(textAt(value, 'id')).toBe('12345678901234567891');
  });

  test('__proto__ is an ordinary key', () => {
    const value = parseJson('{"__proto__": {"polluted": true}}', {}, () => undefined);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
