import { createHash } from 'node:crypto';
import { start as startCatalog } from '@assay/catalog/service';
import { testcases as contract } from '@assay/contracts/testcases';
import { openDatabase } from '@assay/runtime/mongo/database';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const fits = {
  question: 'Where is my parcel?',
  idealAnswer: 'Ask for the number.',
  topic: 'shipping',
};
const nobody = '00000000-0000-7000-8000-000000000000';
const create = (testsetId: string, ...data: object[]) =>
  world.request('POST', `/testsets/${testsetId}/testcases`, {
    items: data.map((jsonData) => ({ jsonData })),
  });
const createRaw = (testsetId: string, jsonData: string) =>
  world.request('POST', `/testsets/${testsetId}/testcases`, undefined, {
    raw: `{"items":[{"jsonData":${jsonData}}]}`,
  });
const list = (testsetId: string, query = '') =>
  world.request('GET', `/testsets/${testsetId}/testcases${query}`);
const ask = () => world.bus.asks(contract).testcases;

test('the bytes of the data come whole or in part, under a tag that a change of them changes', async () => {
  const testsetId = await createTestset(world);
  const data = '{ "question":1.0 }';
  const { id } = (await createRaw(testsetId, data)).body.items[0];
  const get = (headers: Record<string, string> = {}, query = '') =>
    world.request('GET', `/testcases/${id}/data${query}`, undefined, { headers });
  const whole = await get();
  expect([whole.status, whole.text]).toEqual([200, data]);
  const tag = whole.headers.get('etag')!;
  expect((await get({ range: 'bytes=2-11' })).text).toBe('"question"');
  expect((await get({ 'if-none-match': tag })).status).toBe(304);
  expect((await get({}, '?download=1')).headers.get('content-disposition')).toBe(
    `attachment; filename="testcase-${id}.json"`,
  );
  await world.request('PUT', `/testcases/${id}`, { jsonData: fits });
  expect((await get({ 'if-none-match': tag })).status).toBe(200);
});

describe('creation', () => {
  test('testcases come back in the order given, with what the mapping makes of them', async () => {
    const testsetId = await createTestset(world);
    const data = Array.from({ length: 100 }, (_, index) => ({
      ...fits,
      question: `Question ${index}`,
    }));
    const reply = await create(testsetId, ...data);
    expect(reply.status).toBe(201);
    expect(reply.body.items.map(({ jsonData }: { jsonData: object }) => jsonData)).toEqual(data);
    expect(reply.body.items[7]).toEqual({
      id: expect.any(String),
      testsetId,
      jsonData: data[7],
      inputs: { question: 'Question 7' },
      expected: { idealAnswer: fits.idealAnswer },
    });
    expect((await list(testsetId, '?limit=100')).body.data).toEqual(reply.body.items);
  });

  test('data that breaks the schema is stored, and every error is told', async () => {
    const testsetId = await createTestset(world);
    const [item] = (await create(testsetId, { idealAnswer: 7, unknown: true })).body.items;
    expect(item).toMatchObject({ inputs: {}, expected: { idealAnswer: 7 } });
    expect(item.validationErrors.map(({ path }: { path: string }) => path).sort()).toEqual([
      '/data',
      '/data/idealAnswer',
    ]);
    expect((await world.request('GET', `/testcases/${item.id}`)).body).toEqual(item);
  });

  test('one wrong item keeps all from being created, and is told with its place', async () => {
    const testsetId = await createTestset(world);
    const reply = await world.request('POST', `/testsets/${testsetId}/testcases`, {
      items: [{ jsonData: fits }, { jsonData: [] }, {}],
    });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/items/1/jsonData',
      '/items/2/jsonData',
    ]);
    for (const items of [[], Array(101).fill({ jsonData: fits })])
      expect(
        (await world.request('POST', `/testsets/${testsetId}/testcases`, { items })).status,
      ).toBe(400);
    expect((await list(testsetId)).body.data).toEqual([]);
  });

  test('fifty creations at the same time are all counted', async () => {
    const testsetId = await createTestset(world);
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => create(testsetId, fits, fits)),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(await ask().count(world.identity, { testsetId })).toEqual({ count: 100 });
  });

  test('a repeat with the same Idempotency-Key creates nothing more', async () => {
    const testsetId = await createTestset(world);
    const post = () =>
      world.request(
        'POST',
        `/testsets/${testsetId}/testcases`,
        { items: [{ jsonData: fits }] },
        { headers: { 'idempotency-key': 'k' } },
      );
    const first = await post();
    expect((await post()).text).toBe(first.text);
    expect(await ask().count(world.identity, { testsetId })).toEqual({ count: 1 });
  });
});

