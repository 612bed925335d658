import type { Identity } from '@assay/contracts/define';
import { hashOf, newKey, newLoginToken } from '@assay/runtime/api-key';
import { sessionSecretHeader } from '@assay/runtime/http/reply';
import { serviceIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { endOf } from '../src/domain/browser-sessions.ts';
import {
  ask,
  createKey,
  database,
  heard,
  identityOf,
  logged,
  newMember,
  newOrganization,
  operator,
  useIdentity,
  world,
} from './setting.ts';

useIdentity();

const anonymous: Partial<Identity> = {
  organizationId: '',
  userId: '',
  role: 'anonymous',
  apiKeyId: null,
};

const signInByToken = (token: unknown, headers: Record<string, string> = {}) =>
  world.request('POST', '/session', { token }, { identity: anonymous, headers });

async function signIn(identity: Identity): Promise<string> {
  const { status, headers } = await world.request('POST', '/session', undefined, { identity });
  expect(status).toBe(204);
  return headers.get(sessionSecretHeader)!;
}

const verifySession = (secret: string) =>
  ask().verifySession(serviceIdentity(''), { secretHash: hashOf(secret) });

/** Who the gateway would say that a request of this session is of. */
async function identityIn(secret: string): Promise<Identity> {
  const verified = await verifySession(secret);
  if (verified.outcome !== 'valid') throw new Error('the session is not good');
  const { outcome: _outcome, expiresAtMs: _expiresAtMs, ...caller } = verified;
  return { ...caller, requestId: 'test' };
}

async function loginToken(member: string): Promise<string> {
  const token = newLoginToken();
  await ask().createLoginToken(operator, { member, tokenHash: hashOf(token) });
  return token;
}

const sessions = () => database.collection('browserSessions');
const moveLastUse = (secret: string, change: { lastUsedAt?: Date; createdAt?: Date }) =>
  sessions().updateOne({ secretHash: hashOf(secret) }, { $set: change });
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

describe('signing in by a key', () => {
  test('makes a session that acts as the key, with its member and role', async () => {
    const { organization, identity, call } = await newOrganization();
    const { key } = (await call('POST', '/api-keys', { name: 'plain' })).body;
    const plain = await identityOf(key);
    const secret = await signIn(plain);
    expect(secret).toMatch(/^as_[0-9A-Za-z]{49}$/);
    expect(await verifySession(secret)).toMatchObject({
      outcome: 'valid',
      organizationId: organization.id,
      userId: identity.userId,
      apiKeyId: plain.apiKeyId,
      role: 'member',
    });
  });

  test('gives each sign-in a secret of its own, of which the database and the log keep nothing', async () => {
    const { identity } = await newOrganization();
    const secrets = [await signIn(identity), await signIn(identity)];
    expect(secrets[0]).not.toBe(secrets[1]);
    const kept = JSON.stringify([
      await sessions().find().toArray(),
      await database.collection('outbox').find().toArray(),
      logged,
    ]);
    for (const secret of secrets) expect(kept).not.toContain(secret.slice(3));
  });

  test('takes no token beside the key', async () => {
    const { call } = await newOrganization();
    const reply = await call('POST', '/session', { token: newLoginToken() });
    expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, '/token']);
  });

  test('is repeated by its Idempotency-Key without the secret, which is not remembered', async () => {
    const { call } = await newOrganization();
    const post = () => call('POST', '/session', undefined, { 'idempotency-key': 'sign-in' });
    const [first, again] = [await post(), await post()];
    expect([first.status, again.status]).toEqual([204, 204]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get(sessionSecretHeader)).toBeNull();
    const secret = first.headers.get(sessionSecretHeader)!;
    const remembered = await database.collection('idempotency').find().toArray();
    expect(JSON.stringify(remembered)).not.toContain(secret);
  });

  test('ends with the key when that is revoked, by an admin or the operator, and with no other key', async () => {
    const { organization, call } = await newOrganization();
    const about = { organizationId: organization.id, name: 'x', role: 'admin' as const };
    const [first, second, third] = [
      await createKey(about),
      await createKey(about),
      await createKey(about),
    ];
    const secrets = await Promise.all(
      [first, second, third].map(async ({ key }) => signIn(await identityOf(key))),
    );
    await call('DELETE', `/api-keys/${first.apiKey.id}`);
    await ask().revokeKey(operator, { apiKeyId: second.apiKey.id });
    const outcomes = await Promise.all(
      secrets.map(async (secret) => (await verifySession(secret)).outcome),
    );
    expect(outcomes).toEqual(['unknown', 'unknown', 'valid']);
    expect(
      await sessions().countDocuments({ apiKeyId: { $in: [first.apiKey.id, second.apiKey.id] } }),
    ).toBe(0);
    await poll('both revocations are announced with their ids', () =>
      [first, second].every(({ apiKey }) =>
        heard.some(
          ({ event, payload }) =>
            event === 'keyRevoked' && (payload as { apiKeyId?: string }).apiKeyId === apiKey.id,
        ),
      ),
    );
  });

  test('ends when the key expires', async () => {
    const { call } = await newOrganization();
    const expiresAt = new Date(Date.now() + 1500);
    const { key } = (
      await call('POST', '/api-keys', { name: 'brief', expiresAt: expiresAt.toISOString() })
    ).body;
    const secret = await signIn(await identityOf(key));
    expect(await verifySession(secret)).toMatchObject({ expiresAtMs: expiresAt.getTime() });
    await poll('it ends', async () => (await verifySession(secret)).outcome === 'unknown');
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });
});

