import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { makeKey } from '@assay/runtime/api-key';
import { createLog } from '@assay/runtime/log';
import { operatorIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { send as sendTo } from '@assay/testing/reply';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, start } from '../src/gateway.ts';
import { gatewayConfigOf } from './setting.ts';

/** Two gateways before the real identity, and one behind proxies. */
let world: World;
let gateways: RunningGateway[];
let key: string;
const logged: string[] = [];

beforeAll(async () => {
  world = await startWorld({ services: { identity: startIdentity } });
  const url = world.urls.identity!;
  const destination = { write: (line: string) => void logged.push(line) };
  const log = createLog({ name: 'test', level: 'trace', destination });
  const config = gatewayConfigOf(world, url, {});
  const behindProxies = { ...config, TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
  gateways = await Promise.all([config, config, behindProxies].map((each) => start(each, log)));
  const made = makeKey();
  key = made.key;
  await world.bus
    .asks(identity)
    .identity.createOrganization(operatorIdentity, { name: 'Example Ltd', key: made.kept });
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await world.stop();
});

interface SentParts {
  gateway?: number;
  body?: object;
  headers?: Record<string, string>;
}

const send = (method: string, path: string, { gateway = 0, body, headers = {} }: SentParts = {}) =>
  sendTo(`${gateways[gateway]!.url}/v2${path}`, { method, body, headers, raw: undefined });

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const fromConsole = { 'sec-fetch-site': 'same-origin', 'x-assay-console': '1' };
const begin = (headers: Record<string, string> = {}, gateway = 0) =>
  send('POST', '/session/device', { gateway, body: { clientName: 'laptop' }, headers });
const askForKey = (deviceCode: string, gateway = 0) =>
  send('POST', '/session/device/token', { gateway, body: { deviceCode } });

test('a device logs in without a key, by a key or none and from wherever it says, and is shown by its address', async () => {
  const all: Record<string, string>[] = [
    {},
    bearer('ak_wrong'),
    bearer(key),
    { cookie: 'assay=x; assay=y', 'sec-fetch-site': 'cross-site' },
    { 'x-forwarded-for': '203.0.113.9', 'x-assay-identity': 'forged' },
  ];
  for (const headers of all) {
    const { status, body } = await begin(headers);
    expect(status).toBe(201);
    const shown = await send('GET', `/session/device/${body.userCode}`, { headers: bearer(key) });
    expect(shown.body).toMatchObject({ clientName: 'laptop', clientAddress: '127.0.0.1' });
    expect((await askForKey(body.deviceCode)).body.code).toBe('AUTHORIZATION_PENDING');
    expect(logged.join('')).not.toContain(body.deviceCode);
  }
});

test('behind proxies that are trusted, the address is the last one that is none of theirs', async () => {
  const addressBehind = async (forwarded: string) => {
    const { body } = await begin({ 'x-forwarded-for': forwarded }, 2);
    const shown = await send('GET', `/session/device/${body.userCode}`, { headers: bearer(key) });
    return shown.body.clientAddress;
  };
  expect(await addressBehind('203.0.113.9')).toBe('203.0.113.9');
  expect(await addressBehind('198.51.100.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
  expect(await addressBehind('2001:db8::1, 10.1.2.3:443')).toBe('2001:db8::1');
  expect(await addressBehind('203.0.113.9, unknown')).toBe('127.0.0.1');
  expect(await addressBehind('10.1.2.3')).toBe('10.1.2.3');
});

test('sign-ins are counted by the address of the client, and of IPv6 by its network', async () => {
  const signIn = async (address: string) => {
    const headers = { ...fromConsole, 'x-forwarded-for': address };
    return (await send('POST', '/session', { gateway: 2, headers, body: { token: 'x' } })).status;
  };
  await poll('one network has had its turns of a second', async () => {
    const flood = Array.from({ length: 40 }, (_, index) => signIn(`2001:db8:0:9::${index}`));
    return (await Promise.all(flood)).includes(429);
  });
  expect(await signIn('2001:db8:0:a::1')).not.toBe(429);
});

test('a login is looked at, approved and denied by members alone, and in a browser by the console alone', async () => {
  const { deviceCode, userCode } = (await begin()).body;
  const signedIn = await send('POST', '/session', { headers: bearer(key) });
  const session = {
    cookie: signedIn.headers.get('set-cookie')!.split(';')[0]!,
    'x-assay-console': signedIn.headers.get('x-assay-console')!,
  };
  const path = `/session/device/${userCode}`;
  const refused: [string, string, Record<string, string>, number][] = [
    ['GET', path, {}, 401],
    ['POST', `${path}/approve`, {}, 401],
    ['POST', `${path}/deny`, fromConsole, 401],
    ['GET', path, { ...session, 'sec-fetch-site': 'cross-site' }, 403],
    ['POST', `${path}/approve`, session, 403],
    ['POST', `${path}/approve`, { ...session, ...fromConsole }, 401],
    ['POST', `${path}/approve`, { ...session, 'sec-fetch-site': 'cross-site' }, 403],
    ['POST', `${path}/deny`, { ...session, origin: 'https://evil.example' }, 403],
    ['GET', `${path}/approve`, session, 405],
    ['GET', `${path}/deny`, session, 405],
  ];
  for (const [method, target, headers, status] of refused)
    expect([method, target, (await send(method, target, { headers })).status]).toEqual([
      method,
      target,
      status,
    ]);
  expect((await send('GET', path, { headers: session })).body.state).toBe('waiting');
  const headers = { ...session, 'sec-fetch-site': 'same-origin' };
  const approved = await send('POST', `${path}/approve`, { headers });
  expect([approved.status, approved.body.state]).toEqual([200, 'approved']);
  expect((await askForKey(deviceCode, 1)).status).toBe(200);
});

test('a device that logs out ends its key at every gateway within a second', async () => {
  const { deviceCode, userCode } = (await begin()).body;
  await send('POST', `/session/device/${userCode}/approve`, { headers: bearer(key) });
  const headers = bearer((await askForKey(deviceCode)).body.key);
  const statusAt = async (gateway: number) =>
    (await send('GET', '/me', { gateway, headers })).status;
  expect([await statusAt(0), await statusAt(1)]).toEqual([200, 200]);
  // The end of the key may be heard before the reply has come.
  expect([200, 401]).toContain((await send('DELETE', '/session/device', { headers })).status);
  for (const gateway of [0, 1])
    await poll('the key has ended', async () => (await statusAt(gateway)) === 401);
  expect((await send('GET', '/me', { headers: bearer(key) })).status).toBe(200);
});

test('one address begins and asks twenty times in a second, and is told to wait then', async () => {
  const replies = await Promise.all(
    Array.from({ length: 300 }, (_, index) => (index % 2 ? begin() : askForKey('ad_x'))),
  );
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
  expect((await send('GET', '/me', { headers: bearer(key) })).status).toBe(200);
});
