import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bearer,
  fromConsole,
  type Session,
  type SessionWorld,
  sameOrigin,
  secretIn,
  startSessionWorld,
} from './session-world.ts';

let world: SessionWorld;
beforeAll(async () => {
  world = await startSessionWorld();
});
afterAll(() => world.stop());

const send: SessionWorld['send'] = (...request) => world.send(...request);
const newOrganization = (name?: string) => world.newOrganization(name);
const signIn = (key: string) => world.signIn(key);

describe('a cookie that another port of the host has seen', () => {
  test('is of no use without the second secret, whatever the request', async () => {
    const { key } = await newOrganization();
    const [session, other] = [await signIn(key), await signIn(key)];
    const { cookie } = session;
    const attempts: Record<string, string>[] = [
      { cookie },
      { cookie, ...fromConsole },
      { cookie, ...sameOrigin, 'x-assay-console': '' },
      { cookie, ...sameOrigin, 'x-assay-console': secretIn(session) },
      { cookie, ...sameOrigin, 'x-assay-console': other['x-assay-console'] },
      { cookie, ...sameOrigin, 'x-assay-console': `${session['x-assay-console']}, 1` },
    ];
    for (const headers of attempts)
      for (const [method, path] of [
        ['GET', '/me'],
        ['GET', '/projects'],
        ['POST', '/api-keys'],
        ['DELETE', '/session'],
      ] as const) {
        const body = method === 'POST' ? { name: 'mine', role: 'admin' } : undefined;
        const reply = await send(method, path, { headers, ...(body ? { body } : {}) });
        expect([method, path, headers, reply.status]).toEqual([method, path, headers, 401]);
      }
    expect(await world.statusOf(session)).toBe(200);
  });
});

describe('an address that a session signed', () => {
  const exportPath = '/runs/r/records/export?format=csv';
  const sign = async (session: Session, path: string) =>
    send('POST', '/session/downloads', { headers: { ...session, ...sameOrigin }, body: { path } });
  const isServed = async (path: string, gateway = 0) =>
    (await send('GET', path, { gateway })).status;

  test('gives its object without cookie and secret, at every gateway, until the session ends', async () => {
    const session = await signIn((await newOrganization('Signed')).key);
    const { status, body } = await sign(session, exportPath);
    expect(status).toBe(201);
    const life = Date.parse(body.expiresAt) - Date.now();
    expect(life).toBeGreaterThan(4 * 60_000);
    expect(life).toBeLessThanOrEqual(5 * 60_000);
    const seen = await send('GET', body.path);
    expect([seen.status, seen.body.url]).toEqual([200, exportPath]);
    expect(await isServed(body.path, 1)).toBe(200);
    await send('DELETE', '/session', { headers: { ...session, ...sameOrigin } });
    for (const gateway of [0, 1])
      await poll('it is refused', async () => (await isServed(body.path, gateway)) === 401);
  });

  test('works for that object alone, and for nothing but a download', async () => {
    const session = await signIn((await newOrganization()).key);
    const { path } = (await sign(session, exportPath)).body;
    const token = path.slice(path.indexOf('download-token='));
    for (const other of [
      `/runs/r2/records/export?format=csv&${token}`,
      `/runs/r/records/export?format=ndjson&${token}`,
      `/runs/r/records/export?${token}`,
      `/runs/r/records/export?format=csv&filter=x&${token}`,
      `/records/x/payloads/outputs?${token}`,
      path.replace(/token=\d/, 'token=9'),
      `${path}x`,
    ])
      expect([other, await isServed(other)]).toEqual([other, 401]);
    for (const listed of ['/projects', '/me', '/api-keys?limit=1']) {
      const signed = (await sign(session, listed)).body.path;
      expect([listed, await isServed(signed)]).toEqual([listed, 401]);
    }
    const keys = (await sign(session, '/api-keys')).body.path;
    expect((await send('POST', keys, { body: { name: 'mine' } })).status).toBe(401);
  });

  test('is made for a path of this API alone, and in a session alone', async () => {
    const { key } = await newOrganization();
    const session = await signIn(key);
    for (const path of [
      '',
      'runs',
      '//evil.example/x',
      '/\\evil.example',
      'https://evil.example/x',
    ])
      expect([path, (await sign(session, path)).status]).toEqual([path, 400]);
    const reply = await send('POST', '/session/downloads', {
      headers: bearer(key),
      body: { path: exportPath },
    });
    expect(reply.status).toBe(404);
  });
});