describe('data', () => {
  const hostile = [
    '{"question":123456789012345678901234567890.10,"idealAnswer":-0.0e-400}',
    '{"question":{"__proto__":{"a":1},"constructor":null},"__proto__":"x","idealAnswer":"toString"}',
    '{"question":{"$where":"1","a.b":1,"_bsontype":"ObjectId"},"$set":{},"idealAnswer":""}',
    '{ "que\\u0073tion" :\n "\\u0000 \\ud800 \\/" ,"idealAnswer":["\\"",{"\\\\":1}] }',
    '{"question":1,"a\\"question":2,"idealAnswer":3,"question":4}',
  ];
  const derived = [
    ['{"question":123456789012345678901234567890.10}', '{"idealAnswer":-0.0e-400}'],
    ['{"question":{"__proto__":{"a":1},"constructor":null}}', '{"idealAnswer":"toString"}'],
    ['{"question":{"$where":"1","a.b":1,"_bsontype":"ObjectId"}}', '{"idealAnswer":""}'],
    ['{"que\\u0073tion" :\n "\\u0000 \\ud800 \\/"}', '{"idealAnswer":["\\"",{"\\\\":1}]}'],
    ['{"question":4}', '{"idealAnswer":3}'],
  ];

  test.each(hostile.map((data, index) => [data, ...derived[index]!]))(
    '%s comes back as it was sent',
    async (data, inputs, expected) => {
      const testsetId = await createTestset(world, { jsonSchema: {} });
      const text = `"jsonData":${data},"inputs":${inputs},"expected":${expected}}`;
      const created = await createRaw(testsetId, data!);
      expect(created.text).toContain(text);
      expect((await list(testsetId)).text).toContain(text);
      const { id } = created.body.items[0];
      expect((await world.request('GET', `/testcases/${id}`)).text).toContain(text);
      expect(
        (await world.request('PUT', `/testcases/${id}`, undefined, { raw: `{"jsonData":${data}}` }))
          .text,
      ).toContain(text);
    },
  );

  test('keys that objects inherit can have a role', async () => {
    const mapping = {
      inputs: ['__proto__', 'a.b'],
      expected: ['$where', 'constructor'],
      metadata: [],
    };
    const testsetId = await createTestset(world, { jsonSchema: {}, fieldMapping: mapping });
    const reply = await createRaw(
      testsetId,
      '{"$where":1,"__proto__":2,"toString":3,"a.b":4,"constructor":5}',
    );
    expect(reply.text).toContain(
      '"inputs":{"__proto__":2,"a.b":4},"expected":{"$where":1,"constructor":5}',
    );
  });

  test('a change of schema or mapping shows in the very next read', async () => {
    const testsetId = await createTestset(world);
    const { id } = (await create(testsetId, fits)).body.items[0];
    const path = `/testsets/${testsetId}`;
    for (let round = 0; round < 5; round++) {
      await world.request('PATCH', path, {
        fieldMapping: { inputs: ['topic'], expected: [], metadata: [] },
      });
      expect((await world.request('GET', `/testcases/${id}`)).body).toMatchObject({
        inputs: { topic: 'shipping' },
        expected: {},
      });
      await world.request('PATCH', path, {
        jsonSchema: { properties: { topic: { type: 'number' } } },
      });
      expect((await list(testsetId)).body.data[0].validationErrors).toMatchObject([
        { path: '/data/topic' },
      ]);
      await world.request('PATCH', path, { jsonSchema: {} });
      expect((await list(testsetId)).body.data[0]).not.toHaveProperty('validationErrors');
    }
  });

  test('a schema that is slow on some data answers with a note, and not with an error', async () => {
    const doubled = Array.from({ length: 12 }, (_, level) => [
      `d${level + 1}`,
      { allOf: [{ $ref: `#/$defs/d${level}` }, { $ref: `#/$defs/d${level}` }] },
    ]);
    const $defs = { d0: { minimum: 0 }, ...Object.fromEntries(doubled) };
    const testsetId = await createTestset(world, {
      jsonSchema: { $defs, properties: { question: { items: { $ref: '#/$defs/d12' } } } },
    });
    const reply = await createRaw(testsetId, `{"question":[${'7,'.repeat(900_000)}7]}`);
    expect(reply.status).toBe(201);
    expect(reply.body.items[0].validationErrors).toEqual([
      { path: '/data', message: expect.stringContaining('was not checked') },
    ]);
    const { id } = reply.body.items[0];
    const [read, quick] = await Promise.all([
      world.request('GET', `/testcases/${id}`),
      create(await createTestset(world), fits),
    ]);
    expect(read.status).toBe(200);
    expect(read.body.validationErrors).toEqual(reply.body.items[0].validationErrors);
    expect(quick.body.items[0]).not.toHaveProperty('validationErrors');
  });
});

