import { start as startCatalog } from '@assay/catalog/service';
import { newId } from '@assay/runtime/ids';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

async function createAll(testsetId: string, data: string[]): Promise<string[]> {
  const { body } = await world.request('POST', `/testsets/${testsetId}/testcases`, undefined, {
    raw: `{"items":[${data.map((jsonData) => `{"jsonData":${jsonData}}`).join(',')}]}`,
  });
  return body.items.map(({ id }: { id: string }) => id);
}
const duplicates = (testsetId: string, query = '', options = {}) =>
  world.request('GET', `/testsets/${testsetId}/duplicates${query}`, undefined, options);

test('testcases with the same inputs are told together, whatever is expected of them, the largest group first', async () => {
  const testsetId = await createTestset(world, {
    fieldMapping: { inputs: ['question', 'place'], expected: ['idealAnswer'], metadata: [] },
  });
  const ids = await createAll(testsetId, [
    '{"question":"Twice?","place":{"a":1,"b":2},"idealAnswer":"Yes."}',
    '{"question":"Thrice?","idealAnswer":"1"}',
    '{"idealAnswer":"Nothing is asked."}',
    '{"question":"Once?","idealAnswer":"Yes."}',
    '{"idealAnswer":"No.","place":{"b":2.0,"a":1},"question":"Tw\\u0069ce?"}',
    '{"question":"Thrice?","idealAnswer":"2"}',
    '{"idealAnswer":"Nothing is asked."}',
    '{"question":"Thrice?","idealAnswer":"3"}',
  ]);
  const reply = await duplicates(testsetId);
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      read: 8,
      isComplete: true,
      numGroups: 2,
      numDuplicates: 3,
      groups: [
        {
          inputs: { question: 'Thrice?' },
          count: 3,
          testcases: [1, 5, 7].map((at, place) => ({
            id: ids[at],
            expected: { idealAnswer: String(place + 1) },
          })),
        },
        {
          inputs: { question: 'Twice?', place: { a: 1, b: 2 } },
          count: 2,
          testcases: [
            { id: ids[0], expected: { idealAnswer: 'Yes.' } },
            { id: ids[4], expected: { idealAnswer: 'No.' } },
          ],
        },
      ],
    },
  ]);
});

test('a deleted testcase is no duplicate, and previews stand in place of payloads', async () => {
  const testsetId = await createTestset(world);
  const data = '{"question":"Where is it?","idealAnswer":"Here."}';
  const ids = await createAll(testsetId, [data, data, data]);
  await world.request('POST', '/testcases/bulk-delete', { ids: [ids[0]] });
  const { body } = await duplicates(testsetId, '?preview=12');
  expect(body.groups).toEqual([
    {
      inputs: { text: '{"question":', bytes: 27, isCut: true },
      count: 2,
      testcases: [ids[1], ids[2]].map((id) => ({
        id,
        expected: { text: '{"idealAnswe', bytes: 23, isCut: true },
      })),
    },
  ]);
});

test('the oldest ten of a hundred groups are told, and all are counted', async () => {
  const testsetId = await createTestset(world);
  for (let round = 0; round < 12; round += 1)
    await createAll(
      testsetId,
      Array.from({ length: 100 }, (_, at) => `{"question":"${(round % 2) * 50 + (at % 51)}"}`),
    );
  const { body } = await duplicates(testsetId);
  expect([body.read, body.numGroups, body.numDuplicates]).toEqual([1200, 101, 1099]);
  expect(body.groups).toHaveLength(100);
  expect(body.groups[0].testcases).toHaveLength(10);
});

test('a testset of another organization, and one that was deleted, is not found', async () => {
  const testsetId = await createTestset(world);
  const others = { identity: { organizationId: newId() } };
  expect((await duplicates(testsetId, '', others)).status).toBe(404);
  await world.request('DELETE', `/testsets/${testsetId}`);
  expect((await duplicates(testsetId)).status).toBe(404);
});
