import { JsonText } from '@assay/contracts/payload';
import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { createPurge, settledMs } from '@assay/runtime/mongo/purge';
import { useRunRecords } from '@assay/testing/run-records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStore } from '../src/store.ts';

const { config, identity, newRecord, newRun, request } = useRunRecords();
const inputs = { text: 'x'.repeat(300 * 1024) };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_run-records`,
  });
});
afterAll(() => database.close());

const store = () => createStore(database, { sweepAfterMs: 1000, announceLinks: async () => {} });
const chunksOf = (recordId: string) =>
  database
    .collection('record_chunks')
    .countDocuments({ _id: { $gt: `${recordId}:`, $lt: `${recordId}:~` } } as never);

/** What the service does every minute, at a time of the test's own. */
const purge = (lateMs: number) =>
  createPurge({
    database,
    collection: 'unfinished_payloads',
    deleteAll: store().payloads.deleteUnfinished,
    now: () => new Date(Date.now() + lateMs),
    log: { warn: () => undefined },
  }).sweep();

/** As a process leaves it that is killed before it makes the record. */
async function writeChunks(runId: string): Promise<string> {
  const recordId = newId();
  const text = new JsonText(Buffer.from(JSON.stringify(inputs)));
  const payloads = { inputs: text, expected: text, outputs: text };
  await store().payloads.keepInChunks(identity().organizationId, { runId, recordId }, payloads);
  return recordId;
}

test('the payloads of a large record whose process was killed before it was made are removed when no write can be under way any more', async () => {
  const recordId = await writeChunks((await newRun()).id);
  await purge(settledMs - 60_000);
  expect(await chunksOf(recordId)).toBe(3);
  await purge(settledMs + 60_000);
  expect(await chunksOf(recordId)).toBe(0);
  expect(
    await database.collection('unfinished_payloads').countDocuments({ _id: recordId } as never),
  ).toBe(0);
});

test('the payloads of a large record whose process was killed right after its deletion are removed', async () => {
  const { id } = (await newRecord((await newRun()).id, { inputs })).body;
  expect(
    await database.transaction(() => store().records.delete(identity().organizationId, id)),
  ).toBe(true);
  expect(await chunksOf(id)).toBeGreaterThan(0);
  await purge(settledMs + 60_000);
  expect(await chunksOf(id)).toBe(0);
});

test('a large record that was made keeps its payloads', async () => {
  const { id } = (await newRecord((await newRun()).id, { inputs })).body;
  await purge(settledMs + 60_000);
  expect((await request('GET', `/records/${id}`)).body.inputs).toEqual(inputs);
});

test('a large record is not made of payloads that the purge has begun to remove', async () => {
  const recordId = await writeChunks((await newRun()).id);
  const hold = { $set: { heldUntil: new Date(Date.now() + 60_000) } };
  await database.collection('unfinished_payloads').updateOne({ _id: recordId } as never, hold);
  const owned = database.transaction(() =>
    store().payloads.own(identity().organizationId, [recordId]),
  );
  await expect(owned).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
