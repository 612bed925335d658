import type { Identity } from '@assay/contracts/define';
import { hashOf, newDeviceCode, newKey } from '@assay/runtime/api-key';
import { poll } from '@assay/testing/poll';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  database,
  heard,
  identityOf,
  logged,
  newMember,
  newOrganization,
  type Organization,
  useIdentity,
  verify,
  world,
} from './setting.ts';

useIdentity();

const logins = () => database.collection('deviceLogins');
beforeEach(() => logins().deleteMany({}));

const device: Partial<Identity> = {
  organizationId: '',
  userId: '',
  role: 'anonymous',
  apiKeyId: null,
  clientAddress: '192.0.2.7',
};

const begin = async (clientName = 'adas-laptop', as: Partial<Identity> = device) =>
  world.request('POST', '/session/device', { clientName }, { identity: as });

async function begun() {
  const { status, body } = await begin();
  expect(status).toBe(201);
  return body as { deviceCode: string; userCode: string; verificationPath: string };
}

const askForKey = (deviceCode: string, headers: Record<string, string> = {}) =>
  world.request('POST', '/session/device/token', { deviceCode }, { identity: device, headers });

const codeOf = async (deviceCode: string) => (await askForKey(deviceCode)).body.code;

/** A member who signed in by a link, and has no key. */
const inSession = ({ identity }: Organization, change: Partial<Identity> = {}): Identity => ({
  ...identity,
  apiKeyId: null,
  ...change,
});

const as = (identity: Identity) => ({
  look: (userCode: string) =>
    world.request('GET', `/session/device/${userCode}`, undefined, { identity }),
  approve: (userCode: string) =>
    world.request('POST', `/session/device/${userCode}/approve`, undefined, { identity }),
  deny: (userCode: string) =>
    world.request('POST', `/session/device/${userCode}/deny`, undefined, { identity }),
});

const keysOf = async ({ call }: Organization) => (await call('GET', '/api-keys')).body.data;