describe('one testcase', () => {
  test('a replaced testcase keeps its id and place', async () => {
    const testsetId = await createTestset(world);
    const { items } = (await create(testsetId, fits, fits)).body;
    const changed = await world.request('PUT', `/testcases/${items[0].id}`, {
      jsonData: { ...fits, question: 'Other' },
    });
    expect(changed.body).toEqual({
      ...items[0],
      jsonData: { ...fits, question: 'Other' },
      inputs: { question: 'Other' },
    });
    expect((await list(testsetId)).body.data).toEqual([changed.body, items[1]]);
    expect(
      (await world.request('PUT', `/testcases/${items[0].id}`, { jsonData: 7 })).body.details
        .issues[0].path,
    ).toBe('/jsonData');
  });

  test('the bound of a deletion counts the ids that were sent, repeats included', async () => {
    const reply = await world.request('POST', '/testcases/bulk-delete', {
      ids: Array(10_001).fill(nobody),
    });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues).toEqual([
      { path: '/ids', message: 'must have at most 10000 items' },
    ]);
  });

  test('ids that are not there are no error to a deletion, which is announced for those that were', async () => {
    const testsetId = await createTestset(world);
    const { items } = (await create(testsetId, fits, fits, fits)).body;
    const heard: string[][] = [];
    world.bus.subscribeInEveryProcess(
      `${world.config.SUBJECT_PREFIX}.event.testcases.testcasesDeleted`,
      (payload) => heard.push((payload as { testcaseIds: string[] }).testcaseIds),
    );
    const ids = [items[0].id, 'no id', nobody, items[2].id, items[0].id];
    expect((await world.request('POST', '/testcases/bulk-delete', { ids })).body).toEqual({
      success: true,
    });
    expect((await world.request('POST', '/testcases/bulk-delete', { ids })).body).toEqual({
      success: true,
    });
    expect((await list(testsetId)).body.data).toEqual([items[1]]);
    await poll('the announcement', () => heard.length > 0);
    expect(heard.map((deleted) => deleted.sort())).toEqual([[items[0].id, items[2].id].sort()]);
  });

  test("another organization's testcase answers exactly as one that does not exist", async () => {
    const testsetId = await createTestset(world);
    const { id } = (await create(testsetId, fits)).body.items[0];
    const as = { identity: { organizationId: nobody } };
    for (const [method, path, body] of [
      ['GET', `/testcases/${id}`, undefined],
      ['GET', `/testcases/${id}/data`, undefined],
      ['PUT', `/testcases/${id}`, { jsonData: fits }],
      ['GET', `/testsets/${testsetId}/testcases`, undefined],
      ['GET', `/testsets/${testsetId}/testcases?invalid=true&q=parcel`, undefined],
      ['POST', `/testsets/${testsetId}/check`, { jsonSchema: {} }],
      ['POST', `/testsets/${testsetId}/testcases`, { items: [{ jsonData: fits }] }],
      ['GET', `/testsets/${testsetId}/testcases/export`, undefined],
    ] as const) {
      const foreign = await world.request(method, path, body, as);
      const absent = await world.request(method, path.replace(/[0-9a-f-]{36}/, nobody), body);
      expect(foreign.status).toBe(404);
      expect(foreign.text.replaceAll(/[0-9a-f-]{36}/g, '')).toBe(
        absent.text.replaceAll(/[0-9a-f-]{36}/g, ''),
      );
    }
    await world.request('POST', '/testcases/bulk-delete', { ids: [id] }, as);
    expect((await world.request('GET', `/testcases/${id}`)).status).toBe(200);
  });
});

