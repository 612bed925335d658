import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createForgetting, settledMs } from '../src/domain/forgetting.ts';
import { createStore, type Store } from '../src/store.ts';

let database: Awaited<ReturnType<typeof openDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await openDatabase({ uri: inject('servers').mongodbUri, name: `testcases-${newId()}` });
  store = createStore(database);
});
afterAll(async () => {
  for (const name of ['testcases', 'deletedTestsets']) await database.collection(name).drop();
  await database.close();
});

const organizationId = newId();
const identity = { organizationId, userId: newId(), role: 'member', apiKeyId: null, requestId: 'test' } as const;
const write = (testsetId: string) => store.createTestcases(organizationId, [{ id: newId(), testsetId, jsonData: Buffer.from('{}') }]);
const isEmpty = async (testsetId: string) => (await store.countTestcases(organizationId, testsetId)) === 0;
async function marked(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.deletedTestsets()) ids.push(id);
  return ids;
}

test('a write that was under way while its testset was deleted leaves nothing behind, and the mark goes when none can be', async () => {
  let now = Date.now();
  const forgetting = createForgetting({ store, clock: () => now, log: { warn: () => undefined } });
  const testsetId = newId();
  await write(testsetId);
  await forgetting.forgetTestset(identity, testsetId);
  await forgetting.forgetTestset(identity, testsetId);
  await poll('the removal', () => isEmpty(testsetId));
  await write(testsetId);
  forgetting.nudge();
  await poll('the removal of the late one', () => isEmpty(testsetId));
  expect(await marked()).toEqual([testsetId]);
  now += settledMs + 1;
  forgetting.nudge();
  await poll('the end of the mark', async () => (await marked()).length === 0);
  await forgetting.stop();
});

test("another organization's testcases of the same testset id are left alone", async () => {
  const testsetId = newId();
  await write(testsetId);
  await store.deleteTestcasesOf(newId(), testsetId);
  expect(await isEmpty(testsetId)).toBe(false);
});
