import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { identity } from '@assay/contracts/identity';
import { keysIn } from '@assay/local/data-folder';
import { readLocalConfig } from '@assay/local/environment';
import { keepKeys } from '@assay/local/keys/write-keys';
import { createOrganization } from '@assay/local/organization';
import { freePort } from '@assay/local/port';
import { startServers } from '@assay/local/servers';
import { type Bus, connectBus } from '@assay/runtime/bus/bus';
import { openKeys, type ProcessKeys } from '@assay/runtime/keys';
import { createLog } from '@assay/runtime/log';
import { type Call, callAt } from './client.ts';
import { type Generator, startGenerator } from './load.ts';
import { type Program, startProgram } from './program.ts';
import { say } from './report.ts';

/** Sets the services of this benchmark apart from the laptop's, on the same servers. */
const prefix = 'bench';

/**
 * The setting in which the questions are measured. Each part is started when it is first needed,
 * and stays until the end.
 */
export interface Setting {
  folder: string;
  /** The keys of a process of the installation. */
  keysOf: (process: string) => ProcessKeys;
  /** Records of the run of question 11. */
  recordsCount: number;
  /** Traces of the project that the question trace-reading lists. */
  tracesCount: number;
  /** Simulated comparisons for each line of the question verdicts. */
  drawsCount: number;
  /** The attacks of the question neighbours; all of them where none is named. */
  attackNames: string[];
  /** Pairs of the runs that these attacks have compared. */
  pairsCount: number;
  generator: Generator;
  servers(): Promise<{ mongodbUri: string; natsUrl: string }>;
  /** The gateway and the services, each in its own process as in production. */
  installation(): Promise<Installation>;
  /** Returns a value that several questions use. The first question that needs it makes it. */
  shared<Value>(make: (setting: Setting) => Promise<Value>): Promise<Value>;
  /**
   * Starts one more program, for instance a baseline; `name` is the name that its profile is asked
   * for with.
   */
  start(options: {
    name?: string;
    file: string;
    environment?: Record<string, string>;
  }): Promise<Program>;
  stop(): Promise<void>;
}

export interface Installation {
  url: string;
  key: string;
  organizationId: string;
  call: Call;
  bus: Bus;
  /** The environment variables of every process of the installation. */
  environment: Record<string, string>;
  databaseOf(service: string): string;
  /** The process of a service or of the gateway. */
  programOf(name: string): Program;
  /** Ends a service and starts it anew at the same address, told this besides. */
  restart(name: string, environment?: Record<string, string>): Promise<void>;
}

/**
 * Works in `folder`, which exists; `profile` names the programs whose CPU profiles are left in
 * `profiles/<name>` there.
 */
export function createSetting({
  folder,
  profile,
  recordsCount,
  tracesCount,
  drawsCount,
  attackNames,
  pairsCount,
}: {
  folder: string;
  profile: string[];
  recordsCount: number;
  tracesCount: number;
  drawsCount: number;
  attackNames: string[];
  pairsCount: number;
}): Setting {
  const generator = startGenerator();
  const undo: (() => Promise<void>)[] = [generator.stop];

  // Undone from the moment when it begins, so that a stop in its middle leaves nothing behind.
  const keep = <Value>(
    starting: Promise<Value>,
    stopIt: (value: Value) => Promise<void>,
  ): Promise<Value> => {
    undo.push(() => starting.then(stopIt, () => undefined));
    return starting;
  };
  const start: Setting['start'] = ({ name = '', file, environment }) => {
    const profileFolder = profile.includes(name) ? profileFolderOf(folder, name) : undefined;
    return keep(startProgram({ file, environment, profileFolder }), (program) => program.stop());
  };
  const servers = once(() => keep(startOwnServers(folder), (running) => running.stop()));
  const installation = once(async () => {
    const parts = { folder, start, ...(await servers()) };
    return keep(startInstallation(parts), ({ bus }) => bus.drain());
  });
  const stop = async () => {
    while (undo.length > 0) await undo.pop()!();
  };
  const made = new Map<unknown, Promise<unknown>>();
  const setting: Setting = {
    folder,
    keysOf: (process) =>
      openKeys(
        { ASSAY_KEYS_FOLDER: keysIn(folder) },
        process,
        createLog({ name: 'bench', level: 'warn' }),
      ),
    recordsCount,
    tracesCount,
    drawsCount,
    attackNames,
    pairsCount,
    generator,
    servers,
    installation,
    shared: <Value>(make: (setting: Setting) => Promise<Value>) => {
      if (!made.has(make)) made.set(make, make(setting));
      return made.get(make) as Promise<Value>;
    },
    start,
    stop,
  };
  return setting;
}

