import type { Identity } from '@assay/contracts/define';
import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { createPurge, settledMs } from '@assay/runtime/mongo/purge';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDomain } from '../src/domain.ts';
import { migrations } from '../src/migrations.ts';
import { createStore, type Store, type StoredTestcase } from '../src/store.ts';

let database: Awaited<ReturnType<typeof openDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await openDatabase({
    uri: inject('servers').mongodbUri,
    name: `testcases-${newId()}`,
  });
  store = createStore(database);
  await migrations[0]!.up(database);
});
afterAll(async () => {
  for (const name of ['testcases', 'testcaseVersions', 'deletedTestsets', 'syncs'])
    await database.collection(name).drop();
  await database.close();
});

const organizationId = newId();
const testcasesOf = (testsetId: string, count: number) =>
  Array.from({ length: count }, () => ({ id: newId(), testsetId, jsonData: Buffer.from('{}') }));
const change = { userId: newId(), at: new Date() };
const createAll = (items: StoredTestcase[]) =>
  store.writeEntries(organizationId, items[0]!.testsetId, items, { change });
const firstPage = { limit: 10, after: undefined };
const count = (testsetId: string) => store.countTestcases(organizationId, testsetId);
const sweep = (at: number) =>
  createPurge({
    database,
    collection: 'deletedTestsets',
    deleteAll: store.deleteTestcasesOf,
    now: () => new Date(at),
    log: { warn: () => undefined },
  }).sweep();

test('testcases whose deletion cannot be announced stay', async () => {
  const testcases = testcasesOf(newId(), 2);
  await createAll(testcases);
  const domain = createDomain({
    store,
    announce: { testcasesDeleted: () => Promise.reject(new Error('killed')) },
    checkDisk: () => Promise.resolve(),
    now: () => new Date(),
    newId,
    deletedDays: 30,
    ask: { identity: {}, catalog: {} },
  } as unknown as Parameters<typeof createDomain>[0]);
  const ids = testcases.map(({ id }) => id);
  const identity = { organizationId, userId: newId() } as Identity;
  await expect(domain.deleteTestcases(identity, ids)).rejects.toThrow('killed');
  for (const id of ids) expect(await store.findTestcase(organizationId, id)).toBeDefined();
});

test('a testcase whose annotations cannot be deleted with it stays', async () => {
  const testcase = testcasesOf(newId(), 1)[0]!;
  await createAll([testcase]);
  const failing = createStore({
    ...database,
    collection: ((name: string) =>
      name === 'testcase_annotations'
        ? Object.assign(database.collection(name), {
            deleteMany: () => Promise.reject(new Error('killed')),
          })
        : database.collection(name)) as unknown as typeof database.collection,
  });
  await expect(failing.deleteTestcases(organizationId, [testcase.id], change)).rejects.toThrow();
  expect(await store.findTestcase(organizationId, testcase.id)).toBeDefined();
});

test('the testcases of a deleted testset are removed with its mark, once no write can be under way, and no others', async () => {
  const [testsetId, otherId] = [newId(), newId()];
  const deletedAt = Date.now();
  await createAll(testcasesOf(testsetId, 2500));
  await createAll(testcasesOf(otherId, 1));
  await store.markDeletedTestset(organizationId, testsetId, new Date(deletedAt));
  // Its event came twice.
  await store.markDeletedTestset(organizationId, testsetId, new Date(deletedAt + settledMs));
  await sweep(deletedAt + settledMs - 1);
  // A write that was under way.
  await createAll(testcasesOf(testsetId, 1));
  expect(await count(testsetId)).toBe(2501);
  await sweep(deletedAt + settledMs + 1);
  expect([await count(testsetId), await count(otherId)]).toEqual([0, 1]);
  expect(await database.collection('deletedTestsets').countDocuments()).toBe(0);
});

test('the versions and the deleted testcases of a deleted testset go with it', async () => {
  const testsetId = newId();
  const [updated, deleted] = testcasesOf(testsetId, 2);
  await createAll([updated!, deleted!]);
  await store.updateTestcase(organizationId, updated!.id, { jsonData: Buffer.from('[]') }, change);
  await store.deleteTestcases(organizationId, [deleted!.id], change);
  const kept = async () => [
    (await store.listVersions(organizationId, updated!.id, firstPage)).items.length,
    (await store.listVersions(organizationId, deleted!.id, firstPage)).items.length,
  ];
  expect(await kept()).toEqual([1, 1]);
  for await (const _batch of store.deleteTestcasesOf(organizationId, testsetId));
  expect(await kept()).toEqual([0, 0]);
});

test('without versions, what is replaced or deleted is gone', async () => {
  const none = createStore(database, { versionsMax: 0 });
  const [testcase] = testcasesOf(newId(), 1);
  await createAll([testcase!]);
  const { id } = testcase!;
  await none.updateTestcase(organizationId, id, { jsonData: Buffer.from('[]') }, change);
  expect((await none.listVersions(organizationId, id, firstPage)).items).toEqual([]);
  await none.deleteTestcases(organizationId, [id], change);
  expect(await database.collection('testcases').countDocuments({ _id: id as never })).toBe(0);
});

test("another organization's testcases of the same testset id are left alone", async () => {
  const testsetId = newId();
  await createAll(testcasesOf(testsetId, 1));
  for await (const _batch of store.deleteTestcasesOf(newId(), testsetId));
  expect(await count(testsetId)).toBe(1);
});

test('testcases from before keys stay as they are when keys come, and are found by an index then', async () => {
  const testsetId = newId();
  await createAll(testcasesOf(testsetId, 3));
  for (const { up } of migrations.slice(1)) await up(database);
  const [keyed] = testcasesOf(testsetId, 1);
  expect(await createAll([{ ...keyed!, key: 'one' }])).toMatchObject([{ outcome: 'created' }]);
  await createAll(testcasesOf(testsetId, 3));
  expect(await count(testsetId)).toBe(7);
  expect(await store.idsOfKeys(organizationId, testsetId, ['one'])).toEqual([keyed!.id]);
  const plan = await database
    .collection('testcases')
    .find({ organizationId, testsetId, key: { $exists: true, $in: ['one'] } })
    .explain('executionStats');
  expect(plan.executionStats.totalDocsExamined).toBe(1);
});
