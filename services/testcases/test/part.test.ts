import { start as startCatalog } from '@assay/catalog/service';
import { testcases as contract } from '@assay/contracts/testcases';
import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { volume } from '@assay/testing/volume';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWhereMatcher } from '../src/domain/where.ts';
import { start } from '../src/service.ts';
import { createStore } from '../src/store.ts';
import { createTestset } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const ask = () => world.bus.asks(contract).testcases;

/** A testset without a schema, with these testcases; the ids in their order. */
async function testsetOf(...items: { jsonData: object; key?: string }[]) {
  const testsetId = await createTestset(world, { jsonSchema: {} });
  const made = await world.request('POST', `/testsets/${testsetId}/testcases`, { items });
  expect(made.status, made.text).toBe(201);
  return { testsetId, ids: made.body.items.map(({ id }: { id: string }) => id) as string[] };
}

/** The ids of all pages of a part. */
async function idsOf(
  testsetId: string,
  part: { where?: object; keys?: string[]; before?: string },
  identity = world.identity,
) {
  const { where, ...others } = part;
  const sent = { ...others, ...(where ? { where: JSON.stringify(where) } : {}) };
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await ask().part(identity, { testsetId, ...sent, after });
    found.push(...page.ids);
    if (page.next === null) return { found, unknownKeys: page.unknownKeys };
    after = page.next;
  }
}

describe('the values of a `where`', () => {
  const has = (where: string, jsonData: string) =>
    createWhereMatcher(where)(new TextEncoder().encode(jsonData));

  test.each([
    ['{"/lang":"de"}', '{"lang":"de"}', true],
    ['{"/lang":"de"}', '{"lang":"de-AT"}', false],
    ['{"/lang":"de"}', '{"lang":"\\u0064e"}', true],
    ['{"/lang":"de"}', '{"tags":"de"}', false],
    ['{"/lang":"de"}', '{"lang":"en", "lang" : "de"}', true],
    ['{"/tags":"a"}', '{"tags":["b", "a"]}', true],
    ['{"/tags":"a"}', '{"tags":[["a"]]}', false],
    ['{"/tags":["a"]}', '{"tags":[ "a" ]}', true],
    ['{"/tags":["a"]}', '{"tags":[["a"],"b"]}', true],
    ['{"/n":1}', '{"n":1.0}', true],
    ['{"/n":1}', '{"n":"1"}', false],
    ['{"/n":10}', '{"n":[3,1e1]}', true],
    ['{"/n":12345678901234567890}', '{"n":12345678901234567891}', false],
    ['{"/n":1e400}', '{"n":10e399}', true],
    ['{"/n":1e400}', '{"n":1e401}', false],
    ['{"/n":1e999999999}', '{"n":1e999999999}', true],
    ['{"/on":true}', '{"on":true}', true],
    ['{"/on":null}', '{}', false],
    ['{"/on":null}', '{"on":null}', true],
    ['{"/m":{"a":1,"b":[]}}', '{"m":{"b":[],"a":1.0}}', true],
    ['{"/m/a":1}', '{"m":{"a":1}}', true],
    ['{"/m/0/a":1}', '{"m":[{"a":1}]}', true],
    ['{"/m/00/a":1}', '{"m":[{"a":1}]}', false],
    ['{"/m/length":1}', '{"m":[1]}', false],
    ['{"/toString":"x"}', '{}', false],
    ['{"/__proto__":"x"}', '{"__proto__":"x"}', true],
    ['{"/a~1b":"x"}', '{"a/b":"x"}', true],
    ['{"/a":1,"/b":2}', '{"a":1,"b":3}', false],
    ['{"/a":1,"/b":2}', '{"a":1,"b":2}', true],
  ])('%s and the data %s: %s', (where, jsonData, holds) => {
    expect(has(where, jsonData)).toBe(holds);
  });

  test('a field of more than 64 KiB is equal to nothing, and nothing is read of it', () => {
    const filled = (bytes: number) => `{"list":["x",${JSON.stringify('y'.repeat(bytes))}]}`;
    expect(has('{"/list":"x"}', filled(60_000))).toBe(true);
    expect(has('{"/list":"x"}', filled(70_000))).toBe(false);
    const deep = `{"a":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`;
    expect(has(`{"${'/a'.repeat(301)}":1}`, deep)).toBe(true);
  });
});

