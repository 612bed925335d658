import type { Identity } from '@assay/contracts/define';
import { newKey } from '@assay/runtime/api-key';
import { serviceIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import {
  ask,
  createKey,
  database,
  hashOf,
  heard,
  identityOf,
  newAdmin,
  newMember,
  newOrganization,
  useIdentity,
  verify,
  world,
} from './setting.ts';

useIdentity();

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
    expect(await ask().verifyKey(serviceIdentity(''), { keyHash: '' })).toEqual({
      outcome: 'unknown',
    });
  });

  test('an expired key is unknown', async () => {
    const { call } = await newOrganization();
    const expiresAt = new Date(Date.now() + 1500);
    const { key } = (
      await call('POST', '/api-keys', { name: 'brief', expiresAt: expiresAt.toISOString() })
    ).body;
    expect(await verify(key)).toMatchObject({ outcome: 'valid', expiresAtMs: expiresAt.getTime() });
    await poll('the key expires', async () => (await verify(key)).outcome === 'unknown');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });

  test('a key is an admin key only while its member is an admin', async () => {
    const organization = await newOrganization();
    const second = await newAdmin(organization);
    const memberKey = (await organization.call('POST', '/api-keys', { name: 'plain' })).body.key;
    expect(await verify(second.key)).toMatchObject({ role: 'admin', userId: second.userId });
    expect(await verify(memberKey)).toMatchObject({
      role: 'member',
      userId: organization.identity.userId,
    });
    await organization.call('PATCH', `/members/${second.userId}`, { role: 'member' });
    expect(await verify(second.key)).toMatchObject({ role: 'member' });
    await poll('the change is announced', () =>
      heard.some(
        ({ event, payload }) => event === 'memberChanged' && payload.userId === second.userId,
      ),
    );
  });

  test('the last use is noted beside the answer, and at most once a minute', async () => {
    const { key, call } = await newOrganization();
    const lastUse = async () =>
      (await call('GET', '/api-keys')).body.data[0].lastUsedAt as string | null;
    const first = await poll('the use is noted', async () => (await lastUse()) ?? undefined);
    expect(Math.abs(Date.now() - Date.parse(first))).toBeLessThan(60_000);
    const keys = database.collection('apiKeys');
    const set = (at: Date) =>
      keys.updateOne({ keyHash: hashOf(key) }, { $set: { lastUsedAt: at } });
    const recent = new Date(Date.now() - 30_000);
    await set(recent);
    for (let index = 0; index < 20; index++) await verify(key);
    expect(await lastUse()).toBe(recent.toISOString());
    await set(new Date(Date.now() - 61_000));
    await Promise.all(Array.from({ length: 20 }, () => verify(key)));
    await poll(
      'the later use is noted',
      async () => Date.parse((await lastUse())!) > recent.getTime(),
    );
  });
});

