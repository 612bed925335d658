import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: start } });
});
afterAll(() => world.stop());

const viewsMax = 50;
const ada = { identity: { userId: 'ada' } };
const grace = { identity: { userId: 'grace' } };
const admin = { identity: { userId: 'grace', role: 'admin' as const } };

const newProject = async () =>
  (await world.create('/projects', { name: 'Support', description: '' })).id as string;
const nightly = { list: 'runs', name: 'Nightly', query: 'label=branch%3Amain&sort=mean' };
interface Who {
  identity: Record<string, unknown>;
}
const save = (projectId: string, body: object = {}, who: Who = ada) =>
  world.request('POST', `/projects/${projectId}/views`, { ...nightly, ...body }, who);
const namesFor = async (projectId: string, who: Who, query = '') => {
  const path = `/projects/${projectId}/views?limit=100${query}`;
  const { body } = await world.request('GET', path, undefined, who);
  return (body.data as { name: string }[]).map(({ name }) => name);
};
const issueOf = ({ body }: { body: { details: { issues: object[] } } }) => body.details.issues[0];

test('a view keeps its list, query and columns', async () => {
  const projectId = await newProject();
  const columns = {
    order: ['made', 'field /outputs/a.b'],
    hidden: ['$cost'],
    widths: [{ id: '__proto__', pixels: 200 }],
  };
  const created = await save(projectId, { columns });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    ...nightly,
    columns,
    id: expect.any(String),
    projectId,
    isShared: false,
    userId: 'ada',
    createdAt: expect.any(String),
  });
  const listed = await world.request('GET', `/projects/${projectId}/views`, undefined, ada);
  expect(listed.body.data).toEqual([created.body]);
});

test("a person's own view is neither seen nor touched by another, an admin included", async () => {
  const projectId = await newProject();
  const { id } = (await save(projectId)).body;
  for (const who of [grace, admin]) {
    expect(await namesFor(projectId, who)).toEqual([]);
    const renamed = await world.request('PATCH', `/views/${id}`, { name: 'Taken' }, who);
    expect(renamed.status).toBe(404);
    const shared = await world.request('PATCH', `/views/${id}`, { isShared: true }, who);
    expect(shared.status).toBe(404);
    expect((await world.request('DELETE', `/views/${id}`, undefined, who)).status).toBe(404);
  }
  expect(await namesFor(projectId, ada)).toEqual(['Nightly']);
});

test('a shared view is seen, renamed and deleted by every member', async () => {
  const projectId = await newProject();
  const { id } = (await save(projectId, { isShared: true })).body;
  expect(await namesFor(projectId, grace)).toEqual(['Nightly']);
  const renamed = await world.request('PATCH', `/views/${id}`, { name: 'Daily' }, grace);
  expect(renamed.body).toMatchObject({ name: 'Daily', query: nightly.query, isShared: true });
  expect((await world.request('DELETE', `/views/${id}`, undefined, grace)).status).toBe(200);
  expect(await namesFor(projectId, ada)).toEqual([]);
});

test('a view that is shared no longer becomes the own one of the person who changed that', async () => {
  const projectId = await newProject();
  const { id } = (await save(projectId, { isShared: true })).body;
  const changed = await world.request('PATCH', `/views/${id}`, { isShared: false }, grace);
  expect(changed.body).toMatchObject({ isShared: false, userId: 'grace' });
  expect(await namesFor(projectId, ada)).toEqual([]);
  expect(await namesFor(projectId, grace)).toEqual(['Nightly']);
});