describe('lists', () => {
  test('a cursor whose testcase was deleted goes on at the next one', async () => {
    const testsetId = await createTestset(world);
    const { items } = (await create(testsetId, fits, fits, fits, fits)).body;
    const first = await list(testsetId, '?limit=2');
    await world.request('POST', '/testcases/bulk-delete', { ids: [items[1].id] });
    const rest = await list(testsetId, `?limit=2&cursor=${first.body.nextCursor}`);
    expect(rest.body).toEqual({ data: items.slice(2), nextCursor: null, hasMore: false });
  });

  test('a page of large testcases ends early, and its cursor leads to the rest', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const ids: string[] = [];
    for (let index = 0; index < 6; index++)
      ids.push((await create(testsetId, { blob: 'x'.repeat(4_000_000) })).body.items[0].id);
    const first = await list(testsetId, '?limit=100');
    expect(first.body.data).toHaveLength(5);
    const rest = await list(testsetId, `?limit=100&cursor=${first.body.nextCursor}`);
    expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(ids);
    expect(rest.body.hasMore).toBe(false);
  });
});

describe('deletion of a testset', () => {
  /** The data goes some minutes later; a process that starts then goes on with it. */
  async function removal(testsetId: string): Promise<void> {
    const database = await openDatabase({
      uri: world.config.MONGODB_URI,
      name: `${world.config.DATABASE_PREFIX}_testcases`,
    });
    const marks = database.collection<{ _id: string; deletedAt: Date }>('deletedTestsets');
    const before = new Date(Date.now() - 60 * 60_000);
    await poll(
      'the mark',
      async () =>
        (await marks.updateOne({ _id: testsetId }, { $set: { deletedAt: before } }))
          .matchedCount === 1,
    );
    const later = await start(world.config);
    await poll(
      'their removal',
      async () => (await ask().count(world.identity, { testsetId })).count === 0,
    );
    await later.stop();
    await database.close();
  }

  test('its testcases answer 404 at once, are none of the organization any more, and are removed later', async () => {
    const testsetId = await createTestset(world);
    const { items } = (await create(testsetId, ...Array(100).fill(fits))).body;
    await world.request('DELETE', `/testsets/${testsetId}`);
    const path = `/testcases/${items[0].id}`;
    expect((await world.request('GET', path)).body.details).toEqual({
      resource: 'testcase',
      id: items[0].id,
    });
    expect((await world.request('PUT', path, { jsonData: fits })).status).toBe(404);
    expect((await list(testsetId)).body.details).toEqual({ resource: 'testset', id: testsetId });
    const ids = items.map(({ id }: { id: string }) => id);
    await poll(
      'its event',
      async () => (await ask().existing(world.identity, { testsetId: null, ids })).ids.length === 0,
    );
    await removal(testsetId);
  });

  test('deleting the project takes the testcases of all its testsets along', async () => {
    const project = (await world.create('/projects', { name: 'p', description: '' })).id;
    const body = {
      name: 't',
      description: '',
      jsonSchema: {},
      fieldMapping: { inputs: [], expected: [], metadata: [] },
    };
    const testsetId = (await world.request('POST', `/projects/${project}/testsets`, body)).body.id;
    await create(testsetId, fits);
    await world.request('DELETE', `/projects/${project}`);
    expect((await list(testsetId)).status).toBe(404);
    await removal(testsetId);
  });
});