describe('the list of testcases by `where`', () => {
  const list = (testsetId: string, where: string, more = '') =>
    world.request(
      'GET',
      `/testsets/${testsetId}/testcases?where=${encodeURIComponent(where)}${more}`,
    );

  test('has those with the values, with the other filters', async () => {
    const { testsetId, ids } = await testsetOf(
      { jsonData: { question: 'a', lang: 'de' }, key: 'one' },
      { jsonData: { question: 'b', lang: 'en' }, key: 'two' },
      { jsonData: { question: 'c', lang: ['fr', 'de'] }, key: 'three' },
    );
    const idsIn = async (where: string, more?: string) =>
      (await list(testsetId, where, more)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsIn('{"/lang":"de"}')).toEqual([ids[0], ids[2]]);
    expect(await idsIn('{"/lang":"de"}', '&key=two&key=three')).toEqual([ids[2]]);
    expect(await idsIn('{"/lang":"de"}', '&q=a')).toEqual([ids[0], ids[2]]);
    expect(await idsIn('{"/lang":"it"}')).toEqual([]);
  });

  test.each([
    ['[]', 'must be a JSON object'],
    ['{"/a":', 'must be a JSON object'],
    ['{}', 'must have a member, such as "/lang": "de"'],
    ['{"lang":"de"}', 'must be right at /lang, which must be a JSON Pointer, such as /lang'],
    ['{"/a~2":1}', 'must be right at /~1a~02, which must be a JSON Pointer, such as /lang'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`/${at}`, 1]))),
      'must have at most 10 members',
    ],
  ])('refuses %s', async (where, message) => {
    const { testsetId } = await testsetOf({ jsonData: { question: 'a' } });
    const { status, body } = await list(testsetId, where);
    expect([status, body.details.issues]).toEqual([400, [{ path: '?where', message }]]);
  });
});

describe('the question for a part of a testset', () => {
  test('gives the ids by data, by keys, by both, and those made before an id', async () => {
    const { testsetId, ids } = await testsetOf(
      { jsonData: { lang: 'de' }, key: 'one' },
      { jsonData: { lang: 'en' }, key: 'two' },
      { jsonData: { lang: 'de' }, key: 'three' },
    );
    const other = await testsetOf({ jsonData: { lang: 'de' }, key: 'four' });
    const none = { unknownKeys: [] };
    expect(await idsOf(testsetId, {})).toEqual({ found: ids, ...none });
    const where = { '/lang': 'de' };
    expect(await idsOf(testsetId, { where })).toEqual({ found: [ids[0], ids[2]], ...none });
    expect(await idsOf(testsetId, { keys: ['three', 'two'] })).toEqual({
      found: [ids[1], ids[2]],
      ...none,
    });
    expect(await idsOf(testsetId, { where, keys: ['three', 'two'] })).toEqual({
      found: [ids[2]],
      ...none,
    });
    expect((await idsOf(testsetId, { keys: ['four', 'one'] })).unknownKeys).toEqual(['four']);
    expect((await idsOf(testsetId, { before: ids[2]! })).found).toEqual(ids.slice(0, 2));
    expect((await idsOf(testsetId, { where, before: ids[1]! })).found).toEqual([ids[0]]);
    const foreign = { ...world.identity, organizationId: newId() };
    expect((await idsOf(testsetId, { keys: ['one'] }, foreign)).unknownKeys).toEqual(['one']);
    expect((await idsOf(other.testsetId, {}, foreign)).found).toEqual([]);
  });

  test('goes through a large testset page by page, whole or by its data', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const database = await openDatabase({
      uri: world.config.MONGODB_URI,
      name: `${world.config.DATABASE_PREFIX}_testcases`,
    });
    const count = volume(100_000, 20_000);
    const items = Array.from({ length: count }, (_, index) => ({
      id: newId(),
      testsetId,
      jsonData: Buffer.from(JSON.stringify({ lang: index % 4 === 0 ? 'de' : 'en' })),
    }));
    const { organizationId } = world.identity;
    const store = createStore(database);
    for (let at = 0; at < count; at += 5_000)
      await store.writeEntries(organizationId, testsetId, items.slice(at, at + 5_000), {
        change: { userId: newId(), at: new Date() },
      });
    await database.close();
    const all = items.map(({ id }) => id);
    expect((await idsOf(testsetId, {})).found).toEqual(all);
    expect((await idsOf(testsetId, { where: { '/lang': 'de' } })).found).toEqual(
      all.filter((_, index) => index % 4 === 0),
    );
  });
});
