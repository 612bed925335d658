import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { accepts } from '../src/greeting.ts';
import { freePort } from '../src/port.ts';
import { until } from '../src/until.ts';
import { binaries, makeFolder } from './setting.ts';

// Servers as an operator has them: started with the options that a test names, and ended with the
// test.

export async function startForeignNats(
  configuration: string | ((port: number) => string),
  givenPort?: number,
): Promise<string> {
  const { nats } = await binaries();
  const [folder, port] = [await makeFolder(), givenPort ?? (await freePort())];
  const file = join(folder, 'nats.conf');
  const text = typeof configuration === 'string' ? configuration : configuration(port);
  await writeFile(
    file,
    `listen: "127.0.0.1:${port}"\n${text.replaceAll('STORE', join(folder, 'jetstream'))}\n`,
  );
  await startProgram({ command: nats, args: ['--config', file], port });
  return `127.0.0.1:${port}`;
}

export const withJetStream = 'jetstream { store_dir: "STORE" }';

interface ForeignMongod {
  address: string;
  /** Stops it as an operator does, so that another can use its folder. */
  stop(): Promise<void>;
}

export async function startForeignMongod({
  args = [],
  folder,
}: {
  args?: string[];
  folder?: string;
} = {}): Promise<ForeignMongod> {
  const { mongod } = await binaries();
  const [path, port] = [folder ?? (await makeFolder()), await freePort()];
  await mkdir(path, { recursive: true });
  const place = [
    '--dbpath',
    path,
    '--bind_ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--nounixsocket',
  ];
  const small = [
    '--wiredTigerCacheSizeGB',
    '0.25',
    '--oplogSize',
    '50',
    '--setParameter',
    'shutdownTimeoutMillisForSignaledShutdown=100',
  ];
  const stop = await startProgram({ command: mongod, args: [...place, ...small, ...args], port });
  return { address: `127.0.0.1:${port}`, stop };
}

async function startProgram({
  command,
  args,
  port,
}: {
  command: string;
  args: string[];
  port: number;
}): Promise<() => Promise<void>> {
  const child = spawn(command, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const listens = await until({
    condition: () => accepts(port),
    timeoutMs: 30_000,
    signal: endOf(child),
  });
  if (!listens) throw new Error(`${command} does not listen`);
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

function endOf(child: ChildProcess): AbortSignal {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  return ended.signal;
}

/** A server that takes connections and does with them what a test says. */
export async function startStranger(
  onConnection: Parameters<typeof createServer>[1],
): Promise<string> {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** A certificate for 127.0.0.1, its key, and both in one file as mongod wants them. */
export async function makeCertificate(): Promise<{
  certificate: string;
  key: string;
  both: string;
}> {
  const folder = await makeFolder();
  const [certificate, key, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const subject = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:localhost',
  ];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ]);
  if (made.status !== 0) throw new Error(String(made.stderr));
  await writeFile(both, `${await readFile(key, 'utf8')}${await readFile(certificate, 'utf8')}`);
  return { certificate, key, both };
}
