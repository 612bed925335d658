import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { hashOf, makeKey, newKey } from '@assay/runtime/api-key';
import { createServiceClient } from '@assay/runtime/http/client';
import { operatorIdentity } from '@assay/runtime/signature';
import { keysOf } from '@assay/testing/keys';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/gateway.ts';
import { createKeys } from '../src/keys.ts';
import {
  announce,
  answerAsIdentity,
  gatewayConfigOf,
  type Setting,
  startSetting,
} from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
});
afterAll(() => setting.stop());

const statusOf = async (key: string, path = '/projects') =>
  (await setting.send('GET', path, { headers: { authorization: `Bearer ${key}` } })).status;
/** Nobody is asked over HTTP while the bus is there. */
const refuse = () => Promise.reject(new Error('asked over HTTP'));
const nobody = { verifyKeyDirectly: refuse, verifySessionDirectly: refuse };

describe('the key cache', () => {
  test('a key is asked for once, however many requests come with it at once', async () => {
    const keys = createKeys({ bus: setting.world.bus, direct: nobody });
    const key = setting.identity.key();
    const before = setting.identity.asked;
    // More than one address may ask about at once: those that wait for a permit use the first
    // answer.
    await Promise.all(
      Array.from({ length: 100 }, () => keys.ownerOf(`Bearer ${key}`, '127.0.0.1')),
    );
    expect(setting.identity.asked).toBe(before + 1);
    expect(await Promise.all(Array.from({ length: 20 }, () => statusOf(key)))).toEqual(
      Array(20).fill(200),
    );
    expect(setting.identity.asked).toBe(before + 2);
  });

  test('a revoked key stops when that is announced', async () => {
    const key = setting.identity.key();
    expect(await statusOf(key)).toBe(200);
    setting.identity.revoke(key);
    expect(await statusOf(key)).toBe(200);
    announce(setting.world.bus, 'keyRevoked', { keyHash: hashOf(key) });
    await poll('the key is refused', async () => (await statusOf(key)) === 401);
  });

  test('the keys of a changed member are asked for again, and no others', async () => {
    const [changed, other] = [
      setting.identity.key({ userId: 'u1' }),
      setting.identity.key({ userId: 'u2' }),
    ];
    expect([await statusOf(changed), await statusOf(other)]).toEqual([200, 200]);
    setting.identity.revoke(changed);
    setting.identity.revoke(other);
    announce(setting.world.bus, 'memberChanged', { userId: 'u1' });
    await poll(
      "the changed member's key is refused",
      async () => (await statusOf(changed)) === 401,
    );
    expect(await statusOf(other)).toBe(200);
  });

  test('an answer that was under way when its key was revoked is not kept', async () => {
    const keys = createKeys({ bus: setting.world.bus, direct: nobody });
    const open = async (which: string) => keys.ownerOf(`Bearer ${which}`, '127.0.0.1');
    const key = setting.identity.key();
    let letGo: (() => void) | undefined;
    setting.identity.before = () =>
      new Promise((resolve) => {
        letGo = resolve;
      });
    const before = setting.identity.asked;
    const first = open(key);
    await poll('identity is asked', () => setting.identity.asked > before);
    setting.identity.revoke(key);
    announce(setting.world.bus, 'keyRevoked', { keyHash: hashOf(key) });
    setting.identity.before = async () => undefined;
    // The next answer of identity arrives after the announcement.
    await open(setting.identity.key({ userId: 'marker' }));
    letGo!();
    await first;
    await expect(open(key)).rejects.toThrow('invalid');
  });

  test('a key ends at its expiry, although it is cached', async () => {
    let now = 1_000_000;
    const keys = createKeys({ bus: setting.world.bus, direct: nobody, now: () => now });
    const key = setting.identity.key({ expiresAtMs: now + 300 });
    const open = async () => keys.ownerOf(`Bearer ${key}`, '127.0.0.1');
    await open();
    now += 299;
    await open();
    now += 1;
    await expect(open()).rejects.toThrow('invalid');
  });

  test('a known key is believed for 30 s, an unknown one for a second', async () => {
    let now = 1_000_000;
    const keys = createKeys({ bus: setting.world.bus, direct: nobody, now: () => now });
    const key = setting.identity.key();
    const unknown = newKey();
    const open = async (which: string) => keys.ownerOf(`Bearer ${which}`, '127.0.0.1');
    await open(key);
    await expect(open(unknown)).rejects.toThrow('invalid');
    const asked = setting.identity.asked;
    now += 999;
    await expect(open(unknown)).rejects.toThrow('invalid');
    now += 29_000;
    await open(key);
    expect(setting.identity.asked).toBe(asked);
    now += 2;
    await open(key);
    await expect(open(unknown)).rejects.toThrow('invalid');
    expect(setting.identity.asked).toBe(asked + 2);
  });

  test('a key is not believed for an hour when the clock is set back, nor an address refused so long', async () => {
    let now = 1_000_000_000;
    const keys = createKeys({ bus: setting.world.bus, direct: nobody, now: () => now });
    const key = setting.identity.key();
    await keys.ownerOf(`Bearer ${key}`, '127.0.0.1');
    await Promise.allSettled(
      Array.from({ length: 100 }, async () => keys.ownerOf(`Bearer ${newKey()}`, '127.0.0.1')),
    );
    now -= 3_600_000;
    setting.identity.revoke(key);
    await expect(Promise.resolve(keys.ownerOf(`Bearer ${key}`, '127.0.0.1'))).rejects.toMatchObject(
      { code: 'UNAUTHORIZED' },
    );
    await keys.ownerOf(`Bearer ${setting.identity.key()}`, '127.0.0.1');
  });
});

