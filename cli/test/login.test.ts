import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@assay/local/port';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { nameOf } from '../src/device-login.ts';
import { runAssay } from './command.ts';

let assay: SharedInstallation;
let folder: string;
beforeAll(async () => {
  assay = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-login-'));
});
afterAll(() => rm(folder, { recursive: true }));

let places = 0;
/** A configuration of its own, and where the keys are in it. */
function newPlace() {
  const home = join(folder, String(places++));
  return {
    environment: { XDG_CONFIG_HOME: home },
    file: join(home, 'assay/credentials.json'),
    /** Stores a key as a login before this one did. */
    keep: async (key: string, url = assay.url) => {
      await mkdir(join(home, 'assay'), { recursive: true });
      const servers = { [`${url}/v2`]: { key } };
      await writeFile(join(home, 'assay/credentials.json'), JSON.stringify({ servers }));
    },
  };
}

const isStored = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** A key as a device login gives it. */
async function newDeviceKey(clientName: string): Promise<{ id: string; key: string }> {
  const begun = await assay.call('POST', '/session/device', { clientName });
  const { deviceCode, userCode } = begun.body;
  await assay.call('POST', `/session/device/${userCode}/approve`);
  return (await assay.call('POST', '/session/device/token', { deviceCode })).body;
}

const namesOfKeys = async (): Promise<string[]> =>
  (await assay.call('GET', '/api-keys')).body.data.map(({ name }: { name: string }) => name);

/** Starts a login, and calls `shown` with the code that it shows. */
function logIn(
  url: string,
  environment: Record<string, string>,
  shown: (userCode: string, child: ChildProcess) => unknown = () => undefined,
) {
  let said = '';
  const codeIn = (text: string) => text.match(/the code (\w{4}-\w{4})\. /)?.[1];
  return runAssay(['login', url], {
    environment,
    onStart: (child) => {
      child.stderr!.on('data', (piece) => {
        const wasShown = codeIn(said) !== undefined;
        said += piece;
        const code = codeIn(said);
        if (code !== undefined && !wasShown) void shown(code, child);
      });
    },
  });
}

describe('a login by a code', () => {
  test('stores a key of its own once a member approves, which Settings lists', async () => {
    const { environment, file } = newPlace();
    let userCode = '';
    const login = await logIn(assay.url, environment, (code) => {
      userCode = code;
      return assay.call('POST', `/session/device/${code}/approve`);
    });
    expect(login, login.stderr).toMatchObject({ exitCode: 0, stdout: '' });
    expect(login.stderr).toContain(`${assay.url}/device?code=${userCode}\n`);
    expect(login.stderr).toMatch(new RegExp(`Logged in to ${assay.url}: .*, admin of .*\\.\n$`));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const who = JSON.parse((await runAssay(['whoami', '--json'], { environment })).stdout);
    expect(who).toMatchObject({ role: 'admin', source: 'login' });
    expect(await namesOfKeys()).toContain(who.key.name);
    expect(who.key.name).toMatch(/^assay login on ./);
    expect(login.stderr).not.toContain(
      JSON.parse(await readFile(file, 'utf8')).servers[who.url].key,
    );
  });

  test('waits for a server that is away for a moment, and slows down where it is told so', async () => {
    const { environment, file } = newPlace();
    const asked: number[] = [];
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => response.destroy(),
      refusal(503, 'SERVICE_UNAVAILABLE'),
      refusal(400, 'AUTHORIZATION_PENDING'),
      refusal(400, 'SLOW_DOWN'),
      answer(200, { key: 'ak_given' }),
    ];
    await using server = await startServer((response) => {
      asked.push(performance.now());
      answers[Math.min(asked.length, answers.length) - 1]!(response);
    });
    const login = await logIn(server.url, environment);
    expect(login, login.stderr).toMatchObject({ exitCode: 0 });
    expect(asked).toHaveLength(5);
    expect(asked[4]! - asked[3]!).toBeGreaterThan(4900);
    expect(await readFile(file, 'utf8')).toContain('ak_given');
  });

  test.each([
    ['ACCESS_DENIED', 'The login was denied in the console. No key is stored.'],
    [
      'EXPIRED_TOKEN',
      'The login was not approved in time. No key is stored: run assay login again.',
    ],
  ])('that ends with %s says so, and stores nothing', async (code, sentence) => {
    const { environment, file } = newPlace();
    await using server = await startServer(refusal(400, code));
    const { exitCode, stderr } = await logIn(server.url, environment);
    expect(exitCode).toBe(2);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(sentence);
    expect(await isStored(file)).toBe(false);
  });

  test('stores nothing where it is given up by Ctrl-C', async () => {
    const { environment, file } = newPlace();
    const { exitCode } = await logIn(assay.url, environment, (_code, child) =>
      child.kill('SIGINT'),
    );
    expect(exitCode).not.toBe(0);
    expect(await isStored(file)).toBe(false);
  });

  test('says of an older server that it takes a key', async () => {
    const { environment } = newPlace();
    const server = createServer((_request, response) => refusal(404, 'NOT_FOUND')(response));
    await using older = await listen(server);
    const { exitCode, stderr } = await logIn(older.url, environment);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('too old for a login in the console');
    expect(stderr).toContain('assay login --key -');
  });

  test('ends the key of the login before it', async () => {
    const { environment, keep } = newPlace();
    await keep((await newDeviceKey('before')).key);
    expect(await namesOfKeys()).toContain('assay login on before');
    const args = ['login', assay.url, '--key', '-'];
    expect((await runAssay(args, { environment, input: assay.key })).exitCode).toBe(0);
    expect(await namesOfKeys()).not.toContain('assay login on before');
  });
});

