import { start as startCatalog } from '@assay/catalog/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const list = async (testsetId: string, query: string) =>
  (await world.request('GET', `/testsets/${testsetId}/testcases?${query}`)).body;

test('the first page of a list without filters tells how many testcases the testset has', async () => {
  const testsetId = await createTestset(world);
  expect((await list(testsetId, '')).total).toBe(0);
  const items = ['a', 'b', 'c'].map((key) => ({ key, jsonData: { question: key } }));
  const { body } = await world.request('POST', `/testsets/${testsetId}/testcases`, { items });
  const first = await list(testsetId, 'limit=2');
  expect(first).toMatchObject({ hasMore: true, total: 3 });
  expect((await list(testsetId, '')).total).toBe(3);

  await world.request('POST', '/testcases/bulk-delete', { ids: [body.items[0].id] });
  expect((await list(testsetId, 'limit=1')).total).toBe(2);

  for (const narrowed of ['key=a', 'q=b', 'invalid=true', `limit=2&cursor=${first.nextCursor}`])
    expect(await list(testsetId, narrowed), narrowed).not.toHaveProperty('total');
});
