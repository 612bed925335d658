import { newId } from '@assay/runtime/ids';
import { missingId, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

const { config, newRecord, newRun, request } = useRunRecords();

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(config().MONGODB_URI);
});
afterAll(() => client.close());
const records = () =>
  client
    .db(`${config().DATABASE_PREFIX}_run-records`)
    .collection<Document & { _id: string }>('records');

const search = (runId: string, body: object, query = '') =>
  request('POST', `/runs/${runId}/records/search${query}`, body);

/** Walks a search to its end; the ids found, and the pages that it took. */
async function walk(runId: string, body: object) {
  const found: string[] = [];
  const pages = [];
  for (let cursor: string | null = null; ; ) {
    const { status, body: page } = await search(runId, { ...body, cursor });
    expect(status, JSON.stringify(page)).toBe(200);
    found.push(...page.data.map(({ id }: { id: string }) => id));
    pages.push(page);
    if (!page.hasMore) return { found, pages };
    cursor = page.nextCursor;
  }
}

test('records are found by what their payloads say, oldest first, with their scores', async () => {
  const run = await newRun();
  const ids = [];
  for (const response of ['Your parcel is lost', 'nothing', 'The PARCEL has come'])
    ids.push((await newRecord(run.id, { outputs: { response } })).body.id);
  const { status, body } = await search(run.id, { text: 'parcel' });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: [ids[0], ids[2]].map((id) => expect.objectContaining({ id, scores: [] })),
    nextCursor: null,
    hasMore: false,
    searched: 3,
    total: 3,
  });
});

test('a search looks in the payloads that it is told, and shows their previews', async () => {
  const run = await newRun();
  const { id } = (await newRecord(run.id, { inputs: { q: 'needle' }, outputs: { a: 'hay' } })).body;
  const found = async (body: object) =>
    (await search(run.id, body)).body.data.map(({ id }: { id: string }) => id);
  expect(await found({ text: 'needle', fields: ['inputs'] })).toEqual([id]);
  expect(await found({ text: 'needle', fields: ['expected', 'outputs'] })).toEqual([]);
  const { body } = await search(run.id, { text: 'hay' }, '?preview=5&fields=/outputs/a');
  expect(body.data[0]).toMatchObject({
    outputs: { text: '{"a":', isCut: true },
    fields: { '/outputs/a': { text: 'hay' } },
  });
});

test('a text is found in a payload of several chunks, also where a character or an escape is cut', async () => {
  const run = await newRun();
  const chunkBytes = 1024 * 1024;
  const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify({ text })) - '"}'.length;
  const filledUpTo = (text: string, bytes: number) => text + 'x'.repeat(bytes - bytesOf(text));
  // The first border is in the é, the second one in the escape of the line break.
  const first = `${filledUpTo('', chunkBytes - 3)}Caé`;
  const text = `${filledUpTo(first, 2 * chunkBytes - 1)}\nau lait${'y'.repeat(chunkBytes)}`;
  const made = await newRecord(run.id, { outputs: { text } });
  expect(made.status).toBe(201);
  await newRecord(run.id);
  for (const text of ['CAÉX', 'xcaé', 'x\nau LAITy'])
    expect((await walk(run.id, { text })).found, text).toEqual([made.body.id]);
  expect((await walk(run.id, { text: 'au lait', fields: ['inputs'] })).found).toEqual([]);
});

test('a walk finds each record once, whatever the limit, and counts all that it looked in', async () => {
  const run = await newRun();
  const { id } = (await newRecord(run.id)).body;
  const { _id, ...model } = (await records().findOne({ _id: id }))!;
  const texts = Array.from({ length: 1300 }, (_, index) => `record ${index}`);
  const documents = texts.map((text) => ({
    ...model,
    _id: newId(),
    kept: { ...model.kept, outputs: Buffer.from(JSON.stringify({ text })) },
  }));
  await records().deleteOne({ _id });
  await records().insertMany(documents);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('record', 'record 1', '99', '7', 'record 1299', 'none'),
      fc.integer({ min: 1, max: 100 }),
      async (text, limit) => {
        const { found, pages } = await walk(run.id, { text, limit: Math.max(limit, 20) });
        const matching = documents.filter((_document, index) => texts[index]!.includes(text));
        expect(found).toEqual(matching.map((document) => document._id));
        expect(pages.at(-1)).toMatchObject({ searched: texts.length });
        const counts = pages.map(({ searched }) => searched);
        expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
      },
    ),
    { numRuns: volume(12) },
  );
});

test('a record that was deleted since stops no search', async () => {
  const run = await newRun();
  const ids = [];
  for (let index = 0; index < 3; index++) ids.push((await newRecord(run.id)).body.id);
  const first = (await search(run.id, { text: 'answer', limit: 1 })).body;
  expect(first.data[0].id).toBe(ids[0]);
  await request('DELETE', `/records/${ids[0]}`);
  const rest = (await search(run.id, { text: 'answer', cursor: first.nextCursor })).body;
  expect(rest.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1));
});

test('of many searches at once each is answered, or refused until later', async () => {
  const run = await newRun();
  await newRecord(run.id);
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => search(run.id, { text: 'answer' })),
  );
  const answered = replies.filter(({ status }) => status === 200);
  expect(answered.length).toBeGreaterThanOrEqual(2);
  for (const { body } of answered) expect(body.data).toHaveLength(1);
  for (const { status, body, headers } of replies.filter(({ status }) => status !== 200))
    expect([status, body.code, headers.get('retry-after')]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      '1',
    ]);
});

test('a search shows nothing of another organization, and takes none of its cursors', async () => {
  const run = await newRun();
  for (let index = 0; index < 2; index++) await newRecord(run.id);
  const path = `/runs/${run.id}/records/search`;
  const stranger = { identity: { organizationId: newId(), userId: newId() } };
  expect((await request('POST', path, { text: 'answer' }, stranger)).status).toBe(404);
  const { nextCursor: cursor } = (await search(run.id, { text: 'answer', limit: 1 })).body;
  expect((await search(run.id, { text: 'answer', cursor })).status).toBe(200);
  for (const [body, options] of [
    [{ text: 'answer', cursor }, stranger],
    [{ text: 'answers', cursor }, {}],
    [{ text: 'answer', fields: ['inputs'], cursor }, {}],
    [{ text: 'answer', cursor: 'x' }, {}],
  ] as const) {
    const reply = await request('POST', path, body, options);
    expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, '/cursor']);
  }
});

test('a wrong search is a 400 with its place, and a run that is not there a 404', async () => {
  const run = await newRun();
  const wrong: [object, string][] = [
    [{}, '/text'],
    [{ text: '' }, '/text'],
    [{ text: 'x'.repeat(257) }, '/text'],
    [{ text: 'x', fields: [] }, '/fields'],
    [{ text: 'x', fields: ['tags'] }, '/fields/0'],
    [{ text: 'x', limit: 101 }, '/limit'],
    [{ text: 'x', cursor: 1 }, '/cursor'],
  ];
  for (const [body, path] of wrong) {
    const reply = await search(run.id, body);
    expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, path]);
  }
  expect((await search(missingId, { text: 'x' })).status).toBe(404);
});

test('an Idempotency-Key has no effect on a search, which changes nothing', async () => {
  const run = await newRun();
  await newRecord(run.id);
  const headers = { 'idempotency-key': 'search' };
  const path = `/runs/${run.id}/records/search`;
  const counts = [];
  for (const text of ['answer', 'question', 'none'])
    counts.push((await request('POST', path, { text }, { headers })).body.data.length);
  expect(counts).toEqual([1, 1, 0]);
});