describe('a login', () => {
  test('gives codes of which the database and the log keep no secret, for ten minutes', async () => {
    const { body } = await begin();
    expect(body).toEqual({
      deviceCode: expect.stringMatching(/^ad_[0-9A-Za-z]{49}$/),
      userCode: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verificationPath: `/device?code=${body.userCode}`,
      expiresInSeconds: 600,
      intervalSeconds: 5,
    });
    const kept = await logins().findOne({ _id: hashOf(body.deviceCode) as never });
    const lastsMs = kept!.expiresAt.getTime() - kept!.createdAt.getTime();
    expect(lastsMs).toBe(600_000);
    expect(JSON.stringify([kept, logged])).not.toContain(body.deviceCode.slice(3));
    expect(await logins().indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });

  test('is begun by names alone that mislead nobody on the approval page', async () => {
    for (const clientName of ['', ' x', 'a\nb', 'a\u202eb', '<b>', 'https://evil.example', 'é']) {
      const { status, body } = await begin(clientName);
      expect([clientName, status, body.details?.issues?.[0].path]).toEqual([
        clientName,
        400,
        '/clientName',
      ]);
    }
    for (const clientName of ["Ada's laptop (2)", 'x'.repeat(100)])
      expect((await begin(clientName)).status).toBe(201);
  });

  test('is begun 500 times from one network, and 10,000 times in all; one about which no device asks gives way', async () => {
    const at = new Date();
    const expiresAt = new Date(at.getTime() + 600_000);
    const fill = (count: number, clientNetwork: string, askedAt: Date | null) =>
      logins().insertMany(
        Array.from({ length: count }, (_, index) => ({
          _id: `${clientNetwork} ${index}` as never,
          userCode: `${clientNetwork} ${index}`,
          state: 'waiting',
          clientNetwork,
          createdAt: new Date(at.getTime() + index),
          askedAt,
          expiresAt,
        })),
      );
    const network = '2001:db8:0:7::/64';
    await fill(500, network, null);
    const inNetwork = { ...device, clientAddress: '2001:db8:0:7:1:2:3:4' };
    expect((await begin('x', inNetwork)).status).toBe(201);
    expect(await logins().countDocuments({ clientNetwork: network })).toBe(500);
    expect(await logins().countDocuments({ userCode: `${network} 0` })).toBe(0);
    await logins().deleteMany({ clientNetwork: network });

    await fill(500, '192.0.2.7', at);
    const refused = await begin();
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('60');
    const elsewhere = { ...device, clientAddress: '192.0.2.8' };
    expect((await begin('x', elsewhere)).status).toBe(201);
    await fill(9499, '192.0.2.9', at);
    await logins().updateMany({ askedAt: null }, { $set: { askedAt: at } });
    expect((await begin('x', elsewhere)).status).toBe(429);
  });
});

describe('an approved login', () => {
  test('gives one key that acts as the member, named after the device, under twenty questions at once', async () => {
    const organization = await newOrganization();
    const { identity } = organization;
    const { deviceCode, userCode } = await begun();
    const approved = await as(inSession(organization)).approve(userCode);
    expect([approved.status, approved.body]).toEqual([
      200,
      expect.objectContaining({ userCode, clientName: 'adas-laptop', state: 'approved' }),
    ]);
    const replies = await Promise.all(Array.from({ length: 20 }, () => askForKey(deviceCode)));
    const given = replies.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    for (const { status, body } of replies)
      if (status !== 200) expect([status, body.code]).toEqual([400, 'EXPIRED_TOKEN']);
    const { key, ...shown } = given[0]!.body;
    expect(shown).toMatchObject({
      name: 'assay login on adas-laptop',
      role: 'admin',
      createdByUserId: identity.userId,
      expiresAt: null,
    });
    expect(await verify(key)).toMatchObject({
      outcome: 'valid',
      organizationId: identity.organizationId,
      userId: identity.userId,
      role: 'admin',
    });
    expect((await keysOf(organization)).map(({ name }: { name: string }) => name)).toEqual([
      'First key',
      'assay login on adas-laptop',
    ]);
    expect(await logins().countDocuments()).toBe(0);
    const kept = [await database.collection('apiKeys').find().toArray(), logged];
    expect(JSON.stringify(kept)).not.toContain(key.slice(10));
  });

  test('belongs to whoever was first of many that approve and deny at once', async () => {
    const organizations = await Promise.all([newOrganization('One'), newOrganization('Other')]);
    const { deviceCode, userCode } = await begun();
    const replies = await Promise.all(
      organizations.flatMap((organization) => {
        const member = as(inSession(organization));
        return [member.approve(userCode), member.deny(userCode), member.approve(userCode)];
      }),
    );
    const first = replies.filter(({ status }) => status === 200);
    expect(first).toHaveLength(1);
    for (const { status, body } of replies)
      if (status !== 200) expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    const outcome = await askForKey(deviceCode);
    expect(outcome.status).toBe(first[0]!.body.state === 'approved' ? 200 : 400);
    const counts = await Promise.all(
      organizations.map(async (each) => (await keysOf(each)).length),
    );
    const made = first[0]!.body.state === 'approved' ? 1 : 0;
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2 + made);
  });

  test('gives a member a key with no more than the role of a member', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'plain@example.com' });
    const member = inSession(organization, { userId, role: 'member' });
    const { deviceCode, userCode } = await begun();
    expect((await as(member).approve(userCode)).status).toBe(200);
    const { key, role } = (await askForKey(deviceCode)).body;
    expect(role).toBe('member');
    expect(await verify(key)).toMatchObject({ userId, role: 'member' });
  });

  test("is not approved by a member's key, nor in a session that one began, but by an admin's", async () => {
    const organization = await newOrganization();
    const plain = (await organization.call('POST', '/api-keys', { name: 'CI' })).body;
    const byKey = await identityOf(plain.key);
    const { deviceCode, userCode } = await begun();
    for (const identity of [byKey, { ...byKey, browserSessionId: 'any' }]) {
      const { status, body } = await as(identity).approve(userCode);
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect(await codeOf(deviceCode)).toBe('AUTHORIZATION_PENDING');
    expect((await as(organization.identity).approve(userCode)).status).toBe(200);
    expect((await askForKey(deviceCode)).status).toBe(200);
  });

  test('gives nothing once its member is removed, or the key that approved is revoked', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'gone@example.com' });
    const second = (await organization.call('POST', '/api-keys', { name: 'second', role: 'admin' }))
      .body;
    const [removed, revoked] = [await begun(), await begun()];
    const member = inSession(organization, { userId, role: 'member' });
    expect((await as(member).approve(removed.userCode)).status).toBe(200);
    expect((await as(await identityOf(second.key)).approve(revoked.userCode)).status).toBe(200);
    await organization.call('DELETE', `/members/${userId}`);
    await organization.call('DELETE', `/api-keys/${second.id}`);
    for (const { deviceCode } of [removed, revoked])
      expect(await codeOf(deviceCode)).toBe('ACCESS_DENIED');
    expect(await keysOf(organization)).toHaveLength(1);
  });
});

