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
  const raw = `{"items":[${data.map((jsonData) => `{"jsonData":${jsonData}}`).join(',')}]}`;
  const { body } = await world.request('POST', `/testsets/${testsetId}/testcases`, undefined, {
    raw,
  });
  return body.items.map(({ id }: { id: string }) => id);
}
const tag = (testsetId: string, body: object, options = {}) =>
  world.request('POST', `/testsets/${testsetId}/testcases/tags`, body, options);
const dataOf = async (id: string) => (await world.request('GET', `/testcases/${id}/data`)).text;

test('tags are added and taken away, all else stays as it is written, and versions are kept', async () => {
  const testsetId = await createTestset(world, { tagsField: 'topic' });
  const ids = await createAll(testsetId, [
    '{"question": 1.0}',
    '{"topic": "old", "question": 1.0}',
    '{"question":"q","topic":["old","new"]}',
    '{"topic": {"deep": true}}',
    '{"topic": ["new"]}',
  ]);
  const reply = await tag(testsetId, { ids: [...ids, newId()], add: ['new'], remove: ['old'] });
  expect([reply.status, reply.body]).toEqual([200, { changed: 3 }]);
  expect(await Promise.all(ids.map(dataOf))).toEqual([
    '{"question": 1.0,"topic":["new"]}',
    '{"topic": ["new"], "question": 1.0}',
    '{"question":"q","topic":["new"]}',
    '{"topic": {"deep": true}}',
    '{"topic": ["new"]}',
  ]);
  const versions = await world.request('GET', `/testcases/${ids[1]}/versions`);
  expect(versions.body.data).toMatchObject([{ jsonData: { topic: 'old', question: 1 } }]);
  const where = encodeURIComponent('{"/topic":"new"}');
  const found = await world.request('GET', `/testsets/${testsetId}/testcases?where=${where}`);
  expect(found.body.data).toHaveLength(4);
});

test('a testset without a field of tags, and testcases of others, are not tagged', async () => {
  const [bare, tagged, other] = [
    await createTestset(world),
    await createTestset(world, { tagsField: 'topic' }),
    await createTestset(world, { tagsField: 'topic' }),
  ];
  const [id] = await createAll(other, ['{"question":"q"}']);
  expect((await tag(bare, { ids: [id], add: ['new'] })).status).toBe(409);
  expect((await tag(tagged, { ids: [id], add: ['new'] })).body).toEqual({ changed: 0 });
  const stranger = { identity: { organizationId: newId() } };
  expect((await tag(other, { ids: [id], add: ['new'] }, stranger)).status).toBe(404);
  const both = await tag(other, { ids: [id], add: ['new'], remove: ['new'] });
  expect([both.status, both.body.details.issues[0].path]).toEqual([400, '/add/0']);
});

test('only a metadata field has tags; null takes them away', async () => {
  const testsetId = await createTestset(world);
  const patch = (body: object) => world.request('PATCH', `/testsets/${testsetId}`, body);
  expect((await patch({ tagsField: 'question' })).body.details.issues[0].path).toBe('/tagsField');
  expect((await patch({ tagsField: 'topic' })).body.tagsField).toBe('topic');
  const asInput = { inputs: ['question', 'topic'], expected: ['idealAnswer'], metadata: [] };
  expect((await patch({ fieldMapping: asInput })).status).toBe(400);
  const copy = await world.request('POST', `/testsets/${testsetId}/duplicate`);
  expect(copy.body.tagsField).toBe('topic');
  expect(await patch({ tagsField: null })).toMatchObject({ status: 200 });
  expect((await world.request('GET', `/testsets/${testsetId}`)).body).not.toHaveProperty(
    'tagsField',
  );
});

test('tags make no testcase larger than one may be, but others still replace its tags', async () => {
  const testsetId = await createTestset(world, { tagsField: 'topic' });
  const data = (length: number) => `{"question":"${'x'.repeat(length)}","topic":["old"]}`;
  const ids = await createAll(testsetId, [data(4 * 1024 * 1024 - 200)]);
  const refused = await tag(testsetId, { ids, add: ['new'.repeat(80)] });
  expect([refused.status, refused.body.details.issues]).toEqual([
    400,
    [{ path: '/add', message: 'would make a testcase larger than 4194304 bytes' }],
  ]);
  expect((await tag(testsetId, { ids, add: ['new'], remove: ['old'] })).body).toEqual({
    changed: 1,
  });
});
