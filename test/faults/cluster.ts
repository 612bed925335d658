import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { keysIn } from '@assay/local/data-folder';
import { keepKeys } from '@assay/local/keys/write-keys';
import { keepAdminKey } from '@assay/local/organization';
import { keepPort } from '@assay/local/port';
import { startServers } from '@assay/local/servers';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import { poll } from '@assay/testing/poll';
import { type Call, callAt } from '../system/installation.ts';
import { environmentOf, type ServiceProcess, startProcess } from '../system/processes.ts';
import { report } from './seed.ts';

/** Two of those through which most goes, so that one can be away. */
const replicas: Record<string, number> = {
  ...Object.fromEntries(serviceNames.map((name) => [name, 1])),
  'run-records': 2,
  scoring: 2,
  mcp: 1,
  gateway: 2,
};

/** A process that can be killed and started again, at the same address. */
export interface Member {
  /** `run-records 2`, `mongod`. */
  name: string;
  kill(): Promise<void>;
  /** Resolves when it is ready; nothing to do for a server, which is started again by itself. */
  start(): Promise<void>;
  /** Of a service that runs. */
  pid?(): number;
}

/** Assay as processes of their own, on a MongoDB and a NATS of its own. */
export interface Cluster {
  folder: string;
  config: ServiceConfig & OperatorConfig;
  members: Member[];
  /** Through one gateway after the other. */
  call: Call;
  /** One of the gateways, and the key that is asked with. */
  gateway: { url: string; key: string };
  stop(): Promise<void>;
}

interface ClusterOptions {
  /** What the processes are told besides. */
  environment?: (folder: string) => Record<string, string>;
  /** Called before anything is kept in the data folder. */
  prepare?: (folder: string) => Promise<void>;
  /** Called before the data folder is removed. */
  finish?: (folder: string) => Promise<void>;
}

const nothing = async () => undefined;

export async function startCluster({
  environment: more = () => ({}),
  prepare = nothing,
  finish = nothing,
}: ClusterOptions = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-faults-'));
  await prepare(folder);
  await mkdir(join(folder, 'ports'));
  const servers = await startServers({
    dataFolder: folder,
    cacheFolder: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay'),
    log: () => undefined,
    // Whoever waits for it says that it did not come back.
    onFatal: (sentence) => report(sentence),
  });
  const keysFolder = keysIn(folder);
  await keepKeys(keysFolder);
  const config = {
    HOST: '127.0.0.1',
    PORT: 0,
    NATS_URL: [servers.natsUrl],
    MONGODB_URI: servers.mongodbUri,
    ASSAY_KEYS_FOLDER: keysFolder,
    ASSAY_OPERATOR_SECRET: randomUUID() + randomUUID(),
    ASSAY_REVISION: 'unknown',
    LOG_LEVEL: 'silent' as const,
    SUBJECT_PREFIX: 'faults',
    DATABASE_PREFIX: 'faults',
  };

  // Below the ports that systems hand out for outgoing connections, so that each is free again
  // after a crash.
  const ports = new Map<string, number>();
  for (const [service, count] of Object.entries(replicas))
    for (let number = 1; number <= count; number++)
      ports.set(
        `${service} ${number}`,
        await keepPort({ file: join(folder, 'ports', `${service}-${number}`) }),
      );
  const urlsOf = (service: string) =>
    [...ports]
      .filter(([name]) => name.startsWith(`${service} `))
      .map(([, port]) => `http://127.0.0.1:${port}`);
  const environment = {
    ...Object.fromEntries(
      serviceNames.map((service) => [urlVariable(service), urlsOf(service).join(',')]),
    ),
    ATTACHMENTS_FOLDER: join(folder, 'attachments'),
    DISK_RESERVE_BYTES: '0',
    DATABASE_RESERVE_BYTES: '0',
    PUBLIC_URL: `${urlsOf('gateway')[0]}/v2`,
    MCP_URL: urlsOf('mcp').join(','),
    GATEWAY_URL: urlsOf('gateway').join(','),
    SWEEP_INTERVAL_MS: '500',
    SWEEP_AFTER_MS: '3000',
    ...more(folder),
  };

  const services = [...ports].map(([name, port]) =>
    createMember({ name, port, environment, config }),
  );
  const killServer = async (file: string) => {
    const { pid } = JSON.parse(await readFile(join(folder, file), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
  };
  const own = [
    { name: 'mongod', kill: () => killServer('mongodb.pid'), start: async () => undefined },
    { name: 'nats-server', kill: () => killServer('nats.pid'), start: async () => undefined },
  ];
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
    await servers.stop();
    await finish(folder);
    await rm(folder, { recursive: true });
  };
  try {
    await Promise.all(services.map((service) => service.start()));
    const { key } = await keepAdminKey({
      folder,
      config,
      log: createLog({ name: 'test', level: 'silent' }),
    });
    const calls = urlsOf('gateway').map((url) => callAt(url, key));
    let turn = 0;
    const call: Call = (...request) => calls[turn++ % calls.length]!(...request);
    await poll(
      'all is ready',
      async () => (await call('GET', '/projects').catch(() => undefined))?.status === 200,
    );
    const gateway = { url: urlsOf('gateway')[0]!, key };
    return { folder, config, members: [...services, ...own], call, gateway, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface MemberOptions {
  name: string;
  port: number;
  environment: Record<string, string>;
  config: ServiceConfig & OperatorConfig;
}

function createMember({
  name,
  port,
  environment,
  config,
}: MemberOptions): Member & { stop(): Promise<void> } {
  const service = name.split(' ')[0]!;
  let running: ServiceProcess | undefined;
  return {
    name,
    kill: async () => running?.kill(),
    start: async () => {
      const start = () =>
        startProcess(
          service,
          { ...environmentOf(config, service), ...environment, PORT: String(port) },
          { onCrash: report },
        );
      running = await poll(`${name} starts`, () => start().catch(unlessAway));
    },
    stop: async () => running?.stop(),
    pid: () => running!.pid,
  };
}

/**
 * A process that finds no MongoDB or NATS ends, and whoever runs it starts it anew: a server comes
 * back more slowly than the services.
 */
function unlessAway(error: Error): undefined {
  if (!/MONGODB_URI|NATS_URL/.test(error.message)) throw error;
}
