import { start as startCatalog } from '@assay/catalog/service';
import { systems } from '@assay/contracts/systems';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, systems: start } });
});
afterAll(() => world.stop());

const absent = '00000000-0000-7000-8000-000000000000';
const newProject = async () =>
  (await world.create('/projects', { name: 'Support', description: '' })).id as string;
const upsert = (projectId: string, body: object) =>
  world.request('POST', `/projects/${projectId}/systems`, body);
const newSystem = async (projectId: string, change = {}) =>
  (await upsert(projectId, { name: 'Bot', config: { model: 'a' }, ...change })).body;
const upsertVersion = (systemId: string, body: object) =>
  world.request('POST', `/systems/${systemId}/versions`, body);
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe('a system', () => {
  test('is made with its defaults and its first version in production', async () => {
    const projectId = await newProject();
    const reply = await upsert(projectId, { config: { model: 'a' } });
    expect(reply.status).toBe(201);
    const { productionVersion } = reply.body;
    expect(reply.body).toEqual({
      id: expect.any(String),
      name: 'Default system',
      description: '',
      productionVersion: {
        id: expect.any(String),
        systemId: reply.body.id,
        name: 'Version 1',
        config: { model: 'a' },
      },
      versions: [{ id: productionVersion.id, name: 'Version 1' }],
    });
    expect((await world.request('GET', `/systems/${reply.body.id}`)).text).toBe(reply.text);
    expect((await world.request('GET', `/systems/versions/${productionVersion.id}`)).body).toEqual(
      productionVersion,
    );
  });

  test('of a name that is there is updated: description if given, the config in production, and versions grow when it is new', async () => {
    const projectId = await newProject();
    const first = await newSystem(projectId, { description: 'old' });
    const second = await upsert(projectId, { name: 'Bot', config: { model: 'b' } });
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({
      id: first.id,
      description: 'old',
      productionVersion: { name: 'Version 2', config: { model: 'b' } },
    });
    expect(second.body.versions.map(({ name }: { name: string }) => name)).toEqual([
      'Version 1',
      'Version 2',
    ]);
    const back = await upsert(projectId, { name: 'Bot', config: { model: 'a' }, description: '' });
    expect(back.body).toEqual({ ...first, description: '', versions: second.body.versions });
    expect((await upsert(projectId, { name: 'Bot', config: { model: 'a' } })).text).toBe(back.text);
  });

  test('posted by many at once under one name is made once, and every config has one version', async () => {
    const projectId = await newProject();
    const replies = await times(8, (index) =>
      upsert(projectId, { name: 'race', config: { model: index % 2 } }),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    const { versions } = (await world.request('GET', `/systems/${replies[0]!.body.id}`)).body;
    expect(versions.map(({ name }: { name: string }) => name)).toEqual(['Version 1', 'Version 2']);
  });

  test('posted at once under different names by different Idempotency-Keys is made for each', async () => {
    const projectId = await newProject();
    const replies = await times(6, (index) =>
      world.request(
        'POST',
        `/projects/${projectId}/systems`,
        { name: `s${index}`, config: {} },
        { headers: { 'idempotency-key': `k${index}` } },
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(201));
    const again = await world.request(
      'POST',
      `/projects/${projectId}/systems`,
      { name: 's3', config: {} },
      { headers: { 'idempotency-key': 'k3' } },
    );
    expect([again.status, again.text]).toEqual([201, replies[3]!.text]);
  });

  test('is listed oldest first, with its versions', async () => {
    const projectId = await newProject();
    const made = [];
    for (const name of ['c', 'a', 'b']) made.push(await newSystem(projectId, { name }));
    expect((await world.request('GET', `/projects/${projectId}/systems`)).body).toEqual({
      data: made,
      nextCursor: null,
      hasMore: false,
    });
    const page = (await world.request('GET', `/projects/${projectId}/systems?limit=2`)).body;
    expect(page.hasMore).toBe(true);
    const rest = await world.request(
      'GET',
      `/projects/${projectId}/systems?limit=2&cursor=${page.nextCursor}`,
    );
    expect([...page.data, ...rest.body.data]).toEqual(made);
  });

  test('changes name, description and production version', async () => {
    const system = await newSystem(await newProject());
    const version = (await upsertVersion(system.id, { config: { model: 'b' } })).body;
    const change = { name: 'Help', description: 'x', productionVersionId: version.id };
    const changed = await world.request('PATCH', `/systems/${system.id}`, change);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      id: system.id,
      name: 'Help',
      description: 'x',
      productionVersion: version,
    });
    expect((await world.request('PATCH', `/systems/${system.id}`, {})).text).toBe(changed.text);
  });

  test('cannot have a version of another system, or none, in production', async () => {
    const projectId = await newProject();
    const system = await newSystem(projectId);
    const other = await newSystem(projectId, { name: 'Other' });
    for (const productionVersionId of [other.productionVersion.id, absent, 'x', '']) {
      const reply = await world.request('PATCH', `/systems/${system.id}`, {
        productionVersionId,
        name: 'never',
      });
      expect(reply.status).toBe(400);
      expect(reply.body.details.issues).toEqual([
        { path: '/productionVersionId', message: 'must be a version of this system' },
      ]);
    }
    expect((await world.request('GET', `/systems/${system.id}`)).body).toEqual(system);
  });

  test('has a name of its own in the project, its own name included, and other projects do not count', async () => {
    const projectId = await newProject();
    const system = await newSystem(projectId);
    await newSystem(projectId, { name: 'Taken' });
    await newSystem(await newProject(), { name: 'Free' });
    const taken = await world.request('PATCH', `/systems/${system.id}`, { name: 'Taken' });
    expect([taken.status, taken.body.code, taken.headers.get('x-should-retry')]).toEqual([
      409,
      'CONFLICT',
      'false',
    ]);
    expect((await world.request('PATCH', `/systems/${system.id}`, { name: 'Bot' })).status).toBe(
      200,
    );
    expect((await world.request('PATCH', `/systems/${system.id}`, { name: 'Free' })).status).toBe(
      200,
    );
  });

  test('renamed at once with others to one name: one has it, the others are in conflict', async () => {
    const projectId = await newProject();
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await newSystem(projectId, { name }));
    const replies = await Promise.all(
      made.map(({ id }) => world.request('PATCH', `/systems/${id}`, { name: 'one' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test('that is deleted leaves its name free and its versions to read', async () => {
    const projectId = await newProject();
    const system = await newSystem(projectId);
    expect((await world.request('DELETE', `/systems/${system.id}`)).body).toEqual({
      success: true,
    });
    for (const method of ['GET', 'DELETE'])
      expect((await world.request(method, `/systems/${system.id}`)).status).toBe(404);
    expect((await upsertVersion(system.id, { config: { model: 'a' } })).status).toBe(404);
    expect(
      (await world.request('GET', `/systems/versions/${system.productionVersion.id}`)).body,
    ).toEqual(system.productionVersion);
    const again = await upsert(projectId, { name: 'Bot', config: { model: 'a' } });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(system.id);
    expect(again.body.productionVersion.id).not.toBe(system.productionVersion.id);
  });
});

describe('a system version', () => {
  test('of a config that is there is that version, whatever the order of keys and the form of numbers', async () => {
    const { id } = await newSystem(await newProject());
    const send = (raw: string) =>
      world.request('POST', `/systems/${id}/versions`, undefined, { raw });
    const first = await send('{"config":{"a":1,"b":{"c":[1.50,2],"d":"é"}}}');
    expect(first.status).toBe(200);
    const same = await send('{"config": {"b":{"d":"\\u00e9","c":[15e-1,2.0]}, "a":1e0}}');
    expect(same.text).toBe(first.text);
    expect((await send('{"config":{"a":1,"b":{"c":[2,1.5],"d":"é"}}}')).body.id).not.toBe(
      first.body.id,
    );
  });

  test('is renamed when a name is given with its config, and production does not move', async () => {
    const system = await newSystem(await newProject());
    const version = (await upsertVersion(system.id, { config: { model: 'b' }, name: 'spring' }))
      .body;
    expect(version.name).toBe('spring');
    expect((await upsertVersion(system.id, { config: { model: 'b' } })).body).toEqual(version);
    expect(
      (await upsertVersion(system.id, { config: { model: 'b' }, name: 'summer' })).body,
    ).toEqual({ ...version, name: 'summer' });
    const { productionVersion, versions } = (await world.request('GET', `/systems/${system.id}`))
      .body;
    expect(productionVersion).toEqual(system.productionVersion);
    expect(versions).toEqual([...system.versions, { id: version.id, name: 'summer' }]);
  });

  test('without a name gets one that no other of its system has; names that clients give may repeat', async () => {
    const { id } = await newSystem(await newProject());
    for (const [config, name] of [
      [1, 'Version 4'],
      [2, 'Version 4'],
    ] as const)
      await upsertVersion(id, { config: { config }, name });
    expect((await upsertVersion(id, { config: { config: 3 } })).body.name).toBe('Version 5');
    expect((await upsertVersion(id, { config: { config: 4 } })).body.name).toBe('Version 6');
  });

  test('upserted by ten clients at once is made once, and all get it', async () => {
    const { id } = await newSystem(await newProject());
    const replies = await times(10, () => upsertVersion(id, { config: { same: true } }));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  test('made at once with others of different configs has a name of its own', async () => {
    const { id } = await newSystem(await newProject());
    const replies = await times(8, (index) => upsertVersion(id, { config: { index } }));
    const names = replies.map(({ body }) => body.name);
    expect(names.sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((number) => `Version ${number}`));
  });

  test('gives back the text of its config: digits beyond a double, escapes, inherited names, key order and NUL', async () => {
    const projectId = await newProject();
    const config =
      '{ "z":12345678901234567890.123456789012345678901, "__proto__":{"toString":1e999}, "constructor":"\\u0000\\ud800", "$a.b":1.0, "1":[ ] }';
    const made = await world.request('POST', `/projects/${projectId}/systems`, undefined, {
      raw: `{"config":${config}}`,
    });
    expect(made.status).toBe(201);
    expect(made.text).toContain(`"config":${config}}`);
    const read = await world.request('GET', `/systems/versions/${made.body.productionVersion.id}`);
    expect(read.text).toContain(`"config":${config}}`);
    expect((await world.request('GET', `/projects/${projectId}/systems`)).text).toContain(
      `"config":${config}}`,
    );
  });

  test('takes a config of nearly the whole body, and no other value than an object', async () => {
    const { id } = await newSystem(await newProject());
    const config = { numbers: Array(500_000).fill(1) };
    const version = (await upsertVersion(id, { config })).body;
    expect((await world.request('GET', `/systems/versions/${version.id}`)).body.config).toEqual(
      config,
    );
    for (const other of [[], null, 'x', 1]) {
      const reply = await upsertVersion(id, { config: other });
      expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, '/config']);
    }
    expect((await upsertVersion(id, { config: {}, name: '' })).body.details.issues[0].path).toBe(
      '/name',
    );
  });
});

describe('belonging', () => {
  test("another organization's systems and versions answer exactly as what does not exist", async () => {
    const projectId = await newProject();
    const system = await newSystem(projectId);
    const as = { identity: { organizationId: absent } };
    const calls = [
      ['GET', (id: string) => `/systems/${id}`, system.id],
      ['PATCH', (id: string) => `/systems/${id}`, system.id, { name: 'x' }],
      ['DELETE', (id: string) => `/systems/${id}`, system.id],
      ['POST', (id: string) => `/systems/${id}/versions`, system.id, { config: {} }],
      ['GET', (id: string) => `/systems/versions/${id}`, system.productionVersion.id],
      ['GET', (id: string) => `/projects/${id}/systems`, projectId],
      ['POST', (id: string) => `/projects/${id}/systems`, projectId, { config: {} }],
    ] as const;
    for (const [method, path, id, body] of calls) {
      const foreign = await world.request(method, path(id), body, as);
      const missing = await world.request(method, path(absent), body);
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe(missing.text.replace(absent, id));
    }
    expect((await world.request('GET', `/systems/${system.id}`)).body).toEqual(system);
  });

  test('other services are told the project of a version, and nothing of a foreign one', async () => {
    const projectId = await newProject();
    const { id, productionVersion } = await newSystem(projectId);
    const ask = world.bus.asks(systems).systems;
    const question = { systemVersionId: productionVersion.id };
    expect(await ask.systemVersion(world.identity, question)).toEqual({
      outcome: 'found',
      systemId: id,
      projectId,
      name: 'Version 1',
    });
    expect(
      await ask.systemVersion({ ...world.identity, organizationId: absent }, question),
    ).toEqual({ outcome: 'missing' });
    expect(await ask.systemVersion(world.identity, { systemVersionId: 'x' })).toEqual({
      outcome: 'missing',
    });
  });

  test('a deleted project takes its systems and their versions along at once, deleted systems too', async () => {
    const projectId = await newProject();
    const system = await newSystem(projectId);
    const deleted = await newSystem(projectId, { name: 'Deleted' });
    await world.request('DELETE', `/systems/${deleted.id}`);
    await world.request('DELETE', `/projects/${projectId}`);
    for (const path of [
      `/systems/${system.id}`,
      `/systems/versions/${system.productionVersion.id}`,
      `/systems/versions/${deleted.productionVersion.id}`,
      `/projects/${projectId}/systems`,
    ])
      expect((await world.request('GET', path)).status).toBe(404);
    expect((await upsert(projectId, { config: {} })).status).toBe(404);
  });

  test('systems that are made while their project is forgotten are gone afterwards, and none can be made', async () => {
    const projectId = await newProject();
    const ask = world.bus.asks(systems).systems;
    const creations = times(6, (index) =>
      upsert(projectId, { name: `s${index}`, config: { index } }),
    );
    const forgotten = ask.forgetProject(world.identity, { projectId });
    const [replies] = await Promise.all([creations, forgotten]);
    for (const { status, body } of replies) {
      expect([201, 404]).toContain(status);
      if (status === 201)
        expect((await world.request('GET', `/systems/${body.id}`)).status).toBe(404);
    }
    expect((await upsert(projectId, { name: 'late', config: {} })).status).toBe(404);
    expect((await world.request('GET', `/projects/${projectId}/systems`)).body.data).toEqual([]);
  });

  test('a project that was deleted while the service was down is forgotten when it is up again', async () => {
    await using parts = await startWorld({ services: { catalog: startCatalog } });
    const before = await start(parts.config);
    parts.urls.systems = before.url;
    const projectId = (await parts.request('POST', '/projects', { name: 'p', description: '' }))
      .body.id;
    const system = (await parts.request('POST', `/projects/${projectId}/systems`, { config: {} }))
      .body;
    await before.stop();
    expect((await parts.request('DELETE', `/projects/${projectId}`)).status).toBe(200);
    const after = await start(parts.config);
    parts.urls.systems = after.url;
    await poll(
      'the system is gone',
      async () => (await parts.request('GET', `/systems/${system.id}`)).status === 404,
    );
    await after.stop();
  });
});

test('simulating an agent is a thing of the past', async () => {
  const reply = await world.request('POST', '/agents/anything/simulate', { any: 1 });
  expect([reply.status, reply.body.code]).toEqual([410, 'GONE']);
});
