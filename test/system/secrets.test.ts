import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@assay/contracts/all';
import { processNames } from '@assay/local/keys/write-keys';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluate } from './evaluation.ts';
import type { Call } from './installation.ts';
import { type Laptop, startLaptop, startProgram } from './laptop.ts';

const providerKey = 'sk-provider+secret/0123456789abcdef==';
let folder: string;
let provider: Server;
let laptop: Laptop;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-secrets-'));
  provider = createServer((request, response) => {
    const key = String(request.headers.authorization).replace('Bearer ', '');
    const echoed = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')].join(
      ' and ',
    );
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: `no such key: ${echoed}` } }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  laptop = await startLaptop(join(folder, 'data'), {
    LOG_LEVEL: 'trace',
    COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COMPATIBLE_API_KEY: providerKey,
  });
});

afterAll(async () => {
  await laptop?.stop();
  provider.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const data = (name: string) => join(folder, 'data', name);

/** As it is, in a URL, and in base64, whatever stands before and after it. */
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${'x'.repeat(before)}${secret}`);
    // Only the characters that follow from the secret alone.
    const [from, to] = [Math.ceil((before * 4) / 3), Math.floor((bytes.length * 8) / 6) - 1];
    return [bytes.toString('base64'), bytes.toString('base64url')].map((text) =>
      text.slice(from, to),
    );
  });
  return [secret, encodeURIComponent(secret), ...inBase64];
}

/**
 * Operations that work, and mistakes of clients and operators; all that was answered, but for the
 * reply that shows a key.
 */
async function use(): Promise<{ seen: string[]; keys: string[] }> {
  const seen: string[] = [];
  const call: Call = async (...request) => {
    const reply = await laptop.call(...request);
    seen.push(reply.text, JSON.stringify([...reply.headers]));
    return reply;
  };
  const made = (await laptop.call('POST', '/api-keys', { name: 'short' })).body;
  const { project } = await evaluate(call);
  await call('GET', '/projects', undefined, { key: made.key });
  await call('DELETE', `/api-keys/${made.id}`);
  await poll(
    'the key ends',
    async () => (await call('GET', '/projects', undefined, { key: made.key })).status === 401,
  );
  await call('GET', '/projects', undefined, { key: `${laptop.key}x` });
  await call('GET', `/projects?key=${laptop.key}`, undefined, { key: null });
  await call('POST', '/projects', undefined, { raw: '{' });
  await call('GET', '/api-keys');
  const judge = {
    name: 'judge',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: '{{ outputs.answer }}',
    evalModelName: 'compatible/judge',
  };
  const metric = (await call('POST', `/projects/${project.id}/metrics`, judge)).body;
  const run = (await call('POST', `/projects/${project.id}/runs`, { metricIds: [metric.id] })).body;
  await call('POST', `/runs/${run.id}/records`, {
    inputs: {},
    expected: {},
    outputs: { answer: 'a' },
  });
  await poll(
    'the judge has failed',
    async () => (await call('GET', `/runs/${run.id}`)).body.scoring.failed === 1,
  );
  const failures = await call('GET', `/runs/${run.id}/failures`);
  expect(failures.text).toContain('no such key');
  await call('GET', '/judges');
  const code = { language: 'javascript', source: 'function evaluate() { return true; }' };
  await call('POST', `/projects/${project.id}/metrics`, {
    name: 'code',
    evalType: 'heuristic',
    outputType: 'boolean',
    code,
  });
  return { seen, keys: [laptop.key, made.key] };
}

/** What an operator who mistakes a password is told. */
async function mistake(
  mongodbPort: string,
  natsPort: string,
): Promise<{ said: string[]; passwords: string[] }> {
  const passwords = [
    'wrong-password-of-mongodb',
    'wrong-password-of-nats',
    'wrong-secret-of-the-operator-0123456789',
  ];
  const attempts = [
    startProgram('start', [], {
      PORT: '0',
      ASSAY_DATA_DIR: join(folder, 'mistaken'),
      MONGODB_URI: `mongodb://assay:${passwords[0]}@127.0.0.1:${mongodbPort}/?replicaSet=assay`,
      NATS_URL: `nats://assay:${passwords[1]}@127.0.0.1:${natsPort}`,
    }),
    startProgram('admin', ['list-organizations'], {
      NATS_URL: `nats://assay:${passwords[1]}@127.0.0.1:${natsPort}`,
      ASSAY_OPERATOR_SECRET: passwords[2]!,
    }),
    startProgram('backup', [join(folder, 'backup')], {
      MONGODB_URI: `mongodb://assay:${passwords[0]}@127.0.0.1:${mongodbPort}/?replicaSet=assay`,
      ATTACHMENTS_FOLDER: folder,
    }),
  ];
  const codes = await Promise.all(attempts.map(({ ended }) => ended));
  expect(codes).toEqual([1, 1, 1]);
  return { said: attempts.map(({ said }) => said()), passwords };
}