describe('signing in by a login token', () => {
  test('makes a session that acts as the member, with the role of the moment', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'link@example.com', role: 'admin' });
    const reply = await signInByToken(await loginToken(userId));
    expect([reply.status, reply.text]).toEqual([204, '']);
    const secret = reply.headers.get(sessionSecretHeader)!;
    expect(await identityIn(secret)).toMatchObject({ userId, apiKeyId: null, role: 'admin' });
    await organization.call('PATCH', `/members/${userId}`, { role: 'member' });
    expect(await identityIn(secret)).toMatchObject({ role: 'member' });
  });

  test('spends it once, also under twenty uses at the same time', async () => {
    const { identity } = await newOrganization();
    const token = await loginToken(identity.userId);
    const replies = await Promise.all(Array.from({ length: 20 }, () => signInByToken(token)));
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(19);
    expect(await sessions().countDocuments({ userId: identity.userId })).toBe(1);
  });

  test('refuses one that is spent, has expired or was never made in the same words, with the ways on', async () => {
    const { identity } = await newOrganization();
    const [spent, expired] = [await loginToken(identity.userId), await loginToken(identity.userId)];
    expect((await signInByToken(spent)).status).toBe(204);
    const { modifiedCount } = await database
      .collection('loginTokens')
      .updateOne({ _id: hashOf(expired) as never }, { $set: { expiresAt: new Date() } });
    expect(modifiedCount).toBe(1);
    const replies = await Promise.all(
      [spent, expired, newLoginToken(), newKey(), ''].map((token) => signInByToken(token)),
    );
    for (const { status, body } of replies) {
      expect([status, body]).toEqual([401, replies[0]!.body]);
      expect(body.message).toContain('npm run admin -- login-link');
    }
    expect(
      (await world.request('POST', '/session', undefined, { identity: anonymous })).status,
    ).toBe(401);
  });

  test('lasts ten minutes', async () => {
    const { identity } = await newOrganization();
    const token = await loginToken(identity.userId);
    const kept = await database.collection('loginTokens').findOne({ _id: hashOf(token) as never });
    const restMs = kept!.expiresAt.getTime() - Date.now();
    expect(restMs).toBeGreaterThan(9 * 60_000);
    expect(restMs).toBeLessThanOrEqual(10 * 60_000);
  });

  test('remembers no Idempotency-Key, since nobody has an organization before', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    for (const { identity } of [one, other]) {
      const token = await loginToken(identity.userId);
      const reply = await signInByToken(token, { 'idempotency-key': 'same' });
      expect(reply.status).toBe(204);
      expect((await signInByToken(token, { 'idempotency-key': 'same' })).status).toBe(401);
    }
  });

  test('does not sign a removed member in, and ends the sessions of one', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'gone@example.com' });
    const [token, late] = [await loginToken(userId), await loginToken(userId)];
    const secret = (await signInByToken(token)).headers.get(sessionSecretHeader)!;
    await organization.call('DELETE', `/members/${userId}`);
    expect(await verifySession(secret)).toEqual({ outcome: 'unknown' });
    expect((await signInByToken(late)).status).toBe(401);
    expect(await sessions().countDocuments({ userId })).toBe(0);
  });

  test('is asked for by e-mail address, user id or organization, and by the operator alone', async () => {
    const organization = await newOrganization('Links');
    const userId = await newMember(organization, { email: 'Only.One@example.com' });
    const tokenHash = () => hashOf(newLoginToken());
    const create = (member: string) =>
      ask().createLoginToken(operator, { member, tokenHash: tokenHash() });
    for (const member of ['only.one@EXAMPLE.com', userId])
      expect(await create(member)).toMatchObject({
        member: { userId },
        organization: { name: 'Links' },
      });
    expect(await create(organization.organization.id)).toMatchObject({
      member: { userId: organization.identity.userId, role: 'admin' },
    });
    await expect(create('nobody@example.com')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(create('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const other = await newMember(await newOrganization(), { email: 'only.one@example.com' });
    for (const choice of [userId, other])
      await expect(create('only.one@example.com')).rejects.toThrow(choice);
    await expect(
      ask().createLoginToken(organization.identity, { member: userId, tokenHash: tokenHash() }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/FORBIDDEN|UNAUTHORIZED|UNAVAILABLE/) });
  });
});

