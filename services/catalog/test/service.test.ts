import { start as startTestcases } from '@assay/testcases/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: start, testcases: startTestcases } });
});
afterAll(() => world.stop());

const jsonSchema = {
  type: 'object',
  properties: {
    question: { type: 'string' },
    answer: { type: 'string' },
    topic: { type: 'string' },
  },
};
const fieldMapping = { inputs: ['question'], expected: ['answer'], metadata: [] };
const newProject = async () =>
  (await world.create('/projects', { name: 'Support', description: '' })).id as string;
const newTestset = async (projectId: string, change = {}) =>
  (
    await world.request('POST', `/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema,
      fieldMapping,
      ...change,
    })
  ).body;

describe('projects', () => {
  test('a project that was created is read, changed and deleted', async () => {
    const created = await world.request('POST', '/projects', {
      name: 'Support',
      description: 'bot',
      other: 1,
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.any(String), name: 'Support', description: 'bot' });
    const path = `/projects/${created.body.id}`;
    expect((await world.request('GET', path)).body).toEqual(created.body);
    expect((await world.request('PATCH', path, { name: 'Help' })).body).toEqual({
      ...created.body,
      name: 'Help',
    });
    expect((await world.request('PATCH', path, {})).body.name).toBe('Help');
    expect((await world.request('DELETE', path)).body).toEqual({ success: true });
    expect((await world.request('GET', path)).status).toBe(404);
    expect((await world.request('DELETE', path)).status).toBe(404);
  });

  test('the days for which a project keeps traces are its own, until null takes them away', async () => {
    const created = await world.create('/projects', {
      name: 'Support',
      description: '',
      traceRetentionDays: 7,
    });
    const path = `/projects/${created.id}`;
    expect((await world.request('GET', path)).body.traceRetentionDays).toBe(7);
    await world.request('PATCH', path, { name: 'Help' });
    expect((await world.request('GET', path)).body.traceRetentionDays).toBe(7);
    expect((await world.request('PATCH', path, { traceRetentionDays: 0 })).body).toMatchObject({
      traceRetentionDays: 0,
    });
    const without = await world.request('PATCH', path, { traceRetentionDays: null });
    expect(without.body).toEqual({ id: created.id, name: 'Help', description: '' });
    for (const traceRetentionDays of [-1, 0.5, 36_501])
      expect((await world.request('PATCH', path, { traceRetentionDays })).body).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { issues: [{ path: '/traceRetentionDays' }] },
      });
  });

  test('the days for which a project keeps runs are its own, until null takes them away', async () => {
    const created = await world.create('/projects', {
      name: 'Support',
      description: '',
      runRetentionDays: 90,
    });
    const path = `/projects/${created.id}`;
    await world.request('PATCH', path, { name: 'Help', traceRetentionDays: 7 });
    expect((await world.request('GET', path)).body).toMatchObject({
      runRetentionDays: 90,
      traceRetentionDays: 7,
    });
    const without = await world.request('PATCH', path, { runRetentionDays: null });
    expect(without.body).toEqual({
      id: created.id,
      name: 'Help',
      description: '',
      traceRetentionDays: 7,
    });
    for (const runRetentionDays of [0, 0.5, 36_501])
      expect((await world.request('PATCH', path, { runRetentionDays })).body).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { issues: [{ path: '/runRetentionDays' }] },
      });
  });

  test("another organization's project answers exactly as one that does not exist", async () => {
    const id = await newProject();
    const missing = '00000000-0000-7000-8000-000000000000';
    const foreign = await world.request('GET', `/projects/${id}`, undefined, {
      identity: { organizationId: missing },
    });
    const absent = await world.request('GET', `/projects/${missing}`);
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text.replace(missing, id));
  });

  test('the bound of a mapping counts the keys that were sent, repeats included', async () => {
    const projectId = await newProject();
    const repeated = { inputs: Array(5001).fill('question'), expected: [], metadata: [] };
    const body = { name: 'Questions', description: '', jsonSchema, fieldMapping: repeated };
    const reply = await world.request('POST', `/projects/${projectId}/testsets`, body);
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues).toEqual([
      { path: '/fieldMapping/inputs', message: 'must have at most 5000 items' },
    ]);
  });

  test('the duplicate of a testset with the longest name has a name that is not too long', async () => {
    const project = await world.create('/projects', { name: 'p', description: '' });
    const fieldMapping = { inputs: [], expected: [], metadata: [] };
    const body = {
      name: '\u{1f680}'.repeat(256),
      description: '',
      jsonSchema: { type: 'object' },
      fieldMapping,
    };
    const testset = (await world.request('POST', `/projects/${project.id}/testsets`, body)).body;
    const duplicate = await world.request('POST', `/testsets/${testset.id}/duplicate`, {});
    expect([duplicate.status, duplicate.body.name]).toEqual([
      201,
      `${'\u{1f680}'.repeat(249)} (copy)`,
    ]);
  });

  test('a name may have 256 characters, of which an emoji is one, as the API document says', async () => {
    const nameOf = (count: number) => ({ name: '\u{1f680}'.repeat(count), description: '' });
    const created = await world.request('POST', '/projects', nameOf(256));
    expect([created.status, created.body.name]).toEqual([201, nameOf(256).name]);
    const refused = await world.request('POST', '/projects', nameOf(257));
    expect([refused.status, refused.body.details.issues]).toEqual([
      400,
      [{ path: '/name', message: 'must have at most 256 characters' }],
    ]);
  });

  test('every problem of a body is told with its place', async () => {
    const reply = await world.request('POST', '/projects', { name: '', description: 7 });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      code: 'VALIDATION_ERROR',
      message: '/name must have at least 1 character (and 1 more problem).',
      details: {
        issues: [
          { path: '/name', message: 'must have at least 1 character' },
          { path: '/description', message: 'must be a string, but it is a number' },
        ],
      },
    });
    expect((await world.request('POST', '/projects', {})).body.details.issues[0]).toEqual({
      path: '/name',
      message: 'is required',
    });
  });

  test('deleting a project takes its testsets along at once', async () => {
    const id = await newProject();
    const testset = await newTestset(id);
    await world.request('DELETE', `/projects/${id}`);
    expect((await world.request('GET', `/testsets/${testset.id}`)).status).toBe(404);
    expect((await world.request('GET', `/projects/${id}/testsets`)).status).toBe(404);
  });
});

describe('testsets', () => {
  test('schema keys without a role come back under metadata, in schema order, after those sent', async () => {
    const projectId = await newProject();
    const schema = '{"type":"object","properties":{"b":{},"10":{},"2":{},"a":{},"question":{}}}';
    const raw = `{"name":"t","description":"","jsonSchema":${schema},"fieldMapping":{"inputs":["question"],"expected":[],"metadata":["a"]}}`;
    const reply = await world.request('POST', `/projects/${projectId}/testsets`, undefined, {
      raw,
    });
    expect(reply.status).toBe(201);
    expect(reply.body.fieldMapping.metadata).toEqual(['a', 'b', '10', '2']);
    expect(reply.text).toContain(schema);
  });

  test('a new schema without a mapping takes removed keys out and adds none', async () => {
    const testset = await newTestset(await newProject(), {
      fieldMapping: { inputs: ['question'], expected: ['answer', 'elsewhere'], metadata: [] },
    });
    const reply = await world.request('PATCH', `/testsets/${testset.id}`, {
      jsonSchema: { properties: { question: {}, extra: {} } },
    });
    expect(reply.body.fieldMapping).toEqual({
      inputs: ['question'],
      expected: ['elsewhere'],
      metadata: [],
    });
  });

  test('a mapping that is sent is used as it is; name and description change nothing else', async () => {
    const testset = await newTestset(await newProject());
    const mapping = { inputs: [], expected: ['question'], metadata: [] };
    expect(
      (await world.request('PATCH', `/testsets/${testset.id}`, { fieldMapping: mapping })).body
        .fieldMapping,
    ).toEqual(mapping);
    const renamed = await world.request('PATCH', `/testsets/${testset.id}`, {
      name: 'Other',
      description: 'x',
    });
    expect(renamed.body).toEqual({
      ...testset,
      name: 'Other',
      description: 'x',
      fieldMapping: mapping,
    });
  });

  test('a key in two roles is refused with its place', async () => {
    const projectId = await newProject();
    const body = {
      name: 't',
      description: '',
      jsonSchema,
      fieldMapping: { inputs: ['question'], expected: ['question'], metadata: [] },
    };
    const reply = await world.request('POST', `/projects/${projectId}/testsets`, body);
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues).toEqual([
      { path: '/fieldMapping/expected/0', message: '"question" is listed under inputs already' },
    ]);
  });

  test('what is no JSON Schema is refused with its place', async () => {
    const projectId = await newProject();
    const body = {
      name: 't',
      description: '',
      jsonSchema: { properties: { a: { type: 'strng' } } },
      fieldMapping,
    };
    const reply = await world.request('POST', `/projects/${projectId}/testsets`, body);
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues[0].path).toBe('/jsonSchema/properties/a/type');
  });

  test('the catalog says "unchanged" to an asker that holds the current version', async () => {
    const testset = await newTestset(await newProject());
    const ask = world.bus.asks((await import('@assay/contracts/catalog')).catalog);
    const found = await ask.catalog.testset(world.identity, { testsetId: testset.id });
    expect(found).toMatchObject({ outcome: 'found', testset: { version: 1 } });
    expect(
      await ask.catalog.testset(world.identity, { testsetId: testset.id, knownVersion: 1 }),
    ).toEqual({ outcome: 'unchanged' });
    await world.request('PATCH', `/testsets/${testset.id}`, { jsonSchema });
    expect(
      await ask.catalog.testset(world.identity, { testsetId: testset.id, knownVersion: 1 }),
    ).toMatchObject({
      testset: { version: 2 },
    });
  });
});

describe('duplication', () => {
  const dataOf = async (testsetId: string): Promise<object[]> => {
    const { data } = (await world.request('GET', `/testsets/${testsetId}/testcases?limit=100`))
      .body;
    return data.map(({ jsonData }: { jsonData: object }) => jsonData);
  };

  test('a duplicate has the definition and copies of the testcases, in order; the copies are independent', async () => {
    const original = await newTestset(await newProject());
    const path = `/testsets/${original.id}/testcases`;
    const data = Array.from({ length: 50 }, (_, index) => ({ question: `Question ${index}` }));
    const { items } = (
      await world.request('POST', path, { items: data.map((jsonData) => ({ jsonData })) })
    ).body;
    const copy = await world.request('POST', `/testsets/${original.id}/duplicate`);
    expect(copy.status).toBe(201);
    expect(copy.body).toEqual({ ...original, id: expect.any(String), name: 'Questions (copy)' });
    expect(await dataOf(copy.body.id)).toEqual(data);

    await world.request('PUT', `/testcases/${items[0].id}`, { jsonData: { question: 'Other' } });
    await world.request('POST', '/testcases/bulk-delete', { ids: [items[1].id] });
    await world.request('PATCH', `/testsets/${original.id}`, { jsonSchema: {}, name: 'Changed' });
    expect(await dataOf(copy.body.id)).toEqual(data);
    expect((await world.request('GET', `/testsets/${copy.body.id}`)).body).toEqual(copy.body);

    await world.request('DELETE', `/testsets/${original.id}`);
    expect(await dataOf(copy.body.id)).toEqual(data);
  });

  test('a duplicate takes the name that is given, and nothing is duplicated from what is not there', async () => {
    const original = await newTestset(await newProject());
    expect(
      (await world.request('POST', `/testsets/${original.id}/duplicate`, { name: 'Mine' })).body
        .name,
    ).toBe('Mine');
    expect((await world.request('POST', `/testsets/${await newProject()}/duplicate`)).status).toBe(
      404,
    );
  });
});

describe('lists', () => {
  test('a walk under inserts and deletes shows every item that was there throughout exactly once', async () => {
    const organizationId = '00000000-0000-7000-8000-00000000000a';
    const as = { identity: { organizationId } };
    const create = async () =>
      (await world.request('POST', '/projects', { name: 'p', description: '' }, as)).body
        .id as string;
    const ids = [];
    for (let index = 0; index < 7; index++) ids.push(await create());
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await world.request(
        'GET',
        `/projects?limit=2${cursor && `&cursor=${cursor}`}`,
        undefined,
        as,
      );
      seen.push(...page.body.data.map(({ id }: { id: string }) => id));
      if (seen.length === 2) await world.request('DELETE', `/projects/${ids[1]}`, undefined, as);
      await create();
      cursor = seen.length > 20 ? null : page.body.nextCursor;
      expect(page.body.hasMore).toBe(page.body.nextCursor !== null);
    }
    expect(seen.slice(0, 7)).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('a cursor is good for its own list, filters and organization alone, and a limit is from 1 to 100', async () => {
    await newProject();
    const projectId = await newProject();
    await newTestset(projectId);
    await newTestset(projectId);
    const { nextCursor } = (await world.request('GET', '/projects?limit=1')).body;
    expect(
      (await world.request('GET', `/projects/${projectId}/testsets?cursor=${nextCursor}`)).status,
    ).toBe(400);
    const foreign = await world.request('GET', `/projects?cursor=${nextCursor}`, undefined, {
      identity: { organizationId: projectId },
    });
    expect(foreign.body.details.issues).toEqual([
      { path: '?cursor', message: 'must be a nextCursor of this same list' },
    ]);
    for (const limit of ['0', '101', '1.5', 'x', ''])
      expect((await world.request('GET', `/projects?limit=${limit}`)).status).toBe(400);
  });
});

describe('idempotency', () => {
  const post = (key: string, body: object) =>
    world.request('POST', '/projects', body, { headers: { 'idempotency-key': key } });

  test('a repeat with the same key and body gives the first answer and makes nothing', async () => {
    const first = await post('a', { name: 'once', description: '' });
    const again = await post('a', { name: 'once', description: '' });
    expect(again.text).toBe(first.text);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await post('a', { name: 'other', description: '' })).status).toBe(409);
  });

  test('repeats at the same time make one resource, and all get its answer', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => post('race', { name: 'race', description: '' })),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201));
  });

  test('a failure is not remembered, and an empty key is refused', async () => {
    expect((await post('late', { name: 7 })).status).toBe(400);
    expect((await post('late', { name: 'x', description: '' })).status).toBe(201);
    expect((await post('', { name: 'x', description: '' })).status).toBe(400);
  });
});

describe('bodies', () => {
  test('what is no JSON, no UTF-8 or empty is malformed; another type is unsupported; too large is told with the limit', async () => {
    const send = (raw: string | Uint8Array, type = 'application/json') =>
      world.request('POST', '/projects', undefined, { raw, headers: { 'content-type': type } });
    expect((await send('{')).body.code).toBe('MALFORMED_JSON');
    expect((await send('')).body.code).toBe('MALFORMED_JSON');
    expect((await send(new Uint8Array([0x22, 0xff, 0x22]))).body.code).toBe('MALFORMED_JSON');
    expect((await send('a', 'text/plain')).status).toBe(415);
    expect((await send('[]')).body.code).toBe('VALIDATION_ERROR');
    expect(
      (await send(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`)).body.details.issues[0].message,
    ).toBe('is nested deeper than 512 levels');
    const large = await send(`"${'x'.repeat(1024 * 1024)}"`);
    expect(large.status).toBe(413);
    expect(large.body.details).toEqual({ limitBytes: 1024 * 1024 });
    expect((await send('{"name":"\\ud800","description":""}')).status).toBe(400);
  });

  test('a request that the gateway did not sign is refused', async () => {
    const reply = await fetch(`${world.urls.catalog}/projects`, {
      headers: { 'x-assay-identity': 'e30.AAAA' },
    });
    expect(reply.status).toBe(401);
  });
});
