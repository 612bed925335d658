import { contracts } from '@assay/contracts/all';
import type { List, Operation } from '@assay/contracts/define';
import { exampleIds } from '@assay/contracts/examples';
import { type ProfiledCommand, profileCommands } from '@assay/testing/profiled-commands';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createExamples } from '../../gateway/src/openapi/examples.ts';
import { type Call, callAt, type Installation, startInstallation } from './installation.ts';
import { createTenant, type Ids, kindOf, type Tenant } from './tenant.ts';

/**
 * Two organizations with one of everything each. The second one asks with every id of the first,
 * and learns no more than of an id that nobody has.
 */
let assay: Installation;
let profiled: () => Promise<ProfiledCommand[]>;
let owner: Tenant;
let stranger: Tenant;
let before: string[];

const nobodys = '00000000-0000-7000-8000-000000000000';
const examples = createExamples(contracts);
const operations: [string, Operation | List][] = contracts
  .flatMap(({ operations }) => Object.entries(operations))
  .filter(
    ([, { access = 'member', base }]) =>
      ['member', 'admin', 'anyone'].includes(access) && base === undefined,
  );

beforeAll(async () => {
  assay = await startInstallation();
  const { key } = await assay.newOrganization('Stranger');
  profiled = await profileCommands(assay.config.MONGODB_URI, assay.config.DATABASE_PREFIX);
  owner = await createTenant(assay.call);
  stranger = await createTenant(callAt(assay.url, key));
  before = await owner.everything();
});
afterAll(() => assay.stop());

const allNobodys = () =>
  Object.fromEntries(Object.keys(exampleIds).map((name) => [name, nobodys])) as Ids;

/** What stands in a path for a parameter that is no id. */
const wordOf = (schema: z.ZodType | undefined): string | undefined =>
  schema && (schema instanceof z.ZodEnum ? String(schema.options[0]) : 'text');

/** The operation with its example, in which every id stands for one of `ids`. */
function requestOf(definition: Operation, ids: { path: Ids; rest: Ids }) {
  const replaced = (text: string) =>
    Object.entries(exampleIds).reduce(
      (result, [kind, id]) => result.replaceAll(id, ids.rest[kind as keyof Ids]),
      text,
    );
  const path = definition.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const sent = ids.path[kindOf(name)] ?? wordOf(definition.params?.[name]);
    if (sent === undefined) throw new Error(`no id is known for :${name}`);
    return sent;
  });
  const named = Object.keys(definition.query?.shape ?? {}).filter((name) => name.endsWith('Id'));
  // A filter may need the one beside it in the example.
  const query = new URLSearchParams({
    ...definition.example?.query,
    ...Object.fromEntries(named.map((name) => [name, ids.rest[kindOf(name)]])),
  }).toString();
  const streams = definition.streams?.[0];
  const body = streams
    ? examples.streamedBody(definition)(streams)
    : definition.body && JSON.stringify(examples.body(definition));
  return {
    path: query === '' ? path : `${path}?${replaced(query)}`,
    raw: typeof body === 'string' ? replaced(body) : undefined,
    type: streams ?? 'application/json',
    names: (typeof body === 'string' && replaced(body) !== body) || named.length > 0,
  };
}

async function ask(call: Call, definition: Operation, ids: { path: Ids; rest: Ids }, hidden: Ids) {
  const { path, raw, type } = requestOf(definition, ids);
  const headers: Record<string, string> = raw === undefined ? {} : { 'content-type': type };
  const reply = await call(definition.method, path, undefined, {
    ...(raw === undefined ? {} : { raw }),
    headers,
  });
  const text = Object.values(hidden).reduce(
    (result, id) => result.replaceAll(id, '<id>'),
    reply.text,
  );
  return { status: reply.status, text };
}

describe.each(
  operations.filter(([, { path, params }]) => /:\w+Id/.test(path) && !params?.sessionId),
)('%s', (_name, definition) => {
  test("another organization's id in the path answers as one that nobody has", async () => {
    const foreign = await ask(
      stranger.call,
      definition,
      { path: owner.ids, rest: stranger.ids },
      owner.ids,
    );
    const absent = await ask(
      stranger.call,
      definition,
      { path: allNobodys(), rest: stranger.ids },
      allNobodys(),
    );
    expect(foreign).toEqual(absent);
    expect(foreign.status).toBe(definition.failures?.includes('GONE') ? 410 : 404);
  });
});

describe.each(
  operations.filter(
    ([, definition]) => requestOf(definition, { path: allNobodys(), rest: allNobodys() }).names,
  ),
)('%s', (_name, definition) => {
  test("another organization's id in the body or the query answers as one that nobody has", async () => {
    const foreign = await ask(
      stranger.call,
      definition,
      { path: stranger.ids, rest: owner.ids },
      owner.ids,
    );
    const absent = await ask(
      stranger.call,
      definition,
      { path: stranger.ids, rest: allNobodys() },
      allNobodys(),
    );
    expect(withoutNew(foreign)).toEqual(withoutNew(absent));
  });
});

/** What an operation makes of its own accord differs from call to call. */
const withoutNew = ({ status, text }: { status: number; text: string }) => ({
  status,
  text: text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<new>')
    .replaceAll('<id>', '<new>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<now>'),
});