describe('a session', () => {
  test('ends after 12 hours without a use, and after 7 days of uses', async () => {
    const { identity } = await newOrganization();
    const secret = await signIn(identity);
    const outcome = async () => (await verifySession(secret)).outcome;
    await moveLastUse(secret, { lastUsedAt: hoursAgo(11.9) });
    expect(await outcome()).toBe('valid');
    await poll('the use is noted', async () => {
      const session = await sessions().findOne({ secretHash: hashOf(secret) });
      return session!.lastUsedAt > hoursAgo(1);
    });
    await moveLastUse(secret, { lastUsedAt: hoursAgo(12.01) });
    expect(await outcome()).toBe('unknown');
    await moveLastUse(secret, { lastUsedAt: hoursAgo(0), createdAt: hoursAgo(7 * 24 - 0.1) });
    expect(await outcome()).toBe('valid');
    await moveLastUse(secret, { lastUsedAt: hoursAgo(0), createdAt: hoursAgo(7 * 24 + 0.01) });
    expect(await outcome()).toBe('unknown');
  });

  test('is written at most every five minutes, however often it is used', async () => {
    const { identity } = await newOrganization();
    const secret = await signIn(identity);
    const recent = hoursAgo(4.5 / 60);
    await moveLastUse(secret, { lastUsedAt: recent });
    for (let count = 0; count < 20; count++) await verifySession(secret);
    const session = await sessions().findOne({ secretHash: hashOf(secret) });
    expect(session!.lastUsedAt).toEqual(recent);
  });

  test('is removed from the database when it is over', async () => {
    const indexes = await sessions().indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { lastUsedAt: 1 }, expireAfterSeconds: 43_200 }),
    );
    const at = new Date('2026-01-01T00:00:00Z');
    expect(endOf({ createdAt: at, lastUsedAt: at }).toISOString()).toBe('2026-01-01T12:00:00.000Z');
    const lastUsedAt = new Date('2026-01-07T23:00:00Z');
    expect(endOf({ createdAt: at, lastUsedAt }).toISOString()).toBe('2026-01-08T00:00:00.000Z');
  });

  test('ends when its member signs out, which is announced, and no other session does', async () => {
    const { identity } = await newOrganization();
    const [secret, other] = [await signIn(identity), await signIn(identity)];
    const inSession = await identityIn(secret);
    const reply = await world.request('DELETE', '/session', undefined, { identity: inSession });
    expect([reply.status, reply.headers.get(sessionSecretHeader)]).toEqual([204, '']);
    expect(await verifySession(secret)).toEqual({ outcome: 'unknown' });
    expect(await verifySession(other)).toMatchObject({ outcome: 'valid' });
    await poll('the end is announced', () =>
      heard.some(
        ({ event, payload }) =>
          event === 'browserSessionEnded' &&
          (payload as { browserSessionId?: string }).browserSessionId ===
            inSession.browserSessionId,
      ),
    );
  });

  test('of another organization is neither ended nor shown', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    const secret = await signIn(one.identity);
    const { browserSessionId } = await identityIn(secret);
    const foreign = { ...other.identity, browserSessionId };
    await world.request('DELETE', '/session', undefined, { identity: foreign });
    expect(await verifySession(secret)).toMatchObject({ outcome: 'valid' });
    const me = await world.request('GET', '/me', undefined, { identity: foreign });
    expect(me.body.session).toBeNull();
  });

  test('cannot be ended with a key, which has none', async () => {
    const { call } = await newOrganization();
    expect((await call('DELETE', '/session')).status).toBe(404);
  });
});

describe('who a request acts as', () => {
  test('is the key, with its member and organization and no session', async () => {
    const { organization, identity, call } = await newOrganization('Whose');
    const { key } = (await call('POST', '/api-keys', { name: 'CI' })).body;
    const me = await world.request('GET', '/me', undefined, { identity: await identityOf(key) });
    expect(me.status).toBe(200);
    expect(me.body).toEqual({
      member: (await call('GET', '/members')).body.data[0],
      organization: { ...organization, createdAt: expect.any(String) },
      role: 'member',
      key: expect.objectContaining({ name: 'CI', createdByUserId: identity.userId }),
      session: null,
    });
    expect(me.text).not.toContain(key);
  });

  test('is the member in a session by a token, and the key with its session in one by a key', async () => {
    const { identity } = await newOrganization();
    const byToken = (await signInByToken(await loginToken(identity.userId))).headers.get(
      sessionSecretHeader,
    )!;
    const byKey = await signIn(identity);
    const me = async (secret: string) =>
      (await world.request('GET', '/me', undefined, { identity: await identityIn(secret) })).body;
    const session = { createdAt: expect.any(String), expiresAt: expect.any(String) };
    expect(await me(byToken)).toMatchObject({ key: null, role: 'admin', session });
    expect(await me(byKey)).toMatchObject({ key: { id: identity.apiKeyId }, session });
    const { createdAt, expiresAt } = (await me(byKey)).session;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(12 * 3_600_000);
  });
});
