import { start as startCatalog } from '@assay/catalog/service';
import { newId } from '@assay/runtime/ids';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const data = { question: 'a', idealAnswer: 'b' };
const create = (testsetId: string, items: object[], options = {}) =>
  world.request('POST', `/testsets/${testsetId}/testcases`, { items }, options);
const keyed = (...keys: string[]) => keys.map((key) => ({ jsonData: data, key }));
const list = (testsetId: string, query = '') =>
  world.request('GET', `/testsets/${testsetId}/testcases${query}`);
const keysOf = async (testsetId: string, query = '') =>
  (await list(testsetId, query)).body.data.map(({ key }: { key?: string }) => key);
const put = (id: string, body: object) => world.request('PUT', `/testcases/${id}`, body);
const importAs = (contentType: string, testsetId: string, raw: string, headers = {}) =>
  world.request('POST', `/testsets/${testsetId}/testcases/import`, undefined, {
    raw,
    headers: { 'content-type': contentType, ...headers },
  });
const exported = async (testsetId: string, format: string) =>
  (await world.request('GET', `/testsets/${testsetId}/testcases/export?format=${format}`)).text;

describe('the key of a testcase', () => {
  test('is in every read of it, and one without a key has none', async () => {
    const testsetId = await createTestset(world);
    const made = await create(testsetId, [...keyed('one'), { jsonData: data }]);
    expect([made.status, made.body.items[0].key]).toEqual([201, 'one']);
    const [first, second] = (await list(testsetId, '?preview=5')).body.data;
    expect([first.key, Object.hasOwn(second, 'key')]).toEqual(['one', false]);
    expect((await world.request('GET', `/testcases/${first.id}`)).body.key).toBe('one');
  });

  test('that another testcase has is a 409 that names each item and the testcase, and nothing is created', async () => {
    const testsetId = await createTestset(world);
    const [{ id }] = (await create(testsetId, keyed('one'))).body.items;
    const reply = await create(testsetId, keyed('two', 'one', 'three', 'three'));
    expect([reply.status, reply.body.code]).toEqual([409, 'CONFLICT']);
    expect(reply.body.details).toEqual({
      issues: [
        { path: '/items/1/key', message: 'is the key of another testcase of this testset' },
        { path: '/items/3/key', message: 'is the key of another item, too' },
      ],
      testcaseId: id,
    });
    expect(await keysOf(testsetId)).toEqual(['one']);
    expect(await keysOf(await createTestset(world))).toEqual([]);
    expect((await create(await createTestset(world), keyed('one'))).status).toBe(201);
  });

  test('is given to one of many who create it at the same moment', async () => {
    const testsetId = await createTestset(world);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create(testsetId, keyed(`own ${index}`, 'shared'), {
          headers: index % 2 === 0 ? { 'idempotency-key': `k${index}` } : {},
        }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 11 }, () => 409)]);
    expect(await keysOf(testsetId)).toHaveLength(2);
  });

  test('stays with a PUT that does not name it, changes, goes by null, and is free then', async () => {
    const testsetId = await createTestset(world);
    const [one, two] = (await create(testsetId, keyed('one', 'two'))).body.items;
    expect((await put(one.id, { jsonData: { question: 'new' } })).body.key).toBe('one');
    const taken = await put(one.id, { jsonData: {}, key: 'two' });
    expect([taken.status, taken.body.details.issues[0].path]).toEqual([409, '/key']);
    expect((await world.request('GET', `/testcases/${one.id}`)).body.jsonData.question).toBe('new');
    expect((await put(two.id, { jsonData: data, key: null })).body).not.toHaveProperty('key');
    expect((await put(one.id, { jsonData: data, key: 'two' })).body.key).toBe('two');
    expect((await create(testsetId, keyed('one'))).status).toBe(201);
  });

  test('is kept as it was sent, whatever it is', async () => {
    const testsetId = await createTestset(world);
    const keys = ['__proto__', 'constructor', '\u0000\u0001\n\u202e', '=1+1', "'", '$where', 'é'];
    const all = [...keys, 'e\u0301', ' ', 'x'.repeat(255), '😀'.repeat(255)];
    expect((await create(testsetId, keyed(...all))).status).toBe(201);
    expect(await keysOf(testsetId)).toEqual(all);
    const query = new URLSearchParams(all.slice(0, 9).map((key): [string, string] => ['key', key]));
    expect(await keysOf(testsetId, `?${query}`)).toEqual(all.slice(0, 9));
    for (const [format, type] of [
      ['ndjson', 'application/x-ndjson'],
      ['json', 'application/json'],
      ['csv', 'text/csv'],
    ] as const) {
      const copy = await createTestset(world);
      await importAs(type, copy, await exported(testsetId, format));
      expect(await keysOf(copy), format).toEqual(all);
    }
  });

  test.each([
    ['', 'must have at least 1 character'],
    ['x'.repeat(256), 'must have at most 255 characters'],
    ['\ud800', 'must not contain half of a surrogate pair'],
    [7, 'must be a string, but it is a number'],
  ])('%j is refused with its place', async (key, message) => {
    const testsetId = await createTestset(world);
    const reply = await create(testsetId, [{ jsonData: data, key }]);
    expect([reply.status, reply.body.details.issues]).toEqual([
      400,
      [{ path: '/items/0/key', message }],
    ]);
    const line = JSON.stringify({ jsonData: data, key });
    const [answer] = linesOf((await importAs('application/x-ndjson', testsetId, line)).text);
    expect(answer).toMatchObject({ status: 400, details: { issues: [{ path: '/key', message }] } });
    expect(await keysOf(testsetId)).toEqual([]);
  });

  test('finds the testcase, alone, with others and with other filters', async () => {
    const testsetId = await createTestset(world);
    await create(testsetId, [
      ...keyed('one', 'two', 'three'),
      { jsonData: { question: 7 }, key: 'bad' },
    ]);
    expect(await keysOf(testsetId, '?key=two')).toEqual(['two']);
    expect(await keysOf(testsetId, '?key=three&key=one&key=none')).toEqual(['one', 'three']);
    expect(await keysOf(testsetId, '?key=none')).toEqual([]);
    expect(await keysOf(testsetId, '?key=bad&key=one&invalid=true')).toEqual(['bad']);
    expect(await keysOf(testsetId, '?q=THRE')).toEqual(['three']);
    const page = await list(testsetId, '?key=one&key=two&key=bad&limit=2');
    expect(page.body).toMatchObject({ hasMore: true, data: [{ key: 'one' }, { key: 'two' }] });
    const rest = `?key=one&key=two&key=bad&limit=2&cursor=${page.body.nextCursor}`;
    expect(await keysOf(testsetId, rest)).toEqual(['bad']);
    const many = new URLSearchParams(
      Array.from({ length: 101 }, (_, at): [string, string] => ['key', `${at}`]),
    );
    expect((await list(testsetId, `?${many}`)).status).toBe(400);
    const stranger = { identity: { organizationId: newId() } };
    const path = `/testsets/${testsetId}/testcases?key=one`;
    expect((await world.request('GET', path, undefined, stranger)).status).toBe(404);
  });

  test('goes along when the testset is duplicated', async () => {
    const testsetId = await createTestset(world);
    await create(testsetId, [...keyed('one'), { jsonData: data }, ...keyed('two')]);
    const copy = await world.request('POST', `/testsets/${testsetId}/duplicate`, {});
    expect(await keysOf(copy.body.id)).toEqual(['one', undefined, 'two']);
  });
});