describe('questions', () => {
  test('which ids are testcases of a testset, or of the organization', async () => {
    const testsetId = await createTestset(world);
    const other = await createTestset(world);
    const mine = (await create(testsetId, fits)).body.items[0].id;
    const theirs = (await create(other, fits)).body.items[0].id;
    const ids = [mine, theirs, nobody, 'no id'];
    expect(await ask().existing(world.identity, { testsetId, ids })).toEqual({ ids: [mine] });
    expect((await ask().existing(world.identity, { testsetId: null, ids })).ids.sort()).toEqual(
      [mine, theirs].sort(),
    );
    const foreign = { ...world.identity, organizationId: nobody };
    expect(await ask().existing(foreign, { testsetId: null, ids })).toEqual({ ids: [] });
    expect(await ask().count(foreign, { testsetId })).toEqual({ count: 0 });
  });

  test('metadataAt tells what a pointer finds in the metadata of each testcase, also below a name that objects inherit', async () => {
    const testsetId = await createTestset(world);
    const created = await createRaw(
      testsetId,
      '{"question":"q","topic":12345678901234567891,"labels":{"a/b":["x", {"deep":true}]},"__proto__":{"toString":"own"}}',
    );
    const [{ id }] = created.body.items;
    const at = async (pointer: string) =>
      (await ask().metadataAt(world.identity, { testsetId, ids: [id], pointer })).values;
    expect(await at('/topic')).toEqual([{ id, value: '12345678901234567891' }]);
    expect(await at('/labels/a~1b/1')).toEqual([{ id, value: '{"deep":true}' }]);
    expect(await at('/__proto__/toString')).toEqual([{ id, value: '"own"' }]);
    for (const pointer of [
      '',
      '/toString',
      '/topic/toString',
      '/labels/a',
      '/labels/a~1b/9',
      '/labels/a~1b/01',
    ])
      expect(await at(pointer)).toEqual([{ id, value: null }]);
  });

  test('metadataAt finds nothing in inputs and expected, follows a change of the mapping, and gives a hash for a long text', async () => {
    const testsetId = await createTestset(world);
    const topic = 'x'.repeat(199);
    const [{ id }] = (await create(testsetId, { ...fits, topic })).body.items;
    const at = async (pointer: string) =>
      (await ask().metadataAt(world.identity, { testsetId, ids: [id], pointer })).values[0]!.value;
    expect([await at('/question'), await at('/idealAnswer')]).toEqual([null, null]);
    expect(await at('/topic')).toBe(createHash('sha256').update(`"${topic}"`).digest('hex'));
    await world.request('PATCH', `/testsets/${testsetId}`, {
      fieldMapping: { inputs: ['topic'], expected: [], metadata: [] },
    });
    expect([await at('/question'), await at('/topic')]).toEqual([`"${fits.question}"`, null]);
  });

  test('metadataAt answers for the testcases of that testset and that organization alone', async () => {
    const testsetId = await createTestset(world);
    const other = await createTestset(world);
    const [mine] = (await create(testsetId, fits)).body.items;
    const [theirs] = (await create(other, fits)).body.items;
    const question = { testsetId, ids: [theirs.id, mine.id, nobody], pointer: '/topic' };
    expect(await ask().metadataAt(world.identity, question)).toEqual({
      values: [{ id: mine.id, value: '"shipping"' }],
    });
    expect(await ask().metadataAt({ ...world.identity, organizationId: nobody }, question)).toEqual(
      { values: [] },
    );
    expect(await ask().metadataAt(world.identity, { ...question, testsetId: nobody })).toEqual({
      values: [],
    });
  });
});