describe('API keys', () => {
  test('a key is made with its secret, which is shown in that reply and nowhere else', async () => {
    const { call, identity } = await newOrganization();
    const created = await call('POST', '/api-keys', {
      name: 'CI',
      expiresAt: '2999-01-01T02:00:00+02:00',
    });
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
    expect(await identityOf(key)).toMatchObject({
      userId: identity.userId,
      apiKeyId: listed.id,
      role: 'member',
    });
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
      Array.from({ length: 6 }, () =>
        call('POST', '/api-keys', { name: 'race' }, { 'idempotency-key': 'race' }),
      ),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ body }) => body.key !== undefined)).toHaveLength(1);
  });

  test('an expiry in the past is refused with its place; null never expires', async () => {
    const { call } = await newOrganization();
    const past = await call('POST', '/api-keys', {
      name: 'late',
      expiresAt: '2020-01-01T00:00:00Z',
    });
    expect(past.status).toBe(400);
    expect(past.body.details.issues).toEqual([
      { path: '/expiresAt', message: 'must be in the future' },
    ]);
    expect((await call('POST', '/api-keys', { name: 'late', expiresAt: 'tomorrow' })).status).toBe(
      400,
    );
    expect(
      (await call('POST', '/api-keys', { name: 'never', expiresAt: null })).body.expiresAt,
    ).toBe(null);
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
    expect(
      (await call('GET', '/api-keys')).body.data.map((item: { id: string }) => item.id),
    ).not.toContain(id);
  });

  test("the organization's last admin key may be revoked: the operator makes another", async () => {
    const { call, identity, organization, key } = await newOrganization();
    expect((await call('DELETE', `/api-keys/${identity.apiKeyId}`)).status).toBe(200);
    expect(await verify(key)).toEqual({ outcome: 'unknown' });
    const made = await createKey({
      organizationId: organization.id,
      name: 'back in',
      role: 'admin',
    });
    expect(await identityOf(made.key)).toMatchObject({
      organizationId: organization.id,
      userId: identity.userId,
      role: 'admin',
    });
  });

  test('keys are listed oldest first, a page at a time, to every member', async () => {
    const { call, identity } = await newOrganization();
    for (const name of ['b', 'a', 'c']) await call('POST', '/api-keys', { name });
    const page = await world.request('GET', '/api-keys?limit=3', undefined, {
      identity: { ...identity, role: 'member' },
    });
    expect(page.body.data.map(({ name }: { name: string }) => name)).toEqual([
      'First key',
      'b',
      'a',
    ]);
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
      expect(
        (await world.request('POST', '/api-keys', { name: 'late', role: 'admin' }, { identity }))
          .status,
      ).toBe(403);
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
      lastSeenAt: null,
    });
    const path = `/members/${created.body.userId}`;
    const changed = { ...created.body, name: 'Ada', email: 'ada@example.com', role: 'admin' };
    expect(
      (await call('PATCH', path, { name: 'Ada', email: 'ada@example.com', role: 'admin' })).body,
    ).toEqual(changed);
    expect((await call('PATCH', path, {})).body).toEqual(changed);
    expect((await call('PATCH', path, { name: null })).body.name).toBe(null);
    const list = (await call('GET', '/members')).body;
    expect(list.data.map(({ userId }: { userId: string }) => userId)).toEqual([
      identity.userId,
      created.body.userId,
    ]);
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
    expect(
      (
        await organization.call(
          'POST',
          '/members',
          { email: 'ADA@example.com' },
          { 'idempotency-key': 'k' },
        )
      ).status,
    ).toBe(409);
    expect(
      (await organization.call('PATCH', `/members/${other}`, { email: 'Ada@example.com' })).status,
    ).toBe(409);
    expect(
      (await organization.call('PATCH', `/members/${userId}`, { email: 'ADA@example.com' })).body
        .email,
    ).toBe('ADA@example.com');
    const elsewhere = await newOrganization();
    expect((await elsewhere.call('POST', '/members', { email: 'ada@example.com' })).status).toBe(
      201,
    );
    await organization.call('DELETE', `/members/${userId}`);
    expect((await organization.call('POST', '/members', { email: 'ada@example.com' })).status).toBe(
      201,
    );
  });

  test('two requests for one e-mail address at the same time give one 201 and one 409, with Idempotency-Keys too', async () => {
    const { call } = await newOrganization();
    for (const round of ['a', 'b', 'c', 'd']) {
      const headers = (key: string): Record<string, string> =>
        round > 'b' ? { 'idempotency-key': `${round}${key}` } : {};
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
    expect(
      (await organization.call('PATCH', path, { role: 'admin', name: 'Root' })).body,
    ).toMatchObject({ role: 'admin', name: 'Root' });
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
        world.request(
          method,
          `/members/${userId}`,
          method === 'PATCH' ? { role: 'member' } : undefined,
          { identity },
        );
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
    const left = await world.request('DELETE', `/members/${second.userId}`, undefined, {
      identity: second.identity,
    });
    expect(left.status).toBe(200);
    expect(await verify(second.key)).toEqual({ outcome: 'unknown' });
    expect((await organization.call('GET', '/api-keys')).body.data).toHaveLength(1);
    await poll('the removal is announced', () =>
      heard.some(
        ({ event, payload }) => event === 'memberChanged' && payload.userId === second.userId,
      ),
    );
    expect((await verify(organization.key)).outcome).toBe('valid');
  });

  test('gateways that take of one minute at once get no more than there is', async () => {
    const wish = { limit: 100, wanted: 7, returned: 0 };
    const answers = await poll('all are of one minute', async () => {
      const { identity } = await newOrganization();
      const taken = await Promise.all(
        Array.from({ length: 30 }, () => ask().takeRequests(identity, wish)),
      );
      // Of two minutes some would end at once, and the others after a minute.
      const ends = taken.map(({ resetsInMs }) => resetsInMs);
      const isOneMinute = Math.max(...ends) - Math.min(...ends) < 30_000;
      return isOneMinute && Math.max(...taken.map((each) => each.taken)) === 100 && taken;
    });
    expect(answers.reduce((sum, each) => sum + each.granted, 0)).toBe(100);
    for (const { resetsInMs } of answers) expect(resetsInMs).toBeLessThanOrEqual(60_000);
    const other = await ask().takeRequests((await newOrganization()).identity, wish);
    expect(other).toMatchObject({ granted: 7, taken: 7 });
  });

  test('of many hashes, those that are of keys or sessions are told', async () => {
    const [one, other] = await Promise.all([newOrganization(), newOrganization()]);
    const hashes = [one.key, newKey(), other.key].map(hashOf);
    const { held } = await ask().findHeldSecrets(serviceIdentity(''), { secretHashes: hashes });
    expect(held.sort()).toEqual([hashes[0], hashes[2]].sort());
  });

  test('another service learns who is a member of the organization', async () => {
    const { identity } = await newOrganization();
    const elsewhere = await newOrganization();
    const isMember = async (as: Identity, userId: string) =>
      (await ask().isMember(as, { userId })).found;
    expect(await isMember(identity, identity.userId)).toBe(true);
    expect(await isMember(elsewhere.identity, identity.userId)).toBe(false);
    expect(await isMember(identity, 'nobody')).toBe(false);
  });
});
