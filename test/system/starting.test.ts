import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceNames } from '@assay/contracts/all';
import { freePort } from '@assay/local/port';
import { testConfig } from '@assay/testing/config';
import { dropDatabases, holdMigrations } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callAt } from './installation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a built program with nothing in its environment but what is given. */
function start(program: string, args: string[], environment: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (said.out += chunk));
  child.stderr.on('data', (chunk) => (said.err += chunk));
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return { child, said, ended };
}

/** Waits until a program has said a text; one that has ended instead is told with all its output. */
const untilSaid = (text: string, { child, said }: ReturnType<typeof start>) =>
  poll(`it says ${text}`, () => {
    if (child.exitCode !== null) throw new Error(`It has ended: ${said.out}${said.err}`);
    return said.out.includes(text);
  });

async function endOf(program: string, args: string[], environment: Record<string, string>) {
  const { child, said, ended } = start(program, args, environment);
  await ended;
  return { code: child.exitCode, ...said };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay starting-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function takenPort(): Promise<number> {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return port;
}

describe('npm start', () => {
  const laptop = 'dist/bundle/start.js';

  test('obeys the settings of its parts, and says which variables nobody reads', async () => {
    const folder = join(await makeFolder(), 'data');
    const port = await freePort();
    const program = start(laptop, [], {
      PORT: String(port),
      ASSAY_DATA_DIR: folder,
      PUBLIC_PATH: '/assay',
      RECORDS_MAX: '1',
      ATTACHMENTS_BYTES_MAX: '10',
      RECORD_MAX: '2',
    });
    await untilSaid('Ctrl-C stops it.', program);
    expect(program.said.err).toContain(
      'RECORD_MAX is set, and no part of Assay reads it. Did you mean "RECORDS_MAX"?',
    );
    expect(program.said.out).toMatch(
      new RegExp(`^Sign in.*: http://127\\.0\\.0\\.1:${port}/assay/login#once=al_\\w{49}$`, 'm'),
    );
    const asBrowser = { headers: { accept: 'text/html' } };
    const page = await (await fetch(`http://127.0.0.1:${port}/assay/`, asBrowser)).text();
    const [, script] = /src="(\/assay\/assets\/[^"]+)"/.exec(page) ?? [];
    expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200);

    const call = callAt(
      `http://127.0.0.1:${port}`,
      (await readFile(join(folder, 'admin-key'), 'utf8')).trim(),
    );
    const { body: project } = await call('POST', '/projects', { name: 'p', description: '' });
    const { body: run } = await call('POST', `/projects/${project.id}/runs`, { metricIds: [] });
    const record = { inputs: {}, expected: {}, outputs: {} };
    expect((await call('POST', `/runs/${run.id}/records`, record)).status).toBe(201);
    expect((await call('POST', `/runs/${run.id}/records`, record)).status).toBe(409);
  });

  test('is ready only when the admin key is on disk, prints no key, quotes its folder, and says once that it stops; behind a proxy that PUBLIC_URL names, the sign-in link leads to it, and the cookie is for https', async () => {
    const folder = join(await makeFolder(), 'data');
    const port = await freePort();
    const program = start(laptop, [], {
      PORT: String(port),
      ASSAY_DATA_DIR: folder,
      PUBLIC_URL: 'https://assay.example.com/team/v2',
    });
    const { child, said, ended } = program;
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await poll('it is ready', isReady);
    expect(existsSync(join(folder, 'admin-key'))).toBe(true);
    await untilSaid('Ctrl-C stops it.', program);
    expect(said.out).not.toMatch(/ak_\w/);
    expect(said.out).toMatch(
      /^Sign in.*: https:\/\/assay\.example\.com\/team\/login#once=al_\w{49}$/m,
    );
    const key = (await readFile(join(folder, 'admin-key'), 'utf8')).trim();
    const { headers } = await fetch(`http://127.0.0.1:${port}/v2/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(headers.get('set-cookie')).toMatch(/^__Secure-assay-443=.*; Path=\/team; .*; Secure$/);
    expect(said.out).toContain(`$(cat '${join(folder, 'admin-key')}')`);
    expect((await stat(join(folder, 'logs', 'assay.log'))).mode & 0o777).toBe(0o600);
    const log = await readFile(join(folder, 'logs', 'assay.log'), 'utf8');
    const { roots, passwords } = JSON.parse(
      await readFile(join(folder, 'keys', 'root.json'), 'utf8'),
    );
    for (const secret of [...roots, passwords])
      expect([said.out, said.err, log].some((text) => text.includes(secret))).toBe(false);
    for (const name of [
      'operator-secret',
      'mongodb-password',
      'mongodb-keyfile',
      'nats-password',
      'admin-key',
    ]) {
      const secret = (await readFile(join(folder, name), 'utf8')).trim();
      expect([name, [said.out, said.err, log].some((text) => text.includes(secret))]).toEqual([
        name,
        false,
      ]);
    }
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) child.kill(signal);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(said.err.match(/Stopping …/g)).toHaveLength(1);
  });

  test('--help is answered, and an unknown option refused, without starting anything', async () => {
    const environment = { ASSAY_DATA_DIR: join(await makeFolder(), 'data') };
    const help = await endOf(laptop, ['--help'], environment);
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toContain('Usage: npm start --');
    const unknown = await endOf(laptop, ['--nonsense'], environment);
    expect([unknown.code, unknown.out, unknown.err]).toEqual([
      1,
      '',
      "error: unknown option '--nonsense'\n",
    ]);
    expect(existsSync(environment.ASSAY_DATA_DIR)).toBe(false);
  });

  test.each([
    [
      'PORT',
      async () => ({ PORT: String(await takenPort()) }),
      /^Port \d+ on 127\.0\.0\.1 is in use: set PORT to another one\.$/,
    ],
    [
      'HOST',
      async () => ({ HOST: '999.1.1.1' }),
      /^999\.1\.1\.1 is not an address of this machine \(\w+\): set HOST to 127\.0\.0\.1, /,
    ],
    [
      'NATS_URL',
      async () => ({ NATS_URL: 'nats://127.0.0.1:1' }),
      /^NATS_URL: no NATS server listens at 127\.0\.0\.1:1: /m,
    ],
    [
      'MONGODB_URI',
      async () => ({ MONGODB_URI: 'mongodb://127.0.0.1:1' }),
      /^MONGODB_URI: no MongoDB listens at 127\.0\.0\.1:1: /m,
    ],
    [
      'STOP_TIMEOUT_MS',
      async () => ({ STOP_TIMEOUT_MS: '0' }),
      /^STOP_TIMEOUT_MS must be .*, not "0"\.$/,
    ],
    [
      'LOG_LEVEL',
      async () => ({ LOG_LEVEL: 'verbose' }),
      /^LOG_LEVEL must be trace, debug, .* not "verbose"\.$/,
    ],
  ])('ends with a sentence that names %s', async (_name, mistake, sentence) => {
    const { mongodbUri, natsUrl } = {
      mongodbUri: testConfig().MONGODB_URI,
      natsUrl: testConfig().NATS_URL.join(','),
    };
    const folder = await makeFolder();
    const good = {
      PORT: '0',
      ASSAY_DATA_DIR: join(folder, 'data'),
      MONGODB_URI: mongodbUri,
      NATS_URL: natsUrl,
    };
    const { code, out, err } = await endOf(laptop, [], { ...good, ...(await mistake()) });
    expect([code, out]).toEqual([1, '']);
    expect(err.trimEnd().split('\n').at(-1)).toMatch(sentence);
    expect(err).not.toContain(new URL(natsUrl).password);
  });
});

describe('migrations', () => {
  const {
    ASSAY_KEYS_FOLDER = '',
    MONGODB_URI,
    NATS_URL,
    SUBJECT_PREFIX,
    DATABASE_PREFIX,
  } = testConfig();
  const where = { MONGODB_URI, DATABASE_PREFIX };

  test('a process that waits for them answers that it is alive and not ready, and then serves', async () => {
    const letGo = await holdMigrations({
      uri: MONGODB_URI,
      prefix: DATABASE_PREFIX,
      service: 'catalog',
    });
    const port = await freePort();
    const at = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        async (reply) => ({ status: reply.status, text: await reply.text() }),
        () => ({ status: 0, text: '' }),
      );
    start('dist/bundle/catalog.js', [], {
      ...where,
      ASSAY_KEYS_FOLDER,
      SUBJECT_PREFIX,
      NATS_URL: NATS_URL.join(','),
      PORT: String(port),
    });
    await poll('it is alive', async () => (await at('/livez')).status === 200);
    const { status, text } = await at('/readyz');
    expect([status, JSON.parse(text).message]).toEqual([503, 'The process is migrating its data.']);
    expect((await at('/metrics')).text).toContain(
      'assay_migrations_under_way{service="catalog"} 1',
    );
    expect((await at('/internal/projects')).status).toBe(503);
    await letGo();
    await poll('it is ready', async () => (await at('/readyz')).status === 200);
    expect((await at('/metrics')).text).toContain(
      'assay_migrations_under_way{service="catalog"} 0',
    );
  });

  test('are applied beforehand by the operator, once', async () => {
    const environment = { ...where, DATABASE_PREFIX: `${DATABASE_PREFIX}-beforehand` };
    const migrate = () => endOf('dist/bundle/admin.js', ['migrate'], environment);
    const first = await migrate();
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toMatch(/^run-records: applied 0-idempotency-keys, .*1-/m);
    const services = first.out
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0]!);
    expect(services.toSorted()).toEqual(
      serviceNames.filter((name) => name !== 'transfers').toSorted(),
    );
    expect((await migrate()).out).toBe(
      services.map((name) => `${name}: nothing to migrate\n`).join(''),
    );
    await dropDatabases(MONGODB_URI, environment.DATABASE_PREFIX);
  });
});

describe('a process', () => {
  const {
    ASSAY_KEYS_FOLDER = '',
    MONGODB_URI,
    NATS_URL,
    SUBJECT_PREFIX,
    DATABASE_PREFIX,
  } = testConfig();
  const good = {
    ASSAY_KEYS_FOLDER,
    MONGODB_URI,
    NATS_URL: NATS_URL.join(','),
    SUBJECT_PREFIX,
    DATABASE_PREFIX,
  };

  test.each([
    [
      'PORT',
      async () => ({ PORT: String(await takenPort()) }),
      /^Port \d+ on 127\.0\.0\.1 is in use: set PORT to another one\.\n$/,
    ],
    [
      'MONGODB_URI',
      async () => ({ MONGODB_URI: 'mongodb://127.0.0.1:1' }),
      /^MONGODB_URI: no MongoDB listens at 127\.0\.0\.1:1: .*\.\n$/,
    ],
    [
      'PORT',
      async () => ({ PORT: 'abc' }),
      /^PORT must be a whole number from 0 to 65535, not "abc"\.\n$/,
    ],
  ])('ends with a sentence that names %s', async (_name, mistake, sentence) => {
    const { code, err } = await endOf('dist/bundle/catalog.js', [], {
      ...good,
      ...(await mistake()),
    });
    expect(code).toBe(1);
    expect(err).toMatch(sentence);
  });

  test('names the variable that is meant by a misspelt one', async () => {
    const { MONGODB_URI, ...others } = good;
    const { code, err } = await endOf('dist/bundle/catalog.js', [], {
      ...others,
      MONGODB_URL: MONGODB_URI,
    });
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toEqual([
      'MONGODB_URL is set, and this process does not read it. Did you mean "MONGODB_URI"?',
      'MONGODB_URI is not set.',
    ]);
  });
});