describe('lists', () => {
  const lists = operations.filter(([, definition]) => 'item' in definition);

  test.each(lists)(
    '%s shows nothing of another organization, and takes none of its cursors',
    async (_name, definition) => {
      const own = requestOf(definition, { path: stranger.ids, rest: stranger.ids }).path;
      const { status, text } = await stranger.call('GET', own);
      expect(status).toBe(200);
      for (const id of Object.values(owner.ids)) expect(text).not.toContain(id);
      const theirs = requestOf(definition, { path: owner.ids, rest: owner.ids }).path;
      const { body } = await owner.call(
        'GET',
        `${theirs}${theirs.includes('?') ? '&' : '?'}limit=1`,
      );
      if (body.nextCursor === null) return;
      const cursor = `${own.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(body.nextCursor)}`;
      expect((await stranger.call('GET', `${own}${cursor}`)).status).toBe(400);
    },
  );
});

test('the same Idempotency-Key of two organizations is two keys', async () => {
  const headers = { 'idempotency-key': 'shared' };
  const body = { name: 'Theirs', description: '' };
  const made = await owner.call('POST', '/projects', body, { headers });
  const other = await stranger.call('POST', '/projects', body, { headers });
  expect([made.status, other.status]).toEqual([201, 201]);
  expect(other.body.id).not.toBe(made.body.id);
  expect((await owner.call('DELETE', `/projects/${made.body.id}`)).status).toBe(200);
});

test('whatever a stranger asked for, nothing of the owner has changed', async () => {
  expect(await owner.everything()).toEqual(before);
});

/**
 * Commands without an organization, each with its reason: what the service does of its own accord,
 * or finds by something that only its owner has.
 */
const ofTheService = [
  /^[\w-]+\.(migrations|outbox|idempotency)\b/,
  // A key is what says who calls.
  /^identity\.apiKeys (find|update) \{ (keyHash|_id): /,
  /^identity\.(apiKeys|browserSessions) distinct \{ (keyHash|secretHash): /,
  // Operators see all organizations.
  /^identity\.(organizations|members|apiKeys) (find|count|update) /,
  // A login that nobody has approved belongs to no organization.
  /^identity\.deviceLogins /,
  // One look at the runs of a group of new records, or at those that are compared; each is compared
  // with the organization that asked.
  /^run-records\.runs find \{ _id: \{ \$in: [… ]+\}, deletedAt/,
  // Found in a record that was asked for with its organization.
  /^run-records\.(record_chunks|record_keys|run_counters) /,
  // Sweeps and purges.
  /^run-records\.(records|runs) update \{ _id: \{ \$in: .*(sweepAt|lookAt)/,
  /^run-records\.(records|runs) find \{ \$or: \{ (sweepAt|lookAt): .*\{ (sweepAt|lookAt): /,
  /^[\w-]+\.\w+ (find|findAndModify|update|remove|aggregate) \{ (sweepAt|deletedAt|checkAt|expiresAt|heldUntil)/,
  // Organizations that have traces to be settled, or monitors to be asked.
  /^traces\.traces aggregate \{ \$match: \{ (isSettled: …, hasRoot: …, changedAt|askAt): /,
  // Traces that a process has claimed.
  /^traces\.traces (find|update) \{ _id: \{ \$in: [… ]+\}, (claimed|askedBy)/,
  // Traces that an earlier version of the mapping settled, to be settled again.
  /^traces\.traces find \{ isSettled: …, mapping: \{ \$in: .*claimedUntil/,
  /^traces\.traces update \{ _id: \{ \$in: [… ]+\}, isSettled: …, claimedUntil/,
  // Spans of a trace that come, found by its id, which has the organization in it.
  /^traces\.traces update \{ _id: … \}$/,
  // Named by the organization in its id.
  /^[\w-]+\.(projectLanes|contents|declarations|deviceCodeAttempts) /,
];

test('every command to a database carries the organization, or is the work of the service', async () => {
  const shapes = new Set<string>();
  for (const { service, collection, command } of await profiled())
    for (const shape of shapesOf(command)) shapes.add(`${service}.${collection} ${shape}`);
  const without = [...shapes].filter((shape) => !shape.includes('organizationId'));
  expect(without.filter((shape) => !ofTheService.some((pattern) => pattern.test(shape)))).toEqual(
    [],
  );
  expect(shapes.size).toBeGreaterThan(80);
});

test('a process has at most 2,500 series of metrics after every operation, and none names an organization', async () => {
  const { organization } = (await owner.call('GET', '/me')).body;
  for (const url of assay.processUrls) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.length, url).toBeLessThanOrEqual(2500);
    expect(text, url).not.toContain(organization.id);
  }
});

interface Command {
  [name: string]: unknown;
  filter?: object;
  query?: object;
  q?: object;
  pipeline?: object[];
}

/** What a command looks for: the names in its filter, without values. */
function shapesOf(command: Command): string[] {
  const verb = Object.keys(command).find((name) =>
    ['find', 'aggregate', 'count', 'distinct', 'findAndModify', 'q'].includes(name),
  );
  if (verb === undefined) return [];
  const filter = command.filter ?? command.query ?? command.q ?? command.pipeline?.[0] ?? {};
  return [`${verb === 'q' ? 'update' : verb} ${namesIn(filter)}`];
}

const namesIn = (value: unknown): string =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  value.constructor === Object
    ? `{ ${Object.entries(value)
        .map(([name, inner]) => `${name}: ${namesIn(inner)}`)
        .join(', ')} }`
    : Array.isArray(value)
      ? value.map(namesIn).join(' ')
      : '…';