describe('keys that nobody has', () => {
  test('a text that cannot be a key is refused without asking identity', async () => {
    const asked = setting.identity.asked;
    const key = newKey();
    for (const wrong of [
      'ak_wrong',
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `${key}0`,
    ])
      expect(await statusOf(wrong)).toBe(401);
    expect(setting.identity.asked).toBe(asked);
  });

  test('a flood of them from one address is looked up together, and no good key is refused beside it', async () => {
    let now = 1_000_000;
    const keys = createKeys({ bus: setting.world.bus, direct: nobody, now: () => now });
    const key = setting.identity.key();
    await keys.ownerOf(`Bearer ${key}`, 'here');
    const asked = setting.identity.asked;
    const good = Array.from({ length: 10 }, () => setting.identity.key());
    const attempts = [...Array.from({ length: 2000 }, newKey), ...good];
    const flood = await Promise.allSettled(
      attempts.map(async (each) => keys.ownerOf(`Bearer ${each}`, 'here')),
    );
    const codes = flood.map((each) => (each.status === 'rejected' ? each.reason.code : 'good'));
    expect(codes.slice(0, 2000).filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThan(
      1950,
    );
    expect(codes.slice(2000)).toEqual(Array(10).fill('good'));
    expect(setting.identity.asked - asked).toBeLessThan(60);
    expect(setting.identity.askedTogether).toBeLessThan(20);
    await expect(keys.ownerOf(`Bearer ${newKey()}`, 'here')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await keys.ownerOf(`Bearer ${setting.identity.key()}`, 'here');
    // Longer than a known key is believed: it is asked about again all the same.
    now += 900;
    await keys.ownerOf(`Bearer ${key}`, 'here');
    await keys.ownerOf(`Bearer ${setting.identity.key()}`, 'elsewhere');
    now += 100;
    await keys.ownerOf(`Bearer ${setting.identity.key()}`, 'here');
  });

  test('many good keys that come from one address at once are all taken', async () => {
    const keys = createKeys({ bus: setting.world.bus, direct: nobody });
    const many = Array.from({ length: 200 }, () => setting.identity.key());
    const owners = await Promise.all(
      many.map(async (key) => keys.ownerOf(`Bearer ${key}`, 'here')),
    );
    expect(owners).toHaveLength(200);
  });
});

describe('when identity or the bus is away', () => {
  test('cached keys go on working, others get a 503; a gateway that cannot check keys says so where dependencies are asked for, and stays ready', async () => {
    const world = await startWorld({ services: {} });
    const own = await startSetting({
      SUBJECT_PREFIX: world.config.SUBJECT_PREFIX,
    });
    const fake = answerAsIdentity(world.bus);
    await world.bus.connection.flush();
    const key = fake.key();
    const send = (which: string) =>
      own.send('GET', '/projects', { headers: { authorization: `Bearer ${which}` } });
    expect((await send(key)).status).toBe(200);
    const problemOfKeys = async () => {
      const reply = await fetch(`${own.gateway.url}/healthz/dependencies`);
      const { dependencies } = (await reply.json()) as { dependencies: { name: string }[] };
      return { status: reply.status, keys: dependencies.find(({ name }) => name === 'keys') };
    };
    expect(await problemOfKeys()).toEqual({ status: 200, keys: { name: 'keys', problem: null } });
    await world.stop();
    expect((await send(key)).status).toBe(200);
    const refused = await send(newKey());
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: 'API keys cannot be checked at the moment.',
      details: {},
    });
    const problem = 'API keys cannot be checked at the moment.';
    await poll('it is told', async () => (await problemOfKeys()).status === 503);
    expect(await problemOfKeys()).toEqual({ status: 503, keys: { name: 'keys', problem } });
    expect((await fetch(`${own.gateway.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${own.gateway.url}/livez`)).status).toBe(200);
    await own.stop();
  });

  test('losing the bus empties the cache, since nobody could tell of a revocation', async () => {
    const key = setting.identity.key();
    const { bus } = setting.world;
    const keys = createKeys({ bus, direct: nobody });
    await keys.ownerOf(`Bearer ${key}`, '127.0.0.1');
    const asked = setting.identity.asked;
    await keys.ownerOf(`Bearer ${key}`, '127.0.0.1');
    expect(setting.identity.asked).toBe(asked);
    let isLost = false;
    bus.onDisconnect(() => {
      isLost = true;
    });
    await bus.connection.reconnect();
    await poll('the bus was lost and is back', () => isLost && bus.isConnected());
    await bus.connection.flush();
    await keys.ownerOf(`Bearer ${key}`, '127.0.0.1');
    expect(setting.identity.asked).toBe(asked + 1);
  });
});