describe('a device that asks', () => {
  test('hears that nobody has approved, and to slow down where it asks too soon', async () => {
    const { deviceCode } = await begun();
    const first = await askForKey(deviceCode);
    expect([first.status, first.body.code]).toEqual([400, 'AUTHORIZATION_PENDING']);
    expect(first.headers.get('retry-after')).toBe('5');
    const askedAgo = (ms: number) =>
      logins().updateOne({}, { $set: { askedAt: new Date(Date.now() - ms) } });
    // As long from now as a slow machine may take.
    await askedAgo(-60_000);
    expect(await codeOf(deviceCode)).toBe('SLOW_DOWN');
    await askedAgo(5000);
    expect(await codeOf(deviceCode)).toBe('AUTHORIZATION_PENDING');
  });

  test('hears that a member denied', async () => {
    const organization = await newOrganization();
    const { deviceCode, userCode } = await begun();
    const denied = await as(organization.identity).deny(userCode);
    expect([denied.status, denied.body.state]).toEqual([200, 'denied']);
    for (const _again of [1, 2]) expect(await codeOf(deviceCode)).toBe('ACCESS_DENIED');
  });

  test('hears the same of a code that is over, spent, of another kind or was never given', async () => {
    const { deviceCode, userCode } = await begun();
    await logins().updateOne({}, { $set: { expiresAt: new Date() } });
    const replies = await Promise.all(
      [deviceCode, newDeviceCode(), newKey(), userCode, ''].map((code) => askForKey(code)),
    );
    for (const { status, body } of replies) {
      expect([status, body]).toEqual([400, replies[0]!.body]);
      expect(body.code).toBe('EXPIRED_TOKEN');
    }
  });

  test('gets no key again by an Idempotency-Key', async () => {
    const { identity } = await newOrganization();
    const { deviceCode, userCode } = await begun();
    await as(identity).approve(userCode);
    const headers = { 'idempotency-key': 'same' };
    expect((await askForKey(deviceCode, headers)).status).toBe(200);
    expect((await askForKey(deviceCode, headers)).body.code).toBe('EXPIRED_TOKEN');
  });
});

describe('the approval page', () => {
  test('shows what asks, from where and since when, under the code as people type it', async () => {
    const { identity } = await newOrganization();
    const { userCode } = await begun();
    for (const typed of [userCode, userCode.toLowerCase(), userCode.replace('-', '')]) {
      const { status, body } = await as(identity).look(typed);
      expect([status, body]).toEqual([
        200,
        {
          userCode,
          clientName: 'adas-laptop',
          clientAddress: '192.0.2.7',
          state: 'waiting',
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
        },
      ]);
    }
    expect((await as(identity).look('1234-5678')).body.details.issues[0].path).toBe(':userCode');
  });

  test('shows a login that another organization has approved to nobody, as one that never was', async () => {
    const [owner, stranger] = [await newOrganization(), await newOrganization()];
    const { userCode } = await begun();
    await as(owner.identity).approve(userCode);
    const foreign = await as(stranger.identity).look(userCode);
    const absent = await as(stranger.identity).look('BBBB-BBBB');
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text.replace('BBBB-BBBB', userCode));
    expect((await as(stranger.identity).deny(userCode)).status).toBe(404);
  });

  test('takes ten wrong codes of a member in ten minutes, also at once, and right ones as often as one likes', async () => {
    const organization = await newOrganization();
    const member = as(organization.identity);
    const { userCode } = await begun();
    for (let count = 0; count < 12; count++) expect((await member.look(userCode)).status).toBe(200);
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 2 ? member.look('BBBB-BBBB') : member.approve('CCCC-CCCC'),
      ),
    );
    expect(guesses.filter(({ status }) => status === 404)).toHaveLength(10);
    const refused = guesses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20);
    expect(refused[0]!.headers.get('retry-after')).toBe('600');
    expect((await member.look(userCode)).status).toBe(429);
    const another = as(inSession(organization, { userId: 'another' }));
    expect((await another.look(userCode)).status).toBe(200);
    await database
      .collection('deviceCodeAttempts')
      .updateMany({}, { $set: { expiresAt: new Date() } });
    expect((await member.look(userCode)).status).toBe(200);
  });
});

describe('logging out', () => {
  test('revokes the key that a login gave, for mere members too, and announces it', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'out@example.com' });
    const { deviceCode, userCode } = await begun();
    await as(inSession(organization, { userId, role: 'member' })).approve(userCode);
    const { key, id } = (await askForKey(deviceCode)).body;
    const identity = await identityOf(key);
    const leave = () => world.request('DELETE', '/session/device', undefined, { identity });
    expect((await leave()).status).toBe(200);
    expect(await verify(key)).toEqual({ outcome: 'unknown' });
    await poll('the end is announced', () =>
      heard.some(
        ({ event, payload }) =>
          event === 'keyRevoked' && (payload as { apiKeyId?: string }).apiKeyId === id,
      ),
    );
    expect((await leave()).status).toBe(404);
  });

  test('leaves a key alone that an admin made, and one of another organization', async () => {
    const [owner, stranger] = [await newOrganization(), await newOrganization()];
    const { deviceCode, userCode } = await begun();
    await as(owner.identity).approve(userCode);
    const { key, id } = (await askForKey(deviceCode)).body;
    const leave = (identity: Identity) =>
      world.request('DELETE', '/session/device', undefined, { identity });
    const foreign = { ...stranger.identity, apiKeyId: id };
    for (const identity of [owner.identity, foreign, inSession(owner)])
      expect((await leave(identity)).status).toBe(404);
    for (const good of [key, owner.key]) expect((await verify(good)).outcome).toBe('valid');
  });
});