/** `/metrics` of the gateway, of mcp and of each service, which the log names. */
async function metrics(log: string): Promise<string[]> {
  const urls = new Set(
    [...log.matchAll(/"url":"(http:[^"]+)"[^\n]*"msg":"ready"/g)].map(([, url]) => url!),
  );
  expect(urls.size).toBe(serviceNames.length + 2);
  return Promise.all([...urls].map(async (url) => (await fetch(`${url}/metrics`)).text()));
}

async function pidsBelow(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    pids.map(async (pid) =>
      Number(/\) \S (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1]),
    ),
  );
  const children = pids.filter((_, index) => parents[index] === parent);
  return [...children, ...(await Promise.all(children.map(pidsBelow))).flat()];
}

/** Names and contents of files that more than their owner may read, were the folders above open. */
async function openFiles(): Promise<string[]> {
  const entries = await readdir(join(folder, 'data'), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    paths.map(async (path) => {
      const mode = await stat(path).then(
        (found) => found.mode,
        () => 0,
      );
      return (mode & 0o077) === 0 || path.includes('/mongodb/') ? '' : readFile(path, 'latin1');
    }),
  );
  return [...paths, ...texts];
}

test('the search finds a secret in each form in which it could be told', () => {
  const secret = 'a secret+of/some=length';
  const told = [
    secret,
    `?key=${encodeURIComponent(secret)}`,
    ...['', 'x', 'xy', 'Bearer '].map((before) => btoa(`${before}${secret} and more`)),
  ];
  for (const text of told)
    expect(
      formsOf(secret).some((form) => text.includes(form)),
      text,
    ).toBe(true);
  expect(formsOf(secret).some((form) => btoa('another secret of some length').includes(form))).toBe(
    false,
  );
});

/** The roots of the keys, and each process's own key and passwords. */
async function processSecrets(): Promise<string[]> {
  const readJson = async (name: string) =>
    JSON.parse(await readFile(data(`keys/${name}.json`), 'utf8'));
  const { roots, passwords } = await readJson('root');
  const owned = await Promise.all(
    processNames.map(async (name) => {
      const { own, mongodb, nats } = await readJson(name);
      return [...own, ...(mongodb ? [mongodb.password] : []), nats.password];
    }),
  );
  return [...roots, passwords, ...owned.flat()];
}

test('no secret of an installation is in a log, a reply, a metric, an argument, the environment of a child, or an open file', async () => {
  const read = async (name: string) => (await readFile(data(name), 'utf8')).trim();
  const { seen, keys } = await use();
  const { said, passwords } = await mistake(await read('mongodb.port'), await read('nats.port'));
  const names = ['operator-secret', 'mongodb-password', 'mongodb-keyfile', 'nats-password'];
  const secrets = {
    keys,
    passwords,
    providerKey: [providerKey],
    kept: await Promise.all(names.map(read)),
    processes: await processSecrets(),
  };
  const log = await read('logs/assay.log');
  expect(log).toContain('"level":');
  const pids = process.platform === 'linux' ? await pidsBelow(laptop.child.pid!) : [];
  const shown = await Promise.all(
    [laptop.child.pid!, ...pids].map(async (pid) => ({
      cmdline: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      environ:
        pid === laptop.child.pid
          ? ''
          : await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
    })),
  );
  const places: Record<string, string[]> = {
    replies: seen,
    output: [laptop.said(), ...said],
    logs: [log, await read('logs/mongodb.log'), await read('logs/nats.log')],
    metrics: await metrics(log),
    arguments: shown.map(({ cmdline }) => cmdline),
    environments: shown.map(({ environ }) => environ),
    'open files': await openFiles(),
  };
  const found = Object.entries(places).flatMap(([place, texts]) =>
    Object.entries(secrets).flatMap(([kind, values]) =>
      values
        .filter((value) => formsOf(value).some((form) => texts.some((text) => text.includes(form))))
        .map((_, index) => `${kind} ${index} in ${place}`),
    ),
  );
  expect(found).toEqual([]);
});