export const profileFolderOf = (folder: string, name: string): string =>
  join(folder, 'profiles', name);

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Servers of the benchmark's own, whatever others are configured: on a shared one the figures would
 * say nothing.
 */
function startOwnServers(folder: string) {
  const config = readLocalConfig();
  say('Starting mongod and nats-server …');
  return startServers({
    dataFolder: join(folder, 'servers'),
    cacheFolder: join(config.XDG_CACHE_HOME, 'assay'),
    mongodPath: config.MONGOD_PATH,
    natsServerPath: config.NATS_SERVER_PATH,
    log: say,
    onFatal: (sentence) => {
      throw new Error(sentence);
    },
  });
}

async function startInstallation({
  folder,
  start,
  mongodbUri,
  natsUrl,
}: Pick<Setting, 'folder' | 'start'> & {
  mongodbUri: string;
  natsUrl: string;
}): Promise<Installation> {
  say('Starting the gateway and the services, each in its own process …');
  // Each process has keys of its own, as in production.
  await keepKeys(keysIn(folder));
  const operatorSecret = randomBytes(32).toString('hex');
  const environment: Record<string, string> = {
    MONGODB_URI: mongodbUri,
    NATS_URL: natsUrl,
    ASSAY_KEYS_FOLDER: keysIn(folder),
    ASSAY_OPERATOR_SECRET: operatorSecret,
    SUBJECT_PREFIX: prefix,
    DATABASE_PREFIX: prefix,
    ATTACHMENTS_FOLDER: join(folder, 'attachments'),
    PUBLIC_URL: 'http://127.0.0.1:1/v2',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    // Of the attacks, code that never ends is one; it is its time that is measured, and not its
    // walls.
    CODE_WITHOUT_WALL: 'true',
  };
  const programs = new Map<string, Program>();
  const startNamed = async (
    name: string,
    file: string,
    own: Record<string, string> = {},
  ): Promise<Program> => {
    const program = await start({ name, file, environment: { ...environment, ...own } });
    programs.set(name, program);
    return program;
  };
  const startService = (name: string, own?: Record<string, string>) =>
    startNamed(name, `dist/bundle/${name}.js`, own);
  // Others are told where two of them are, and transfers where all of them are.
  environment.RUN_RECORDS_URL = (await startService('run-records')).url;
  environment.TESTCASES_URL = (await startService('testcases')).url;
  const others = serviceNames.filter((name) => !programs.has(name) && name !== 'transfers');
  const urls = await Promise.all(
    others.map(async (name) => [urlVariable(name), (await startService(name)).url] as const),
  );
  Object.assign(environment, Object.fromEntries(urls));
  environment.TRANSFERS_URL = (await startService('transfers')).url;
  // The gateway is told where agents are served, and they ask it in turn: its port is taken first.
  const port = String(await freePort());
  environment.MCP_URL = (
    await startNamed('mcp', 'dist/bundle/mcp.js', { GATEWAY_URL: `http://127.0.0.1:${port}` })
  ).url;
  const { url } = await startNamed('gateway', 'dist/bundle/gateway.js', { PORT: port });
  const log = createLog({ name: 'bench', level: 'warn' });
  const bus = await connectBus({
    urls: [natsUrl],
    name: 'bench',
    prefix,
    operatorSecret,
    log,
  });
  const { key, organization } = await createOrganization(bus.asks(identity).identity, {
    name: 'Benchmark',
  });
  const databaseOf = (service: string) => `${prefix}_${service}`;
  const programOf = (name: string) => programs.get(name)!;
  const restart = async (name: string, own?: Record<string, string>) => {
    const { url, stop } = programOf(name);
    await stop();
    await startService(name, { ...own, PORT: new URL(url).port });
  };
  return {
    url,
    key,
    organizationId: organization.id,
    call: callAt(url, key),
    bus,
    environment,
    databaseOf,
    programOf,
    restart,
  };
}
