import { newSessionSecret } from '@assay/runtime/api-key';
import { poll } from '@assay/testing/poll';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connect, headOf } from './connection.ts';
import {
  bearer,
  fromConsole,
  type Session,
  type SessionWorld,
  sameOrigin,
  secretIn,
  sessionIn,
  startSessionWorld,
} from './session-world.ts';
import { echo } from './setting.ts';

let world: SessionWorld;
beforeAll(async () => {
  world = await startSessionWorld();
});
afterEach(() => world.service.behave(echo));
afterAll(() => world.stop());

const send: SessionWorld['send'] = (...request) => world.send(...request);
const newOrganization = (name?: string) => world.newOrganization(name);
const signIn: SessionWorld['signIn'] = (...given) => world.signIn(...given);
const loginToken = (member: string) => world.loginToken(member);
const statusOf: SessionWorld['statusOf'] = (...given) => world.statusOf(...given);
const cookieName = (gateway?: number) => world.cookieName(gateway);

/** A session ends at the gateway that has cached it, and at the other. */
async function endsEverywhere(session: Session): Promise<void> {
  for (const gateway of [0, 1])
    await poll('it is refused', async () => (await statusOf(session, gateway)) === 401);
}

describe('the cookie', () => {
  test('by plain http is for scripts and other sites out of reach, and lasts seven days', async () => {
    const { key } = await newOrganization();
    const reply = await send('POST', '/session', { headers: bearer(key) });
    expect(reply.headers.get('set-cookie')).toMatch(
      /^assay-\d+=as_\w{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(reply.headers.get('x-assay-session')).toBeNull();
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('by https is bound to the host, and the one without that prefix is not taken', async () => {
    const { key } = await newOrganization();
    const reply = await send('POST', '/session', { gateway: 2, headers: bearer(key) });
    const set = reply.headers.get('set-cookie')!;
    expect(set).toMatch(
      /^__Host-assay-443=as_\w{49}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const session = sessionIn(reply);
    const bare = session.cookie.replace('__Host-', '');
    expect(await statusOf(session, 2)).toBe(200);
    expect(await statusOf({ ...session, cookie: bare }, 2)).toBe(401);
    expect(await statusOf(session, 0)).toBe(401);
  });

  test('has the port in its name, so that two installations of one host sign no one out', async () => {
    const { key } = await newOrganization();
    const [one, other] = [await signIn(key, 0), await signIn(key, 1)];
    const names = [one, other].map(({ cookie }) => cookie.split('=')[0]);
    expect(names).toEqual([cookieName(0), cookieName(1)]);
    const cookie = `${one.cookie}; ${other.cookie}`;
    for (const [gateway, session] of [one, other].entries()) {
      const reply = await send('GET', '/me', { gateway, headers: { ...session, cookie } });
      expect(reply.status).toBe(200);
    }
  });

  test('has a new value at each sign-in, and never the one that the browser came with', async () => {
    const { key } = await newOrganization();
    const planted = `${cookieName()}=${newSessionSecret()}`;
    const reply = await send('POST', '/session', { headers: { ...bearer(key), cookie: planted } });
    const given = sessionIn(reply);
    expect([given.cookie === planted, await statusOf({ ...given, cookie: planted })]).toEqual([
      false,
      401,
    ]);
    expect(await signIn(key)).not.toEqual(given);
  });

  test('is set where the body of the sign-in comes in pieces, too', async () => {
    const { key } = await newOrganization();
    const client = connect(world.gateways[0]!.url);
    client.write(headOf('POST', '/session', { ...bearer(key), 'transfer-encoding': 'chunked' }));
    client.write('0\r\n\r\n');
    const reply = await client.reply();
    expect([reply.status, String(reply.headers['set-cookie'])]).toEqual([
      204,
      expect.stringMatching(/^assay-\d+=as_/),
    ]);
    expect(reply.headers).not.toHaveProperty('x-assay-session');
    client.vanish();
  });

  test('is sent to no service and logged nowhere', async () => {
    const session = await signIn((await newOrganization()).key);
    const secrets = [secretIn(session), session['x-assay-console']];
    const seen = await send('GET', '/projects', { headers: session });
    expect(seen.status).toBe(200);
    expect(seen.body.headers).not.toHaveProperty('cookie');
    world.service.behave((_request, response) => void response.destroy());
    expect((await send('GET', '/projects', { headers: session })).status).toBe(503);
    expect(world.logged.length).toBeGreaterThan(0);
    for (const secret of secrets) {
      expect(seen.text).not.toContain(secret);
      expect(world.logged.join('')).not.toContain(secret);
    }
  });

  test('that a service sets for itself by the header of identity is dropped', async () => {
    const { key } = await newOrganization();
    world.service.behave((_request, response) =>
      response
        .writeHead(200, { 'x-assay-session': newSessionSecret(), 'x-assay-console': 'mine' })
        .end('{}'),
    );
    const reply = await send('GET', '/projects', { headers: bearer(key) });
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(reply.headers.get('x-assay-session')).toBeNull();
    expect(reply.headers.get('x-assay-console')).toBeNull();
  });

  test('is refused where there are two of it, since another site of the host may have set one', async () => {
    const { key } = await newOrganization();
    const [one, other] = [await signIn(key), await signIn(key)];
    const reply = await send('GET', '/me', {
      headers: { ...one, cookie: `${one.cookie}; ${other.cookie}` },
    });
    expect([reply.status, reply.body.message]).toEqual([
      401,
      expect.stringContaining('more than one'),
    ]);
    expect(
      await statusOf({ ...one, cookie: `theme=dark; ${one.cookie}; x=${cookieName()}=1` }),
    ).toBe(200);
  });
});

describe('a request with the cookie', () => {
  test('acts as the key that signed in, with its role', async () => {
    const { key } = await newOrganization();
    const plain = await send('POST', '/api-keys', {
      headers: bearer(key),
      body: { name: 'plain' },
    });
    const session = await signIn(plain.body.key);
    const me = (await send('GET', '/me', { headers: session })).body;
    expect(me).toMatchObject({ role: 'member', key: { id: plain.body.id } });
    const refused = await send('POST', '/members', {
      headers: { ...session, ...sameOrigin },
      body: { email: 'a@example.com' },
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('is counted with the other requests of its organization', async () => {
    const session = await signIn((await newOrganization()).key);
    const { headers } = await send('GET', '/me', { headers: session });
    expect(headers.get('ratelimit-remaining')).toBe('999998');
  });

  test('reaches its own organization alone', async () => {
    const [one, other] = [await newOrganization('One'), await newOrganization('Other')];
    const sessions = [await signIn(one.key), await signIn(other.key)];
    const names = await Promise.all(
      sessions.map(async (headers) => (await send('GET', '/organization', { headers })).body.name),
    );
    expect(names).toEqual(['One', 'Other']);
  });

  test('gives way to a bearer, good or bad, and not to the password of a proxy', async () => {
    const [one, other] = [await newOrganization('One'), await newOrganization('Other')];
    const session = await signIn(one.key);
    const name = async (authorization: string) =>
      (await send('GET', '/organization', { headers: { ...session, authorization } })).body;
    expect(await name(`Bearer ${other.key}`)).toMatchObject({ name: 'Other' });
    for (const wrong of ['Bearer ak_wrong', 'bearer', 'Bearer '])
      expect(await name(wrong)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await name('Basic YTpi')).toMatchObject({ name: 'One' });
  });

  test('is no key, and a key is no cookie, also while the gateway remembers them', async () => {
    const { key } = await newOrganization();
    const session = await signIn(key);
    expect(await statusOf(session)).toBe(200);
    for (const secret of [secretIn(session), session['x-assay-console']])
      expect((await send('GET', '/me', { headers: bearer(secret) })).status).toBe(401);
    expect((await send('GET', '/me', { headers: bearer(key) })).status).toBe(200);
    expect(await statusOf({ ...session, cookie: `${cookieName()}=${key}` })).toBe(401);
  });

  test('that nobody has is a 401 that says to sign in again, as a malformed one is', async () => {
    for (const secret of [newSessionSecret(), 'x', '', '__proto__', `as_${'0'.repeat(49)}`]) {
      const cookie = `${cookieName()}=${secret}`;
      const reply = await send('GET', '/me', { headers: { cookie, 'x-assay-console': '1' } });
      expect([reply.status, reply.body.message]).toEqual([
        401,
        'The browser session has ended or is invalid: sign in again.',
      ]);
    }
  });
});

describe('a request of another site', () => {
  const own = () => new URL(world.gateways[0]!.url).origin;
  const write = (headers: Record<string, string>, method = 'POST') =>
    send(method, '/projects', { headers, ...(method === 'POST' ? { body: { name: 'x' } } : {}) });
  let session: Session;
  beforeAll(async () => {
    session = await signIn((await newOrganization()).key);
  });

  test('changes nothing: every unsafe request needs the same origin beside the second secret', async () => {
    const forged: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: own() },
      { 'sec-fetch-site': 'same-origin, cross-site' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: `${own()}.evil.example` },
      { origin: own().replace('http:', 'https:') },
      { origin: own().replace(/:\d+$/, ':1') },
    ];
    for (const headers of forged) {
      const reply = await write({ ...session, ...headers });
      expect([headers, reply.status, reply.body.code]).toEqual([headers, 403, 'FORBIDDEN']);
      expect(reply.body.message).toContain('x-assay-console');
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await send(method, '/runs/r', { headers: session })).status).toBe(403);
    expect((await send('DELETE', '/session', { headers: session })).status).toBe(403);
    expect(await statusOf(session)).toBe(200);
  });

  test('is told from the console by Sec-Fetch-Site or, where that is missing, by an equal Origin', async () => {
    expect((await write({ ...session, ...sameOrigin })).status).toBe(200);
    expect((await write({ ...session, origin: own() })).status).toBe(200);
  });

  test('reads nothing either, should a browser send the cookie along', async () => {
    const read = async (headers: Record<string, string>) =>
      (await send('GET', '/projects', { headers: { ...session, ...headers } })).status;
    for (const site of ['cross-site', 'same-site'])
      expect(await read({ 'sec-fetch-site': site })).toBe(403);
    expect(await read({ origin: 'https://evil.example' })).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect(await read({ 'sec-fetch-site': site })).toBe(200);
  });

  test('with a bearer is as before: who has the key needs no origin', async () => {
    const { key } = await newOrganization();
    const headers = { ...bearer(key), ...session, 'sec-fetch-site': 'cross-site' };
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
      await write({ ...session, origin: 'https://evil.example' }),
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
    const signedIn = replies.findIndex(({ status }) => status === 204);
    // The cookie is that of one port.
    const own = { gateway: signedIn % 2, headers: sessionIn(replies[signedIn]!) };
    const me = (await send('GET', '/me', own)).body;
    expect(me).toMatchObject({ organization: { name: 'Linked' }, role: 'admin', key: null });
  });

  test('works for a browser whose old session has ended', async () => {
    const { id } = await newOrganization();
    const token = await loginToken(id);
    const headers = { ...fromConsole, cookie: `${cookieName()}=${newSessionSecret()}` };
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
    await poll('a key signs in meanwhile', async () => (await signIn(key, 1)).cookie !== '');
  });
});

describe('a session ends', () => {
  test('everywhere within a second of its sign-out, which also takes the cookie back', async () => {
    const session = await signIn((await newOrganization()).key);
    expect([await statusOf(session, 0), await statusOf(session, 1)]).toEqual([200, 200]);
    const reply = await send('DELETE', '/session', { headers: { ...session, ...sameOrigin } });
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([
      204,
      `${cookieName()}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    ]);
    await endsEverywhere(session);
  });

  test('everywhere when its key is revoked, with the stream that it has open', async () => {
    const { key } = await newOrganization();
    const second = (
      await send('POST', '/api-keys', { headers: bearer(key), body: { name: 'second' } })
    ).body;
    const [ending, staying] = [await signIn(second.key), await signIn(key)];
    world.service.behave((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: progress\n\n');
    });
    const streams = [ending, staying].map((session) => {
      const client = connect(world.gateways[1]!.url);
      const cookie = session.cookie.replace(cookieName(), 'assay-80');
      client.write(headOf('GET', '/runs/r/events', { ...session, cookie }));
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
    const session = sessionIn(signedIn);
    const roleAt = async (gateway: number) =>
      (await send('GET', '/me', { gateway, headers: world.behind(session, gateway) })).body.role;
    expect([await roleAt(0), await roleAt(1)]).toEqual(['admin', 'admin']);
    const path = `/members/${member.userId}`;
    await send('PATCH', path, { headers: bearer(key), body: { role: 'member' } });
    for (const gateway of [0, 1])
      await poll('the role is told', async () => (await roleAt(gateway)) === 'member');
    await send('DELETE', path, { headers: bearer(key) });
    await endsEverywhere(session);
  });
});