describe('the entries of an import and an export', () => {
  test('are data, or data with a key, and data that has the form of an entry comes back as it was', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const lines = [
      '{"a":1}',
      '{"jsonData":{"a": 2.0},"key":"two"}',
      '{"key":"three","jsonData":{}}',
      '{"jsonData":{"jsonData":{"a":4}}}',
      '{"jsonData":{},"key":"x","other":5}',
      '{"key":"x"}',
      '{"json\\u0044ata":{"a":7}}',
    ];
    const reply = await importAs('application/x-ndjson', testsetId, lines.join('\n'));
    expect(linesOf(reply.text).every(({ status }) => status === 201)).toBe(true);
    const text = await exported(testsetId, 'ndjson');
    expect(text).toBe(
      [
        lines[0],
        lines[1],
        '{"jsonData":{},"key":"three"}',
        lines[3],
        lines[4],
        lines[5],
        '{"a":7}',
        '',
      ].join('\n'),
    );
    const copy = await createTestset(world, { jsonSchema: {} });
    await importAs('application/json', copy, await exported(testsetId, 'json'));
    expect(await exported(copy, 'ndjson')).toBe(text);
    const wrong = await importAs('application/x-ndjson', copy, '{"jsonData":[]}');
    expect(linesOf(wrong.text)[0].details.issues[0].path).toBe('/jsonData');
  });

  test('have the keys in the column _key of CSV, which is the data of a testset with that field', async () => {
    const testsetId = await createTestset(world);
    const csv = '_key,question,idealAnswer,topic\none,a,b,\n,c,d,\n"",e,f,g\n';
    await importAs('text/csv', testsetId, csv);
    expect(await keysOf(testsetId)).toEqual(['one', undefined, undefined]);
    expect((await list(testsetId)).body.data[0].jsonData).toEqual({
      question: 'a',
      idealAnswer: 'b',
    });
    expect(await exported(testsetId, 'csv')).toBe(csv.replace('""', ''));
    const other = await createTestset(world, {
      jsonSchema: { properties: { _key: { type: 'string' } } },
      fieldMapping: { inputs: ['_key'], expected: [], metadata: [] },
    });
    await importAs('text/csv', other, '_key,jsonData,key\none,two,three\n');
    expect((await list(other)).body.data[0]).toMatchObject({
      jsonData: { _key: 'one', jsonData: 'two', key: 'three' },
    });
    expect(await keysOf(other)).toEqual([undefined]);
  });

  test('whose key is taken have their own 409, and the others are stored; a repeat under the same Idempotency-Key says the same', async () => {
    const testsetId = await createTestset(world);
    const [{ id }] = (await create(testsetId, keyed('one'))).body.items;
    const body = keyed('zero', 'one', 'two', 'zero').map((entry) => JSON.stringify(entry));
    const header = { 'idempotency-key': 'keys' };
    const send = () => importAs('application/x-ndjson', testsetId, body.join('\n'), header);
    const lines = linesOf((await send()).text);
    expect(lines.map(({ status }) => status)).toEqual([201, 409, 201, 409]);
    expect(lines[1].details).toEqual({
      issues: [{ path: '/key', message: 'is the key of another testcase of this testset' }],
      testcaseId: id,
    });
    expect(lines[3].details.testcaseId).toBe(lines[0].id);
    expect(linesOf((await send()).text)).toEqual(lines);
    expect(await keysOf(testsetId)).toEqual(['one', 'zero', 'two']);
  });
});
