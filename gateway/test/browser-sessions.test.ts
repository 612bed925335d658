import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { hashOf, makeKey, newLoginToken, newSessionSecret } from '@assay/runtime/api-key';
import { createLog } from '@assay/runtime/log';
import { operatorIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, start } from '../src/gateway.ts';
import { connect, headOf } from './connection.ts';
import { echo, type FakeService, gatewayConfigOf, startFakeService } from './setting.ts';

/** Two gateways before the real identity and one fake service in the place of all others. */
let world: World;
let service: FakeService;
let gateways: RunningGateway[];
const logged: string[] = [];

beforeAll(async () => {
  world = await startWorld({ services: { identity: startIdentity } });
  service = await startFakeService();
  const log = createLog({
    name: 'test',
    level: 'trace',
    destination: { write: (line: string) => void logged.push(line) },
  });
  const config = { ...gatewayConfigOf(world, service.url, {}), IDENTITY_URL: world.urls.identity! };
  gateways = await Promise.all([
    start(config, log),
    start(config, log),
    start({ ...config, PUBLIC_URL: 'https://assay.example.com/v2' }, log),
  ]);
});
afterEach(() => service.behave(echo));
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await service.stop();
  await world.stop();
});

interface RequestParts {
  gateway?: number;
  body?: object | string;
  headers?: Record<string, string>;
}