describe('a logout', () => {
  const logOut = async (environment: Record<string, string>, url = assay.url) => {
    const { exitCode, stdout, stderr } = await runAssay(['logout', url, '--json'], { environment });
    expect(exitCode).toBe(0);
    return { ...JSON.parse(stdout), stderr };
  };

  test('revokes the key that a login got, and says so', async () => {
    const { environment, keep } = newPlace();
    const { key } = await newDeviceKey('leaving');
    await keep(key);
    const { wasRevoked, stderr } = await logOut(environment);
    expect(wasRevoked).toBe(true);
    expect(stderr).toContain('is revoked');
    await poll(
      'the key has ended',
      async () => (await assay.call('GET', '/me', undefined, { key })).status === 401,
    );
  });

  test('leaves a key valid that somebody made, or whose server is away, and says where to revoke it', async () => {
    const { environment, keep } = newPlace();
    await keep(assay.key);
    expect(await logOut(environment)).toMatchObject({ wasLoggedIn: true, wasRevoked: false });
    expect((await assay.call('GET', '/me')).status).toBe(200);
    const away = `http://127.0.0.1:${await freePort()}`;
    await keep('ak_any', away);
    const { wasRevoked, stderr } = await logOut(environment, away);
    expect(wasRevoked).toBe(false);
    expect(stderr).toContain('the server was not reached: revoke it in the console');
  });
});

test('a host is named so that every server takes it', () => {
  const names = ["Ada's laptop", '--x', 'M\u00fcller\u202e.local', '\u00e9', '', 'x'.repeat(300)];
  expect(names.map(nameOf)).toEqual([
    "Ada's laptop",
    'x',
    'M-ller-.local',
    'a computer',
    'a computer',
    'x'.repeat(100),
  ]);
});

const answer = (status: number, body: object) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const refusal = (status: number, code: string) =>
  answer(status, { code, message: 'No.', details: {} });

const caller = {
  member: { userId: 'u', name: null, email: 'ada@example.com' },
  organization: { id: 'o', name: 'Elsewhere' },
  role: 'member',
  key: null,
};

/** A server that lets devices log in, and answers their questions by `askedForKey` without a pause. */
async function startServer(askedForKey: (response: ServerResponse) => void) {
  const begun = {
    deviceCode: 'ad_x',
    userCode: 'BBBB-CCCC',
    verificationPath: '/device?code=BBBB-CCCC',
    expiresInSeconds: 600,
    intervalSeconds: 0,
  };
  return listen(
    createServer((request, response) => {
      if (request.url === '/v2/session/device/token') return askedForKey(response);
      return answer(200, request.url === '/v2/me' ? caller : begun)(response);
    }),
  );
}

async function listen(server: ReturnType<typeof createServer>) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