test('a name is used once for each list, among the own views and among the shared ones', async () => {
  const projectId = await newProject();
  await save(projectId);
  const again = await save(projectId);
  expect(again.status).toBe(400);
  expect(issueOf(again)).toEqual({
    path: '/name',
    message: 'is the name of another view of this list',
  });
  for (const other of [{ list: 'traces' }, { isShared: true }])
    expect((await save(projectId, other)).status).toBe(201);
  expect((await save(projectId, {}, grace)).status).toBe(201);
  const other = (await save(projectId, { name: 'Daily' })).body;
  const renamed = await world.request('PATCH', `/views/${other.id}`, { name: 'Nightly' }, ada);
  expect(issueOf(renamed)).toMatchObject({ path: '/name' });
  const shared = await world.request('PATCH', `/views/${other.id}`, { isShared: true }, ada);
  expect(shared.status).toBe(200);
});

test('views are listed by their list', async () => {
  const projectId = await newProject();
  await save(projectId);
  await save(projectId, { list: 'traces', name: 'Slow' });
  expect(await namesFor(projectId, ada, '&list=traces')).toEqual(['Slow']);
});

test('views that are saved at once do not exceed what a person has, and leave room for others', async () => {
  const projectId = await newProject();
  const replies = await Promise.all(
    Array.from({ length: viewsMax + 5 }, (_, number) => save(projectId, { name: `${number}` })),
  );
  const statuses = replies.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(viewsMax);
  const refused = replies.find(({ status }) => status !== 201)!;
  expect(issueOf(refused)).toMatchObject({
    message: `would be more than the ${viewsMax} views that a person has in a project`,
  });
  expect((await save(projectId, {}, grace)).status).toBe(201);
  const shared = await save(projectId, { isShared: true });
  expect(shared.status).toBe(201);
  const moved = { isShared: false };
  const unshared = await world.request('PATCH', `/views/${shared.body.id}`, moved, ada);
  expect(unshared.status).toBe(400);
});

test('names, queries and columns have bounds, and hostile texts stay texts', async () => {
  const projectId = await newProject();
  for (const [change, path] of [
    [{ name: '' }, '/name'],
    [{ name: 'n'.repeat(101) }, '/name'],
    [{ name: '\ud800' }, '/name'],
    [{ query: 'q'.repeat(8001) }, '/query'],
    [{ list: 'secrets' }, '/list'],
    [
      { columns: { order: [], hidden: [], widths: [{ id: 'a', pixels: 0 }] } },
      '/columns/widths/0/pixels',
    ],
    [{ columns: { order: Array(201).fill('a'), hidden: [], widths: [] } }, '/columns/order'],
  ] as const)
    expect(issueOf(await save(projectId, change))).toMatchObject({ path });
  const large = { order: Array(100).fill('a'.repeat(1000)), hidden: [], widths: [] };
  expect((await save(projectId, { columns: large })).status).toBe(413);
  const name = '<img src=x onerror=alert(1)>\u202e$where {"$gt": ""}';
  const created = await save(projectId, { name, query: '{"$gt":""}&__proto__=1' });
  expect(created.body).toMatchObject({ name, query: '{"$gt":""}&__proto__=1' });
});

test("another organization's views answer exactly as those that do not exist", async () => {
  const projectId = await newProject();
  const { id } = (await save(projectId, { isShared: true })).body;
  const missing = '00000000-0000-7000-8000-000000000000';
  const other = { identity: { organizationId: missing, userId: 'ada' } };
  for (const [method, path, body] of [
    ['PATCH', `/views/${id}`, { name: 'Mine' }],
    ['DELETE', `/views/${id}`, undefined],
    ['GET', `/projects/${projectId}/views`, undefined],
    ['POST', `/projects/${projectId}/views`, nightly],
  ] as const) {
    const foreign = await world.request(method, path, body, other);
    const absent = await world.request(method, path.replace(/[\da-f-]{36}/, missing), body, ada);
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text.replace(missing, path.match(/[\da-f-]{36}/)![0]));
  }
});

test('the views of a project go with it', async () => {
  const projectId = await newProject();
  const { id } = (await save(projectId)).body;
  await world.request('DELETE', `/projects/${projectId}`);
  expect((await world.request('PATCH', `/views/${id}`, {}, ada)).status).toBe(404);
  expect((await save(projectId)).status).toBe(404);
});