async function send(
  method: string,
  path: string,
  { gateway = 0, body, headers = {} }: RequestParts = {},
) {
  const reply = await fetch(`${gateways[gateway]!.url}/v2${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a reply, and checks it.
    body: (text === '' ? undefined : JSON.parse(text)) as any,
  };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const fromConsole = { 'sec-fetch-site': 'same-origin', 'x-assay-console': '1' };
const ask = () => world.bus.asks(identity).identity;

async function newOrganization(name = 'Example Ltd') {
  const { key, kept } = makeKey();
  const { organization } = await ask().createOrganization(operatorIdentity, { name, key: kept });
  return { id: organization.id, key };
}

/** The cookie as a browser sends it back. */
async function signIn(key: string, gateway = 0): Promise<string> {
  const reply = await send('POST', '/session', { gateway, headers: bearer(key) });
  expect([reply.status, reply.text]).toEqual([204, '']);
  return reply.headers.get('set-cookie')!.split(';')[0]!;
}

async function loginToken(member: string): Promise<string> {
  const token = newLoginToken();
  await ask().createLoginToken(operatorIdentity, { member, tokenHash: hashOf(token) });
  return token;
}

const statusOf = async (cookie: string, gateway = 0) =>
  (await send('GET', '/me', { gateway, headers: { cookie } })).status;

/** A session ends at the gateway that has cached it, and at the other. */
async function endsEverywhere(cookie: string): Promise<void> {
  for (const gateway of [0, 1])
    await poll('it is refused', async () => (await statusOf(cookie, gateway)) === 401);
}

describe('the cookie', () => {
  test('by plain http is for scripts and other sites out of reach, and lasts seven days', async () => {
    const { key } = await newOrganization();
    const reply = await send('POST', '/session', { headers: bearer(key) });
    expect(reply.headers.get('set-cookie')).toMatch(
      /^assay=as_\w{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(reply.headers.get('x-assay-session')).toBeNull();
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('by https is bound to the host, and the one without that prefix is not taken', async () => {
    const { key } = await newOrganization();
    const reply = await send('POST', '/session', { gateway: 2, headers: bearer(key) });
    const set = reply.headers.get('set-cookie')!;
    expect(set).toMatch(
      /^__Host-assay=as_\w{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = set.split(';')[0]!;
    expect(await statusOf(cookie, 2)).toBe(200);
    expect(await statusOf(cookie.replace('__Host-', ''), 2)).toBe(401);
    expect(await statusOf(cookie, 0)).toBe(401);
  });

  test('has a new value at each sign-in, and never the one that the browser came with', async () => {
    const { key } = await newOrganization();
    const planted = `assay=${newSessionSecret()}`;
    const reply = await send('POST', '/session', { headers: { ...bearer(key), cookie: planted } });
    const given = reply.headers.get('set-cookie')!.split(';')[0]!;
    expect([given === planted, await statusOf(planted)]).toEqual([false, 401]);
    expect(await signIn(key)).not.toBe(given);
  });

  test('is set where the body of the sign-in comes in pieces, too', async () => {
    const { key } = await newOrganization();
    const client = connect(gateways[0]!.url);
    client.write(headOf('POST', '/session', { ...bearer(key), 'transfer-encoding': 'chunked' }));
    client.write('0\r\n\r\n');
    const reply = await client.reply();
    expect([reply.status, String(reply.headers['set-cookie'])]).toEqual([
      204,
      expect.stringMatching(/^assay=as_/),
    ]);
    expect(reply.headers).not.toHaveProperty('x-assay-session');
    client.vanish();
  });

  test('is sent to no service and logged nowhere', async () => {
    const cookie = await signIn((await newOrganization()).key);
    const seen = await send('GET', '/projects', { headers: { cookie } });
    expect(seen.status).toBe(200);
    expect(seen.body.headers).not.toHaveProperty('cookie');
    expect(seen.text).not.toContain(cookie.slice('assay='.length));
    service.behave((_request, response) => void response.destroy());
    expect((await send('GET', '/projects', { headers: { cookie } })).status).toBe(503);
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join('')).not.toContain(cookie.slice('assay='.length));
  });

  test('that a service sets for itself by the header of identity is dropped', async () => {
    const { key } = await newOrganization();
    service.behave((_request, response) =>
      response.writeHead(200, { 'x-assay-session': newSessionSecret() }).end('{}'),
    );
    const reply = await send('GET', '/projects', { headers: bearer(key) });
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(reply.headers.get('x-assay-session')).toBeNull();
  });

  test('is refused where there are two of it, since another site of the host may have set one', async () => {
    const { key } = await newOrganization();
    const [one, other] = [await signIn(key), await signIn(key)];
    const reply = await send('GET', '/me', { headers: { cookie: `${one}; ${other}` } });
    expect([reply.status, reply.body.message]).toEqual([
      401,
      expect.stringContaining('more than one'),
    ]);
    expect(await statusOf(`theme=dark; ${one}; x=assay=1`)).toBe(200);
  });
});

describe('a request with the cookie', () => {
  test('acts as the key that signed in, with its role', async () => {
    const { key } = await newOrganization();
    const plain = await send('POST', '/api-keys', {
      headers: bearer(key),
      body: { name: 'plain' },
    });
    const cookie = await signIn(plain.body.key);
    const me = (await send('GET', '/me', { headers: { cookie } })).body;
    expect(me).toMatchObject({ role: 'member', key: { id: plain.body.id } });
    const refused = await send('POST', '/members', {
      headers: { cookie, ...fromConsole },
      body: { email: 'a@example.com' },
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('is counted with the other requests of its organization', async () => {
    const cookie = await signIn((await newOrganization()).key);
    const { headers } = await send('GET', '/me', { headers: { cookie } });
    expect(headers.get('ratelimit-remaining')).toBe('999998');
  });

  test('reaches its own organization alone', async () => {
    const [one, other] = [await newOrganization('One'), await newOrganization('Other')];
    const cookies = [await signIn(one.key), await signIn(other.key)];
    const names = await Promise.all(
      cookies.map(
        async (cookie) => (await send('GET', '/organization', { headers: { cookie } })).body.name,
      ),
    );
    expect(names).toEqual(['One', 'Other']);
  });

  test('gives way to a bearer, good or bad, and not to the password of a proxy', async () => {
    const [one, other] = [await newOrganization('One'), await newOrganization('Other')];
    const cookie = await signIn(one.key);
    const name = async (authorization: string) =>
      (await send('GET', '/organization', { headers: { cookie, authorization } })).body;
    expect(await name(`Bearer ${other.key}`)).toMatchObject({ name: 'Other' });
    for (const wrong of ['Bearer ak_wrong', 'bearer', 'Bearer '])
      expect(await name(wrong)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await name('Basic YTpi')).toMatchObject({ name: 'One' });
  });

  test('is no key, and a key is no cookie, also while the gateway remembers them', async () => {
    const { key } = await newOrganization();
    const cookie = await signIn(key);
    const secret = cookie.slice('assay='.length);
    expect(await statusOf(cookie)).toBe(200);
    expect((await send('GET', '/me', { headers: bearer(secret) })).status).toBe(401);
    expect((await send('GET', '/me', { headers: bearer(key) })).status).toBe(200);
    expect(await statusOf(`assay=${key}`)).toBe(401);
  });

  test('that nobody has is a 401 that says to sign in again, as a malformed one is', async () => {
    for (const secret of [newSessionSecret(), 'x', '', '__proto__', `as_${'0'.repeat(49)}`]) {
      const reply = await send('GET', '/me', { headers: { cookie: `assay=${secret}` } });
      expect([reply.status, reply.body.message]).toEqual([
        401,
        'The browser session has ended or is invalid: sign in again.',
      ]);
    }
  });
});

describe('a request of another site', () => {
  const own = () => new URL(gateways[0]!.url).origin;
  const write = (headers: Record<string, string>, method = 'POST') =>
    send(method, '/projects', { headers, ...(method === 'POST' ? { body: { name: 'x' } } : {}) });
  let cookie: string;
  beforeAll(async () => {
    cookie = await signIn((await newOrganization()).key);
  });

  test('changes nothing: every unsafe request needs the same origin and the header of the console', async () => {
    const forged: Record<string, string>[] = [
      {},
      { 'x-assay-console': '1' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', 'x-assay-console': '0' },
      { 'sec-fetch-site': 'same-origin', 'x-assay-console': '1, 1' },
      { 'sec-fetch-site': 'same-site', 'x-assay-console': '1' },
      { 'sec-fetch-site': 'cross-site', 'x-assay-console': '1' },
      { 'sec-fetch-site': 'none', 'x-assay-console': '1' },
      { 'sec-fetch-site': 'cross-site', origin: own(), 'x-assay-console': '1' },
      { 'sec-fetch-site': 'same-origin, cross-site', 'x-assay-console': '1' },
      { origin: own() },
      { origin: 'null', 'x-assay-console': '1' },
      { origin: 'https://evil.example', 'x-assay-console': '1' },
      { origin: `${own()}.evil.example`, 'x-assay-console': '1' },
      { origin: own().replace('http:', 'https:'), 'x-assay-console': '1' },
      { origin: own().replace(/:\d+$/, ':1'), 'x-assay-console': '1' },
    ];
    for (const headers of forged) {
      const reply = await write({ cookie, ...headers });
      expect([headers, reply.status, reply.body.code]).toEqual([headers, 403, 'FORBIDDEN']);
      expect(reply.body.message).toContain('x-assay-console: 1');
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await send(method, '/runs/r', { headers: { cookie } })).status).toBe(403);
    expect((await send('DELETE', '/session', { headers: { cookie } })).status).toBe(403);
    expect(await statusOf(cookie)).toBe(200);
  });

  test('is told from the console by Sec-Fetch-Site or, where that is missing, by an equal Origin', async () => {
    expect((await write({ cookie, ...fromConsole })).status).toBe(200);
    expect((await write({ cookie, origin: own(), 'x-assay-console': '1' })).status).toBe(200);
  });

  test('reads nothing either, should a browser send the cookie along', async () => {
    const read = async (headers: Record<string, string>) =>
      (await send('GET', '/projects', { headers: { cookie, ...headers } })).status;
    for (const site of ['cross-site', 'same-site'])
      expect(await read({ 'sec-fetch-site': site })).toBe(403);
    expect(await read({ origin: 'https://evil.example' })).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect(await read({ 'sec-fetch-site': site })).toBe(200);
  });

  test('with a bearer is as before: who has the key needs no origin', async () => {
    const { key } = await newOrganization();
    const headers = { ...bearer(key), cookie, 'sec-fetch-site': 'cross-site' };
    expect((await write(headers)).status).toBe(200);
  });

  test('gets no permission by CORS, neither before nor with its request', async () => {
    const headers = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-assay-console',
    };
    for (const reply of [
      await send('OPTIONS', '/projects', { headers }),
      await write({ cookie, origin: 'https://evil.example' }),
    ]) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
        [],
      );
    }
  });

  test('does not sign a browser in by a token of its own', async () => {
    const { id } = await newOrganization();
    const token = await loginToken(id);
    const attempts: [Record<string, string>, number][] = [
      [{}, 401],
      [{ 'sec-fetch-site': 'same-origin' }, 401],
      [{ ...fromConsole, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...fromConsole, 'sec-fetch-site': 'same-site' }, 403],
      [{ origin: 'https://evil.example', 'x-assay-console': '1' }, 403],
    ];
    for (const [headers, status] of attempts) {
      const reply = await send('POST', '/session', { headers, body: { token } });
      expect([headers, reply.status, reply.headers.get('set-cookie')]).toEqual([
        headers,
        status,
        null,
      ]);
    }
    const form = { 'content-type': 'text/plain', ...fromConsole };
    expect(
      (await send('POST', '/session', { headers: form, body: JSON.stringify({ token }) })).status,
    ).toBe(415);
    expect((await send('POST', '/session', { headers: fromConsole, body: { token } })).status).toBe(
      204,
    );
  });
});

describe('a sign-in link', () => {
  test('signs its member in once, and whoever uses it again gets a 401 that says how to go on', async () => {
    const { id } = await newOrganization('Linked');
    const token = await loginToken(id);
    const use = (gateway: number) =>
      send('POST', '/session', { gateway, headers: fromConsole, body: { token } });
    const replies = await Promise.all([use(0), use(1), use(0), use(1)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 401, 401, 401]);
    const stolen = replies.find(({ status }) => status === 401)!;
    expect(stolen.body.message).toContain('login-link');
    expect(stolen.headers.get('set-cookie')).toBeNull();
    const cookie = replies
      .find(({ status }) => status === 204)!
      .headers.get('set-cookie')!
      .split(';')[0]!;
    const me = (await send('GET', '/me', { headers: { cookie } })).body;
    expect(me).toMatchObject({ organization: { name: 'Linked' }, role: 'admin', key: null });
  });

  test('works for a browser whose old session has ended', async () => {
    const { id } = await newOrganization();
    const token = await loginToken(id);
    const headers = { ...fromConsole, cookie: `assay=${newSessionSecret()}` };
    expect((await send('POST', '/session', { headers, body: { token } })).status).toBe(204);
  });

  test('cannot be guessed in bulk: sign-ins without a key are refused after a few in a second', async () => {
    const guess = { gateway: 1, headers: fromConsole, body: { token: 'x' } };
    const refused: Awaited<ReturnType<typeof send>>[] = [];
    // A busy machine takes some seconds for sixty of them.
    await poll('more than ten are refused', async () => {
      const attempts = Array.from({ length: 60 }, () => send('POST', '/session', guess));
      refused.push(...(await Promise.all(attempts)).filter(({ status }) => status === 429));
      return refused.length > 10;
    });
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    const { key } = await newOrganization();
    await poll('a key signs in meanwhile', async () => (await signIn(key, 1)) !== '');
  });
});

describe('a session ends', () => {
  test('everywhere within a second of its sign-out, which also takes the cookie back', async () => {
    const cookie = await signIn((await newOrganization()).key);
    expect([await statusOf(cookie, 0), await statusOf(cookie, 1)]).toEqual([200, 200]);
    const reply = await send('DELETE', '/session', { headers: { cookie, ...fromConsole } });
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([
      204,
      'assay=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    ]);
    await endsEverywhere(cookie);
  });

  test('everywhere when its key is revoked, with the stream that it has open', async () => {
    const { key } = await newOrganization();
    const second = (
      await send('POST', '/api-keys', { headers: bearer(key), body: { name: 'second' } })
    ).body;
    const [ending, staying] = [await signIn(second.key), await signIn(key)];
    service.behave((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: progress\n\n');
    });
    const streams = [ending, staying].map((cookie) => {
      const client = connect(gateways[1]!.url);
      client.write(headOf('GET', '/runs/r/events', { cookie }));
      return client;
    });
    for (const stream of streams) expect((await stream.reply()).status).toBe(200);
    await send('DELETE', `/api-keys/${second.id}`, { headers: bearer(key) });
    await endsEverywhere(ending);
    await poll('its stream ends', () => streams[0]!.isClosed());
    expect([await statusOf(staying), streams[1]!.isClosed()]).toEqual([200, false]);
    streams[1]!.vanish();
  });

  test('everywhere when its member is removed, and has another role at once when that changes', async () => {
    const { key } = await newOrganization();
    const member = (
      await send('POST', '/members', {
        headers: bearer(key),
        body: { email: 'ada@example.com', role: 'admin' },
      })
    ).body;
    const token = await loginToken(member.userId);
    const signedIn = await send('POST', '/session', { headers: fromConsole, body: { token } });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const roleAt = async (gateway: number) =>
      (await send('GET', '/me', { gateway, headers: { cookie } })).body.role;
    expect([await roleAt(0), await roleAt(1)]).toEqual(['admin', 'admin']);
    const path = `/members/${member.userId}`;
    await send('PATCH', path, { headers: bearer(key), body: { role: 'member' } });
    for (const gateway of [0, 1])
      await poll('the role is told', async () => (await roleAt(gateway)) === 'member');
    await send('DELETE', path, { headers: bearer(key) });
    await endsEverywhere(cookie);
  });
});
