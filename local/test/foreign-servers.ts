import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Certificate, makeCertificateIn } from '@assay/testing/certificate';
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
    timeoutMs: 300_000,
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

/** A certificate for 127.0.0.1, in a folder that is gone after the test. */
export const makeCertificate = async (): Promise<Certificate> =>
  makeCertificateIn(await makeFolder());