describe('with the real identity service', () => {
  test('while the bus is away a key goes on working, and one that ends is refused within a second', async () => {
    await using world = await startWorld({ services: { identity: startIdentity } });
    const ask = world.bus.asks(identity).identity;
    const [{ key, kept }, second] = [makeKey(), makeKey()];
    const { organization } = await ask.createOrganization(operatorIdentity, {
      name: 'Example Ltd',
      key: kept,
    });
    const about = {
      organizationId: organization.id,
      name: 'second',
      role: 'member' as const,
      key: second.kept,
    };
    const { apiKey } = await ask.createKey(operatorIdentity, about);
    const direct = createServiceClient({
      contract: identity,
      urls: world.urls.identity!,
      keys: keysOf('gateway'),
    });
    let now = 0;
    const keys = createKeys({
      bus: { ...world.bus, isConnected: () => false },
      direct,
      now: () => now,
    });
    const callerOf = async (which: string) =>
      (await keys.ownerOf(`Bearer ${which}`, '127.0.0.1')).caller;
    expect(await callerOf(key)).toMatchObject({ organizationId: organization.id, role: 'admin' });
    expect(await callerOf(second.key)).toMatchObject({ role: 'member' });
    await ask.revokeKey(operatorIdentity, { apiKeyId: apiKey.id });
    now += 1000;
    await expect(callerOf(second.key)).rejects.toThrow('invalid');
    expect(await callerOf(key)).toMatchObject({ role: 'admin' });
    await direct.close();
  });

  test("an organization's key works, reaches its own organization only, and stops everywhere within a second of its revocation", async () => {
    await using world = await startWorld({ services: { identity: startIdentity } });
    const config = gatewayConfigOf(world, world.urls.identity!, {});
    const gateways = await Promise.all([start(config), start(config)]);
    const operator = world.bus.asks(identity).identity;
    const { key, kept } = makeKey();
    const { organization } = await operator.createOrganization(operatorIdentity, {
      name: 'Example Ltd',
      key: kept,
    });
    const ask = async (
      url: string,
      method: string,
      path: string,
      bearer: string,
      body?: object,
    ) => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
      const reply = await fetch(`${url}/v2${path}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return {
        status: reply.status,
        body: (await reply.json()) as { id: string; key: string; name: string },
      };
    };
    const [one, other] = gateways.map(({ url }) => url) as [string, string];
    expect((await ask(one, 'GET', '/organization', key)).body).toMatchObject({
      id: organization.id,
      name: 'Example Ltd',
    });
    const created = await ask(one, 'POST', '/api-keys', key, { name: 'CI' });
    expect(created.status).toBe(201);
    for (const url of [one, other])
      expect((await ask(url, 'GET', '/organization', created.body.key)).status).toBe(200);
    expect((await ask(other, 'POST', '/api-keys', created.body.key, { name: 'More' })).status).toBe(
      403,
    );
    expect((await ask(one, 'DELETE', `/api-keys/${created.body.id}`, key)).status).toBe(200);
    for (const url of [one, other])
      await poll(
        'the key is refused',
        async () => (await ask(url, 'GET', '/organization', created.body.key)).status === 401,
      );
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  });
});
