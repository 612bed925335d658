import { start as startCatalog } from '@assay/catalog/service';
import { startWorld, type World } from '@assay/testing/world';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCsvSplitter } from '../src/domain/csv.ts';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const send = (testsetId: string, raw: string | Uint8Array, contentType = 'text/csv') =>
  world.request('POST', `/testsets/${testsetId}/testcases/import?answers=summary`, undefined, {
    raw,
    headers: { 'content-type': contentType },
  });

/** The testcases that a table makes, in its order, and how many rows were skipped. */
async function read(raw: string | Uint8Array, contentType?: string) {
  const testsetId = await createTestset(world);
  const reply = await send(testsetId, raw, contentType);
  expect(reply.status, reply.text).toBe(200);
  const { summary } = linesOf(reply.text).at(-1);
  const path = `/testsets/${testsetId}/testcases/export?format=json`;
  return { skipped: summary.skipped, rows: (await world.request('GET', path)).body };
}

const two = [
  { question: 'q1', answer: 'a1' },
  { question: 'q2', answer: 'a2' },
];

test.each([
  ['lines end with LF', 'question,answer\nq1,a1\nq2,a2\n'],
  ['lines end with CRLF', 'question,answer\r\nq1,a1\r\nq2,a2\r\n'],
  ['lines end with CR', 'question,answer\rq1,a1\rq2,a2\r'],
  ['the last line has no end', 'question,answer\rq1,a1\rq2,a2'],
  ['cells are apart by a semicolon', 'question;answer\nq1;a1\nq2;a2\n'],
  ['cells are apart by a tab', 'question\tanswer\nq1\ta1\nq2\ta2\n'],
  ['cells are apart by a bar', 'question|answer\nq1|a1\nq2|a2\n'],
  ['a first line names the delimiter', 'sep=;\r\nquestion;answer\r\nq1;a1\r\nq2;a2\r\n'],
  ['the delimiter that is named is another', 'sep=~\nquestion~answer\nq1~a1\nq2~a2\n'],
  ['it begins with a byte order mark', '\ufeffquestion,answer\nq1,a1\nq2,a2\n'],
])('a table is read where %s', async (_dialect, table) => {
  expect(await read(table)).toEqual({ skipped: 0, rows: two });
});

test('a delimiter between quotes is text, whichever the header line has', async () => {
  const table = '"question";"answer"\n"one, two|three";"a;b"\n"four\r\nfive";"c""d"\n';
  expect((await read(table)).rows).toEqual([
    { question: 'one, two|three', answer: 'a;b' },
    { question: 'four\r\nfive', answer: 'c"d' },
  ]);
});

test('a row of nothing but separators is skipped and counted, and one with an empty text is none', async () => {
  expect(await read('question,answer\nq1,a1\n,\n"",\n , \n,\n')).toEqual({
    skipped: 2,
    rows: [two[0], { question: '' }, { question: ' ', answer: ' ' }],
  });
});

test('a table in the encoding of Windows says so in its content type', async () => {
  const bytes = Buffer.from('question,answer\ncaf\xe9,\x80 5\n', 'latin1');
  const expected = [{ question: 'café', answer: '€ 5' }];
  expect((await read(bytes, 'text/csv; charset=windows-1252')).rows).toEqual(expected);
  expect((await read(bytes, 'text/csv; charset="CP1252"')).rows).toEqual(expected);

  const testsetId = await createTestset(world);
  const path = `/testsets/${testsetId}/testcases/import`;
  const headers = { 'content-type': 'text/csv' };
  const unsaid = await world.request('POST', path, undefined, { raw: bytes, headers });
  expect(linesOf(unsaid.text)[0].message).toContain('charset=windows-1252');
  const unknown = await send(testsetId, bytes, 'text/csv; charset=koi8-r');
  expect([unknown.status, unknown.body.message]).toEqual([
    415,
    'A body in "koi8-r" is not taken here: send UTF-8, or windows-1252.',
  ]);
});

test('a table means the same in whichever pieces it comes', () => {
  const table = Buffer.from('sep=;\r\nquestion;answer\r\n"q;1";é\r\n;\r\nq2;"a\r2"\r\n');
  const definition = { schemaText: '{}', fieldMapping: { inputs: [], expected: [], metadata: [] } };
  const entriesOf = (pieces: Buffer[]) => {
    let skipped = 0;
    const skip = () => (skipped += 1);
    const splitter = createCsvSplitter(definition, { bytesMax: 1000, skip });
    const entries = [...pieces.flatMap((piece) => [...splitter.push(piece)]), ...splitter.end()];
    return [entries.map(String), skipped];
  };
  const whole = entriesOf([table]);
  expect(whole).toEqual([
    [
      '{"jsonData":{"question":"q;1","answer":"é"}}',
      '{"jsonData":{"question":"q2","answer":"a\\r2"}}',
    ],
    1,
  ]);
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(table.length), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), table.length];
      const pieces = places.slice(1).map((end, index) => table.subarray(places[index], end));
      expect(entriesOf(pieces)).toEqual(whole);
    }),
  );
});
