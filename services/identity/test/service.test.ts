import { createHash } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import { identity as contract } from '@assay/contracts/identity';
import { createLog } from '@assay/runtime/log';
import { type Database, openDatabase } from '@assay/runtime/mongo';
import { serviceIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
let database: Database;
const logged: string[] = [];
const heard: { event: string; payload: { keyHash?: string; userId?: string } }[] = [];

beforeAll(async () => {
  const log = createLog({ name: 'test', level: 'trace', destination: { write: (line: string) => void logged.push(line) } });
  world = await startWorld({ services: { identity: (config) => start(config, log) } });
  database = await openDatabase({ uri: world.config.MONGODB_URI, name: `${world.config.DATABASE_PREFIX}_identity` });
  for (const event of Object.keys(contract.events))
    world.bus.hear(`${world.config.SUBJECT_PREFIX}.event.identity.${event}`, (payload) =>
      heard.push({ event, payload: payload as object }),
    );
});
afterAll(async () => {
  await database.close();
  await world.stop();
});

const nobody = '00000000-0000-7000-8000-000000000000';
const operator = serviceIdentity('');
const ask = () => world.bus.asks(contract).identity;
const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url');
const verify = (key: string) => ask().verifyKey(operator, { keyHash: hashOf(key) });

/** Who the gateway would say this key is. */
async function identityOf(key: string): Promise<Identity> {
  const verified = await verify(key);
  if (verified.outcome !== 'valid') throw new Error('the key is not good');
  const { organizationId, userId, apiKeyId, role } = verified;
  return { organizationId, userId, apiKeyId, role, requestId: 'test' };
}

/** A new organization as its first admin sees it. */
async function newOrganization(name = 'Example Ltd') {
  const { organization, key } = await ask().createOrganization(operator, { name });
  const identity = await identityOf(key);
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    world.request(method, path, body, { identity, headers });
  return { organization, key, identity, call };
}
type Organization = Awaited<ReturnType<typeof newOrganization>>;

const newMember = async ({ call }: Organization, body: object): Promise<string> => (await call('POST', '/members', body)).body.userId;

/** A second admin with a key of their own. */
async function newAdmin(organization: Organization, email = 'second@example.com') {
  const userId = await newMember(organization, { email, role: 'admin' });
  const identity: Identity = { ...organization.identity, userId };
  const { key } = (await world.request('POST', '/api-keys', { name: 'theirs', role: 'admin' }, { identity })).body as { key: string };
  return { userId, identity, key };
}

describe('verifying a key', () => {
  test('a key is known by its hash, with its organization, member and role', async () => {
    const { organization, key, identity, call } = await newOrganization();
    expect(key).toMatch(/^ak_[0-9A-Za-z]{49}$/);
    const { userId } = (await call('GET', '/members')).body.data[0];
    expect(identity).toMatchObject({ organizationId: organization.id, userId, role: 'admin' });
    expect(await verify(key)).toMatchObject({ expiresAtMs: null });
  });

  test('a key that was never made is unknown', async () => {
    expect(await verify('ak_never')).toEqual({ outcome: 'unknown' });
    expect(await ask().verifyKey(operator, { keyHash: '' })).toEqual({ outcome: 'unknown' });
  });

  test('an expired key is unknown', async () => {
    const { call } = await newOrganization();
    const expiresAt = new Date(Date.now() + 1500);
    const { key } = (await call('POST', '/api-keys', { name: 'brief', expiresAt: expiresAt.toISOString() })).body;
    expect(await verify(key)).toMatchObject({ outcome: 'valid', expiresAtMs: expiresAt.getTime() });
    await poll('the key expires', async () => (await verify(key)).outcome === 'unknown');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });

  test('a key is an admin key only while its member is an admin', async () => {
    const organization = await newOrganization();
    const second = await newAdmin(organization);
    const memberKey = (await organization.call('POST', '/api-keys', { name: 'plain' })).body.key;
    expect(await verify(second.key)).toMatchObject({ role: 'admin', userId: second.userId });
    expect(await verify(memberKey)).toMatchObject({ role: 'member', userId: organization.identity.userId });
    await organization.call('PATCH', `/members/${second.userId}`, { role: 'member' });
    expect(await verify(second.key)).toMatchObject({ role: 'member' });
    await poll('the change is announced', () =>
      heard.some(({ event, payload }) => event === 'memberChanged' && payload.userId === second.userId),
    );
  });

  test('the last use is noted beside the answer, and at most once a minute', async () => {
    const { key, call } = await newOrganization();
    const lastUse = async () => (await call('GET', '/api-keys')).body.data[0].lastUsedAt as string | null;
    const first = await poll('the use is noted', async () => (await lastUse()) ?? undefined);
    expect(Math.abs(Date.now() - Date.parse(first))).toBeLessThan(60_000);
    const keys = database.collection('apiKeys');
    const set = (at: Date) => keys.updateOne({ keyHash: hashOf(key) }, { $set: { lastUsedAt: at } });
    const recent = new Date(Date.now() - 30_000);
    await set(recent);
    for (let index = 0; index < 20; index++) await verify(key);
    expect(await lastUse()).toBe(recent.toISOString());
    await set(new Date(Date.now() - 61_000));
    await Promise.all(Array.from({ length: 20 }, () => verify(key)));
    await poll('the later use is noted', async () => Date.parse((await lastUse())!) > recent.getTime());
  });
});

describe('API keys', () => {
  test('a key is made with its secret, which is shown in that reply and nowhere else', async () => {
    const { call, identity } = await newOrganization();
    const created = await call('POST', '/api-keys', { name: 'CI', expiresAt: '2999-01-01T02:00:00+02:00' });
    expect(created.status).toBe(201);
    const { key, ...listed } = created.body;
    expect(listed).toEqual({
      id: expect.any(String),
      name: 'CI',
      prefix: key.slice(0, 10),
      role: 'member',
      createdByUserId: identity.userId,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expiresAt: '2999-01-01T00:00:00.000Z',
      lastUsedAt: null,
    });
    const list = await call('GET', '/api-keys');
    expect(list.body.data.at(-1)).toEqual(listed);
    expect(list.text).not.toContain(key);
    expect(list.text).not.toContain(hashOf(key));
    expect(await identityOf(key)).toMatchObject({ userId: identity.userId, apiKeyId: listed.id, role: 'member' });
  });

  test('a replay has no secret, and the database keeps none, neither with the key nor with the Idempotency-Key', async () => {
    const { call } = await newOrganization();
    const post = () => call('POST', '/api-keys', { name: 'once' }, { 'idempotency-key': 'once' });
    const [first, again] = [await post(), await post()];
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { key, ...rest } = first.body;
    expect(again.body).toEqual(rest);
    const remembered = await database.collection('idempotency').find().toArray();
    expect(JSON.stringify(remembered)).toContain(rest.id);
    const kept = [
      ...remembered,
      ...(await database.collection('apiKeys').find().toArray()),
      ...(await database.collection('outbox').find().toArray()),
    ];
    expect(kept.length).toBeGreaterThan(1);
    expect(JSON.stringify(kept)).not.toContain(key.slice(10));
  });

  test('repeats at the same time make one key, and its secret is shown once', async () => {
    const { call } = await newOrganization();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => call('POST', '/api-keys', { name: 'race' }, { 'idempotency-key': 'race' })),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ body }) => body.key !== undefined)).toHaveLength(1);
  });

  test('an expiry in the past is refused with its place; null never expires', async () => {
    const { call } = await newOrganization();
    const past = await call('POST', '/api-keys', { name: 'late', expiresAt: '2020-01-01T00:00:00Z' });
    expect(past.status).toBe(400);
    expect(past.body.details.issues).toEqual([{ path: '/expiresAt', message: 'must be in the future' }]);
    expect((await call('POST', '/api-keys', { name: 'late', expiresAt: 'tomorrow' })).status).toBe(400);
    expect((await call('POST', '/api-keys', { name: 'never', expiresAt: null })).body.expiresAt).toBe(null);
  });

  test('a revoked key is unknown at once, is announced by its hash, and is not there again', async () => {
    const { call } = await newOrganization();
    const { id, key } = (await call('POST', '/api-keys', { name: 'gone' })).body;
    expect((await call('DELETE', `/api-keys/${id}`)).body).toEqual({ success: true });
    expect(await verify(key)).toEqual({ outcome: 'unknown' });
    await poll('the revocation is announced', () =>
      heard.some(({ event, payload }) => event === 'keyRevoked' && payload.keyHash === hashOf(key)),
    );
    expect((await call('DELETE', `/api-keys/${id}`)).status).toBe(404);
    expect((await call('GET', '/api-keys')).body.data.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  test("the organization's last admin key may be revoked: the operator makes another", async () => {
    const { call, identity, organization, key } = await newOrganization();
    expect((await call('DELETE', `/api-keys/${identity.apiKeyId}`)).status).toBe(200);
    expect(await verify(key)).toEqual({ outcome: 'unknown' });
    const made = await ask().createKey(operator, { organizationId: organization.id, name: 'back in', role: 'admin' });
    expect(await identityOf(made.key)).toMatchObject({ organizationId: organization.id, userId: identity.userId, role: 'admin' });
  });

  test('keys are listed oldest first, a page at a time, to every member', async () => {
    const { call, identity } = await newOrganization();
    for (const name of ['b', 'a', 'c']) await call('POST', '/api-keys', { name });
    const page = await world.request('GET', '/api-keys?limit=3', undefined, { identity: { ...identity, role: 'member' } });
    expect(page.body.data.map(({ name }: { name: string }) => name)).toEqual(['First key', 'b', 'a']);
    expect(page.body.hasMore).toBe(true);
    const rest = await call('GET', `/api-keys?limit=3&cursor=${page.body.nextCursor}`);
    expect(rest.body).toMatchObject({ data: [{ name: 'c' }], nextCursor: null, hasMore: false });
  });

  test('an admin who was demoted or removed since makes no key', async () => {
    const organization = await newOrganization();
    const demoted = await newAdmin(organization);
    const removed = await newAdmin(organization, 'third@example.com');
    await organization.call('PATCH', `/members/${demoted.userId}`, { role: 'member' });
    await organization.call('DELETE', `/members/${removed.userId}`);
    for (const { identity } of [demoted, removed])
      expect((await world.request('POST', '/api-keys', { name: 'late', role: 'admin' }, { identity })).status).toBe(403);
  });
});

describe('members', () => {
  test('a member is added, changed, listed and removed', async () => {
    const { call, identity } = await newOrganization();
    const created = await call('POST', '/members', { email: 'Ada@Example.com' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      userId: expect.any(String),
      email: 'Ada@Example.com',
      name: null,
      role: 'member',
      createdAt: expect.stringMatching(/\.\d{3}Z$/),
    });
    const path = `/members/${created.body.userId}`;
    const changed = { ...created.body, name: 'Ada', email: 'ada@example.com', role: 'admin' };
    expect((await call('PATCH', path, { name: 'Ada', email: 'ada@example.com', role: 'admin' })).body).toEqual(changed);
    expect((await call('PATCH', path, {})).body).toEqual(changed);
    expect((await call('PATCH', path, { name: null })).body.name).toBe(null);
    const list = (await call('GET', '/members')).body;
    expect(list.data.map(({ userId }: { userId: string }) => userId)).toEqual([identity.userId, created.body.userId]);
    expect((await call('DELETE', path)).body).toEqual({ success: true });
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await call('PATCH', path, { name: 'x' })).status).toBe(404);
  });

  test('an e-mail address is taken once in an organization, whatever its case, and free again after its member', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'ada@example.com' });
    const other = await newMember(organization, { email: 'bob@example.com' });
    const taken = await organization.call('POST', '/members', { email: 'ADA@example.COM' });
    expect(taken.status).toBe(409);
    expect(taken.headers.get('x-should-retry')).toBe('false');
    expect((await organization.call('POST', '/members', { email: 'ADA@example.com' }, { 'idempotency-key': 'k' })).status).toBe(409);
    expect((await organization.call('PATCH', `/members/${other}`, { email: 'Ada@example.com' })).status).toBe(409);
    expect((await organization.call('PATCH', `/members/${userId}`, { email: 'ADA@example.com' })).body.email).toBe('ADA@example.com');
    const elsewhere = await newOrganization();
    expect((await elsewhere.call('POST', '/members', { email: 'ada@example.com' })).status).toBe(201);
    await organization.call('DELETE', `/members/${userId}`);
    expect((await organization.call('POST', '/members', { email: 'ada@example.com' })).status).toBe(201);
  });

  test('two requests for one e-mail address at the same time give one 201 and one 409, with Idempotency-Keys too', async () => {
    const { call } = await newOrganization();
    for (const round of ['a', 'b', 'c', 'd']) {
      const headers = (key: string): Record<string, string> => (round > 'b' ? { 'idempotency-key': `${round}${key}` } : {});
      const replies = await Promise.all([
        call('POST', '/members', { email: `${round}@example.com` }, headers('1')),
        call('POST', '/members', { email: `${round.toUpperCase()}@example.com` }, headers('2')),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  test('the last admin is neither demoted nor removed, and keeps all else changeable', async () => {
    const organization = await newOrganization();
    await newMember(organization, { email: 'plain@example.com' });
    const path = `/members/${organization.identity.userId}`;
    expect((await organization.call('PATCH', path, { role: 'member' })).body.code).toBe('CONFLICT');
    expect((await organization.call('DELETE', path)).body.code).toBe('CONFLICT');
    expect((await organization.call('PATCH', path, { role: 'admin', name: 'Root' })).body).toMatchObject({ role: 'admin', name: 'Root' });
    expect((await verify(organization.key)).outcome).toBe('valid');
  });

  test('two admins who demote or remove each other at the same time leave one admin', async () => {
    for (const [one, other] of [
      ['PATCH', 'PATCH'],
      ['DELETE', 'DELETE'],
      ['PATCH', 'DELETE'],
    ] as const) {
      const organization = await newOrganization();
      const second = await newAdmin(organization);
      const end = (method: string, userId: string, identity: Identity) =>
        world.request(method, `/members/${userId}`, method === 'PATCH' ? { role: 'member' } : undefined, { identity });
      const replies = await Promise.all([
        end(one, second.userId, organization.identity),
        end(other, organization.identity.userId, second.identity),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const { data } = (await organization.call('GET', '/members')).body;
      expect(data.filter(({ role }: { role: string }) => role === 'admin')).toHaveLength(1);
    }
  });

  test("a removed member's keys end at once, which is announced; a member who is not the last admin may leave", async () => {
    const organization = await newOrganization();
    const second = await newAdmin(organization);
    const left = await world.request('DELETE', `/members/${second.userId}`, undefined, { identity: second.identity });
    expect(left.status).toBe(200);
    expect(await verify(second.key)).toEqual({ outcome: 'unknown' });
    expect((await organization.call('GET', '/api-keys')).body.data).toHaveLength(1);
    await poll('the removal is announced', () =>
      heard.some(({ event, payload }) => event === 'memberChanged' && payload.userId === second.userId),
    );
    expect((await verify(organization.key)).outcome).toBe('valid');
  });

  test('another service learns who is a member of the organization', async () => {
    const { identity } = await newOrganization();
    const elsewhere = await newOrganization();
    const isMember = async (as: Identity, userId: string) => (await ask().isMember(as, { userId })).found;
    expect(await isMember(identity, identity.userId)).toBe(true);
    expect(await isMember(elsewhere.identity, identity.userId)).toBe(false);
    expect(await isMember(identity, 'nobody')).toBe(false);
  });
});

describe('who may', () => {
  test('a member key reads, and is refused every write before its body is looked at', async () => {
    const { identity } = await newOrganization();
    const as = { identity: { ...identity, role: 'member' as const } };
    for (const path of ['/organization', '/members', '/api-keys'])
      expect((await world.request('GET', path, undefined, as)).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/members'],
      ['PATCH', `/members/${identity.userId}`],
      ['DELETE', `/members/${identity.userId}`],
      ['POST', '/api-keys'],
      ['DELETE', `/api-keys/${identity.apiKeyId}`],
      ['DELETE', '/api-keys/of-another-form'],
    ] as const) {
      const reply = await world.request(method, path, method === 'DELETE' ? undefined : { nonsense: true }, as);
      expect([reply.status, reply.body]).toEqual([403, { code: 'FORBIDDEN', message: "Only an admin's key may do this.", details: {} }]);
    }
  });

  test("another organization's keys and members answer exactly as what does not exist, and stay as they are", async () => {
    const { identity, key, call } = await newOrganization();
    const stranger = await newOrganization();
    const missing = { 'api-keys': identity.apiKeyId!, members: identity.userId };
    for (const [collection, id] of Object.entries(missing)) {
      for (const method of collection === 'members' ? ['PATCH', 'DELETE'] : ['DELETE']) {
        const body = method === 'PATCH' ? { role: 'member' } : undefined;
        const foreign = await stranger.call(method, `/${collection}/${id}`, body);
        const absent = await stranger.call(method, `/${collection}/${nobody}`, body);
        expect(foreign.status).toBe(404);
        expect(foreign.text).toBe(absent.text.replace(nobody, id));
        expect(foreign.body.details.resource).toBe((await stranger.call(method, `/${collection}/x`, body)).body.details.resource);
      }
    }
    expect(await verify(key)).toMatchObject({ outcome: 'valid', role: 'admin' });
    for (const path of ['/members', '/api-keys']) {
      expect((await stranger.call('GET', path)).body.data).toHaveLength(1);
      expect((await call('GET', path)).body.data).toHaveLength(1);
    }
  });
});

describe('the operator', () => {
  test('an organization is made with its first admin and key, and is listed', async () => {
    const { organization, call } = await newOrganization('Nine Ltd');
    expect((await call('GET', '/organization')).body).toEqual(organization);
    expect((await call('GET', '/members')).body.data).toMatchObject([{ email: 'admin@localhost.localdomain', role: 'admin' }]);
    const { organizations, next } = await ask().listOrganizations(operator, {});
    expect(organizations).toContainEqual(organization);
    expect(next).toBe(null);
    expect((await ask().listOrganizations(operator, { after: organization.id })).organizations).toEqual([]);
  });

  test('launchers that start at once each get an organization whose key is good', async () => {
    const made = await Promise.all(Array.from({ length: 4 }, () => ask().createOrganization(operator, { name: 'Example Ltd' })));
    expect(new Set(made.map(({ organization }) => organization.id)).size).toBe(4);
    for (const { key, organization } of made)
      expect(await identityOf(key)).toMatchObject({ organizationId: organization.id, role: 'admin' });
  });

  test('a key is made for an organization that is there, and revoked by its id', async () => {
    const { organization } = await newOrganization();
    const { apiKey, key } = await ask().createKey(operator, { organizationId: organization.id, name: 'ops', role: 'member' });
    expect(await verify(key)).toMatchObject({ role: 'member', apiKeyId: apiKey.id });
    expect(await ask().revokeKey(operator, { apiKeyId: apiKey.id })).toEqual({ revoked: true });
    expect(await verify(key)).toEqual({ outcome: 'unknown' });
    await poll('the revocation is announced', () => heard.some(({ payload }) => payload.keyHash === hashOf(key)));
    expect(await ask().revokeKey(operator, { apiKeyId: apiKey.id })).toEqual({ revoked: false });
    await expect(ask().createKey(operator, { organizationId: nobody, name: 'x', role: 'admin' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test("the operator's questions are refused to admins and members", async () => {
    const { organization, identity } = await newOrganization();
    const key = { organizationId: organization.id, name: 'x', role: 'admin' as const };
    for (const as of [identity, { ...identity, role: 'member' as const }]) {
      for (const asked of [
        ask().createOrganization(as, { name: 'x' }),
        ask().listOrganizations(as, {}),
        ask().createKey(as, key),
        ask().revokeKey(as, { apiKeyId: identity.apiKeyId! }),
      ])
        await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await identityOf((await ask().createKey(operator, key)).key)).toMatchObject({ role: 'admin' });
  });
});

describe('secrets', () => {
  test('no key and no hash of one is ever logged, while the log says other things', async () => {
    const { key, call } = await newOrganization();
    const made = (await call('POST', '/api-keys', { name: 'quiet' })).body.key as string;
    await call('POST', '/api-keys', { name: 'quiet', key: made, expiresAt: made });
    await call('DELETE', `/api-keys/${made}`);
    await verify(made);
    const lines = logged.join('\n');
    expect(lines).toContain('ready');
    for (const secret of [key, made, hashOf(key), hashOf(made)]) expect(lines).not.toContain(secret);
    expect(lines).not.toMatch(/ak_[0-9A-Za-z]{40}/);
  });
});
