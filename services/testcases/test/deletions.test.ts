import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDeletions } from '../src/deletions.ts';
import { migrations } from '../src/migrations.ts';
import { createStore, type Store } from '../src/store.ts';

const days = 30;
const dayMs = 24 * 60 * 60_000;
const deletedAt = new Date('2026-03-01T00:00:00Z');

let database: Awaited<ReturnType<typeof openDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await openDatabase({
    uri: inject('servers').mongodbUri,
    name: `testcases-${newId()}`,
  });
  store = createStore(database);
  for (const { up } of migrations) await up(database);
});
afterAll(async () => {
  for (const name of await database.collectionNames()) await database.collection(name).drop();
  await database.close();
});

const change = { userId: newId(), at: deletedAt };
const sweepAfter = (passedMs: number) =>
  createDeletions({
    store,
    days,
    now: () => new Date(deletedAt.getTime() + passedMs),
    log: { warn: () => undefined },
  }).run();

/** Testcases that were changed once and then deleted: their ids. */
async function createDeleted(organizationId: string, count: number): Promise<string[]> {
  const testsetId = newId();
  const items = Array.from({ length: count }, () => ({
    id: newId(),
    testsetId,
    jsonData: Buffer.from('{"n":1}'),
  }));
  const ids = items.map(({ id }) => id);
  await store.writeEntries(organizationId, testsetId, items, { change });
  await store.rewriteTestcases(
    organizationId,
    { testsetId, ids },
    () => Buffer.from('{"n":2}'),
    change,
  );
  await store.deleteTestcases(organizationId, ids, change);
  return ids;
}

async function versionsOf(organizationId: string, id: string): Promise<number[]> {
  const { items } = await store.listVersions(organizationId, id, { limit: 10, after: undefined });
  return items.map(({ version }) => version);
}

test('deleted testcases of all organizations are removed with their versions when their days are over', async () => {
  const [one, other] = [newId(), newId()];
  const many = await createDeleted(one, 230);
  const few = await createDeleted(other, 1);
  await sweepAfter(days * dayMs);
  expect(await versionsOf(one, many[229]!)).toEqual([2, 1]);
  await sweepAfter(days * dayMs + 1);
  for (const id of many) expect(await versionsOf(one, id)).toEqual([]);
  expect(await versionsOf(other, few[0]!)).toEqual([]);
  expect(await store.restoreDeleted(one, many[0]!, Buffer.from('{}'), change)).toBe('missing');
});

test('a testcase that was restored stays with its versions', async () => {
  const organizationId = newId();
  const [id] = await createDeleted(organizationId, 1);
  await store.restoreDeleted(organizationId, id!, Buffer.from('{"n":1}'), change);
  await sweepAfter(10 * days * dayMs);
  expect(await store.findTestcase(organizationId, id!)).toBeDefined();
  expect(await versionsOf(organizationId, id!)).toEqual([2, 1]);
});

test('the organizations with old deletions are found by an index, however many testcases there are', async () => {
  await createDeleted(newId(), 50);
  const plan = await database
    .collection('testcases')
    .find({
      organizationId: { $gt: '' },
      'deleted.at': { $lt: deletedAt },
    } as object)
    .explain('queryPlanner');
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('deleted.at_1');
});
