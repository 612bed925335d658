import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectNats } from '@assay/runtime/bus/connection';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import { checkAddress } from '@assay/runtime/listening';
import { createLog, type Log } from '@assay/runtime/log';
import pino from 'pino';
import { findBinary } from './binaries.ts';
import {
  attachmentsIn,
  databasePrefix,
  dataVersion,
  keysIn,
  openDataFolder,
  subjectPrefix,
} from './data-folder.ts';
import { type LocalConfig, natsOf, settingsOf } from './environment.ts';
import { keepKeys } from './keys/write-keys.ts';
import { type AdminKey, createAdminLink, keepAdminKey } from './organization.ts';
import { tellOperators } from './running.ts';
import { keepSecret, makePrivate, readSecret } from './secret.ts';
import { startServers } from './servers.ts';

export interface Assay {
  url: string;
  /** The admin key, the file that keeps it, and whether this start made it. */
  key: string;
  keyFile: string;
  isNewKey: boolean;
  folder: string;
  /**
   * Makes a link that signs the first admin in with a browser: once, within 10 minutes. Undefined
   * where the console is off.
   */
  createLoginLink(): Promise<string | undefined>;
  stop(): Promise<void>;
}

interface LaunchOptions {
  config: LocalConfig;
  /** Called at each step, with one line. */
  say: (line: string) => void;
  /** Called with a sentence when a server that was started cannot go on. */
  onFatal: (sentence: string) => void;
}

/**
 * Everything that one person needs, in one process and two children: MongoDB, NATS, every service,
 * the gateway.
 */
export async function launch({ config, say, onFatal }: LaunchOptions): Promise<Assay> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await checkAddress(config);
    const data = await openDataFolder({ folder: config.ASSAY_DATA_DIR, version: dataVersion });
    undo.push(data.close);
    await mkdir(join(data.folder, 'logs'), { recursive: true });
    const bubblewrap = findBubblewrap(config, say);
    // Here, so that a start that is refused above does not load them; they load beside the servers.
    const loading = import('./services.ts');
    const keysFolder = keysIn(data.folder);
    // At a server of the person's own, the address says who comes.
    const roots = await keepKeys(keysFolder, {
      mongodb: !config.MONGODB_URI,
      nats: !config.NATS_URL,
    });
    const servers = await startServers({
      dataFolder: data.folder,
      roots,
      cacheFolder: join(config.XDG_CACHE_HOME, 'assay'),
      mongodbUri: config.MONGODB_URI,
      natsUrl: config.NATS_URL?.join(','),
      mongodPath: config.MONGOD_PATH,
      natsServerPath: config.NATS_SERVER_PATH,
      log: say,
      onFatal,
    });
    undo.push(servers.stop);

    const logFile = join(data.folder, 'logs', 'assay.log');
    await makePrivate(logFile);
    const log = createLog({
      name: 'assay',
      level: config.LOG_LEVEL,
      destination: pino.destination({ dest: logFile, sync: false }),
    });
    if (config.NATS_URL) await checkNats(config, log);
    const formerSecret = await readSecret(data.folder, 'secret');
    const services: ServiceConfig & OperatorConfig = {
      HOST: '127.0.0.1',
      PORT: 0,
      NATS_URL: config.NATS_URL ?? [withoutUser(servers.natsUrl)],
      ...natsOf(config),
      MONGODB_URI: config.MONGODB_URI ?? withoutUser(servers.mongodbUri),
      ASSAY_KEYS_FOLDER: keysFolder,
      // Messages that wait since an Assay before 0.3.0 are signed with it.
      ...(formerSecret === undefined ? {} : { ASSAY_SECRET: formerSecret }),
      ASSAY_OPERATOR_SECRET: await keepSecret(data.folder, 'operator-secret'),
      // An image alone is told its commit.
      ASSAY_REVISION: 'unknown',
      LOG_LEVEL: config.LOG_LEVEL,
      SUBJECT_PREFIX: subjectPrefix,
      DATABASE_PREFIX: databasePrefix,
    };
    const operator = { config: { ...services, NATS_URL: servers.natsUrl.split(',') }, log, say };
    const attachmentsFolder = attachmentsIn(data.folder);
    const settings = settingsOf(config);
    let admin: AdminKey | undefined;
    const { startAllServices } = await loading;
    const running = await startAllServices({
      config: services,
      address: { host: config.HOST, port: config.PORT, hasMcp: config.MCP },
      attachmentsFolder,
      settings: {
        ...settings,
        scoring: { ...settings.scoring, BUBBLEWRAP_PATH: await bubblewrap },
      },
      beforeGateway: async () => {
        admin = await keepAdminKey({ folder: data.folder, ...operator });
      },
      log,
    });
    undo.push(running.stop);
    const apiUrl = config.PUBLIC_URL ?? `${running.url}${config.PUBLIC_PATH ?? ''}/v2`;
    undo.push(
      await tellOperators(data.folder, {
        natsUrl: servers.natsUrl,
        operatorSecret: services.ASSAY_OPERATOR_SECRET,
        subjectPrefix,
        apiUrl,
        mongodbUri: servers.mongodbUri,
        databasePrefix: services.DATABASE_PREFIX,
        ...(settings.storage.STORAGE === 's3' ? {} : { attachmentsFolder }),
      }),
    );
    const { key, file, isNew } = admin!;
    return {
      url: running.url,
      key,
      keyFile: file,
      isNewKey: isNew,
      folder: data.folder,
      createLoginLink: async () => (config.CONSOLE ? createAdminLink(operator, apiUrl) : undefined),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each process comes to the servers as itself; the addresses with the operator's user are the operator's. */
const withoutUser = (url: string): string => url.replace(/\/\/[^@/]*@/, '//');

/**
 * The services would wait for an unreachable NATS of the person's own; the person at the terminal
 * should not have to.
 */
async function checkNats(config: LocalConfig, log: Log): Promise<void> {
  const connection = await connectNats({
    urls: config.NATS_URL!,
    nats: natsOf(config),
    name: 'launcher',
    log,
    waitMs: 0,
  });
  await connection.close();
}

/**
 * Finds bubblewrap, which walls users' code in. Without it some metrics do not run, which is no
 * reason not to start.
 */
async function findBubblewrap(
  config: LocalConfig,
  say: (line: string) => void,
): Promise<string | undefined> {
  const {
    BUBBLEWRAP_PATH: configuredPath,
    XDG_CACHE_HOME,
    CODE_WITHOUT_WALL: withoutWall,
  } = config;
  const consequence = withoutWall
    ? 'Code in Python is off, and code in JavaScript and TypeScript runs without its outer wall'
    : 'Code is off (CODE_WITHOUT_WALL=true lets JavaScript and TypeScript run without its outer wall)';
  if (process.platform !== 'linux') {
    say(`${consequence}: bubblewrap runs on Linux only.`);
    return configuredPath;
  }
  return findBinary('bwrap', {
    configuredPath,
    cacheFolder: join(XDG_CACHE_HOME, 'assay'),
    log: say,
  }).catch((error: Error) => {
    say(`${consequence}: ${error.message}`);
    return configuredPath;
  });
}
