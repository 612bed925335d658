import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partKeysMax } from '@assay/contracts/testcase-part';
import { rowKey } from '@assay/import/sending/row-key';
import { canonicalText } from '@assay/json/canonical';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readGivenRows } from '../src/given-rows.ts';
import { evaluateLocally } from '../src/local.ts';
import { checkOptions } from '../src/options.ts';
import { choiceOfResumed, partBody, runKeysMax } from '../src/run-part.ts';
import { testcasesOfRows } from '../src/testcase-rows.ts';

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));

interface FileExample {
  file: string;
  text: string;
  rows?: unknown;
  /** The JSON of rows with numbers that neither language holds. */
  rowsText?: string;
  error?: string;
  /** The beginning of a note on a value that was rounded: each language names it in its own way. */
  note?: string;
}

/** The Python package is held to the same examples. */
describe('rows as testcases', () => {
  test.each<{ what: string; rows: never[]; error?: string }>(read('testcase-rows.json'))(
    '$what',
    ({ what: _what, rows, error, ...example }) => {
      const { key, testset, ...testcases } = example as Record<string, unknown>;
      const convert = () => testcasesOfRows(rows, { key, testset } as object);
      if (error !== undefined) expect(convert).toThrow(error);
      else expect(convert()).toEqual({ renamed: [], ...testcases });
    },
  );
});

test.each<{ inputs: string; key: string }>(read('row-keys.json'))(
  'a row of $inputs has its key in both languages',
  ({ inputs, key }) => {
    expect(rowKey(canonicalText(parseByValue(inputs)))).toBe(key);
  },
);

describe('files of rows', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-rows-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const examples = read('row-files.json') as FileExample[];

  test.each(examples)(
    '$file has its rows, or a sentence with the place',
    async ({ file, text, rows, rowsText, error }) => {
      const path = join(folder, file);
      writeFileSync(path, text);
      if (rowsText !== undefined)
        expect(writeJson((await readGivenRows(path)).rows)).toBe(rowsText);
      else if (error === undefined) expect((await readGivenRows(path)).rows).toEqual(rows);
      else await expect(readGivenRows(path)).rejects.toThrow(error);
    },
  );

  test.each(examples.filter(({ note }) => note !== undefined))(
    '$file tells a local evaluation what was rounded',
    async ({ file, text, note }) => {
      const testcases = join(folder, file);
      writeFileSync(testcases, text);
      const options = { local: true, quiet: true, system: () => 1 } as const;
      const { notes } = await evaluateLocally('P', { ...options, testcases });
      expect(notes[1]).toContain(note);
    },
  );

  test('Parquet has its columns', async () => {
    const path = join(folder, 'q.parquet');
    const columnData = [
      { name: 'question', data: ['a', 'b'] },
      { name: 'size', data: [1.5, Number.NaN], type: 'DOUBLE' as const },
    ];
    writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData })));
    expect(await readGivenRows(path)).toEqual({
      rows: [
        { question: 'a', size: 1.5 },
        { question: 'b', size: null },
      ],
      notes: [{ text: 'NaN and Infinity are no numbers of JSON: they became null.' }],
    });
    writeFileSync(path, 'PAR1 and no more');
    await expect(readGivenRows(path)).rejects.toThrow('cannot be read as Parquet');
  });
});

test('rows are whatever can be iterated, as JSON, with a note on what cannot be stored', async () => {
  async function* rows() {
    yield new Map([['input', 1n]]);
    yield { input: Number.NaN, at: new Date(0), long: 10n ** 20n };
  }
  expect(await readGivenRows(rows())).toEqual({
    rows: [
      { input: 1 },
      { input: null, at: '1970-01-01T00:00:00.000Z', long: '1'.padEnd(21, '0') },
    ],
    notes: [
      {
        text: '1 value of `testcases` could not be stored. The first: row 2, /input: NaN is no JSON: it was stored as null.',
      },
    ],
  });
  expect((await readGivenRows(new Set([{ q: 1 }]))).rows).toEqual([{ q: 1 }]);
});

test.each([
  [[], /has no rows/],
  [['a'], /^Row 1 of `testcases` must be an object/],
  [[{ q: 1 }, null], /^Row 2 of `testcases` must be an object/],
  [{ q: 1 }, /must be a list or a generator/],
])('testcases that are none are refused: %j', async (given, sentence) => {
  await expect(readGivenRows(given as never)).rejects.toThrow(sentence);
});

test.each([
  [{ key: 'id' }, /^`key` is about `testcases`/],
  [{ sync: true }, /^`sync` is about `testcases`/],
  [{ sync: 1, testcases: [] }, /^`sync` must be true or false/],
  [{ createProject: 'yes' }, /^`createProject` must be true or false/],
  [{ key: '', testcases: [] }, /^`key` must be the name of the column/],
])('options of testcases that are none are refused: %j', (slip, sentence) => {
  const options = { testset: 'T', system: () => 1, ...slip };
  expect(() => checkOptions('P', options as never)).toThrow(sentence);
});

test('a run names as many keys as its contract takes, and says of more how many they are', async () => {
  expect(runKeysMax.count).toBe(partKeysMax);
  const bodyOf = (choice: object) =>
    partBody({ client: {} as never, testset: { id: 't', name: 'T' }, choice });
  const keys = Array.from({ length: partKeysMax }, (_, index) => `k${index}`);
  expect(await bodyOf({ keys })).toEqual({ keys });
  const many = [...keys, 'one more'];
  expect(await bodyOf({ keys: many })).toEqual({ numTestcases: many.length });
  const long = keys.map((key) => key.padEnd(66, '-'));
  expect(await bodyOf({ keys: long })).toEqual({ numTestcases: long.length });
  const run = { id: 'r', numTestcases: many.length } as never;
  expect(choiceOfResumed(run, { keys: many })).toEqual({ keys: many });
  expect(() => choiceOfResumed(run, { keys: [...many, 'another'] })).toThrow('over 1001 testcases');
});
