import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ServiceConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import pino from 'pino';
import { findBinary } from './binaries.ts';
import { openDataFolder } from './data-folder.ts';
import { type LocalConfig, scoringOf } from './environment.ts';
import { keepAdminKey } from './organization.ts';
import { keepSecret, writePrivate } from './secret.ts';
import { startServers } from './servers.ts';
import { startAllServices } from './services.ts';

/** Changes when a data folder of an older Assay can no longer be read. */
const dataVersion = '1';
const subjectPrefix = 'assay';

export interface Assay {
  url: string;
  /** The admin key, and whether this start made it. */
  key: string;
  isNewKey: boolean;
  folder: string;
  stop(): Promise<void>;
}

interface LaunchOptions {
  config: LocalConfig;
  /** Told what is being done, a line each. */
  say: (line: string) => void;
  /** Told, in a sentence, that what was started cannot go on. */
  onFatal: (sentence: string) => void;
}

/** Everything that one person needs, in one process and two children: MongoDB, NATS, every service, the gateway. */
export async function launch({ config, say, onFatal }: LaunchOptions): Promise<Assay> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await checkPort(config);
    const data = await openDataFolder({ folder: config.ASSAY_DATA_DIR, version: dataVersion });
    undo.push(data.close);
    await mkdir(join(data.folder, 'logs'), { recursive: true });
    const bubblewrap = findBubblewrap(config, say);
    const servers = await startServers({
      dataFolder: data.folder,
      cacheFolder: join(config.XDG_CACHE_HOME, 'assay'),
      mongodbUri: config.MONGODB_URI,
      natsUrl: config.NATS_URL,
      mongodPath: config.MONGOD_PATH,
      natsServerPath: config.NATS_SERVER_PATH,
      log: say,
      onFatal,
    });
    undo.push(servers.stop);

    const log = createLog({
      name: 'assay',
      level: config.LOG_LEVEL,
      destination: pino.destination({ dest: join(data.folder, 'logs', 'assay.log'), sync: false }),
    });
    const services: ServiceConfig = {
      HOST: '127.0.0.1',
      PORT: 0,
      NATS_URL: servers.natsUrl.split(','),
      MONGODB_URI: servers.mongodbUri,
      ASSAY_SECRET: await keepSecret(data.folder),
      LOG_LEVEL: config.LOG_LEVEL,
      SUBJECT_PREFIX: subjectPrefix,
      DATABASE_PREFIX: 'assay',
    };
    const running = await startAllServices({
      config: services,
      gateway: { host: config.HOST, port: config.PORT, rateLimitPerMinute: config.RATE_LIMIT_PER_MINUTE },
      attachmentsFolder: join(data.folder, 'attachments'),
      scoring: { ...scoringOf(config), BUBBLEWRAP_PATH: await bubblewrap },
      log,
    });
    undo.push(running.stop);
    undo.push(await tellOperators(data.folder, services));
    const { key, isNew } = await keepAdminKey({ folder: data.folder, config: services, log });
    return { url: running.url, key, isNewKey: isNew, folder: data.folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What walls users' code in. Without it there are metrics that do not run, which is no reason not to start. */
async function findBubblewrap(config: LocalConfig, say: (line: string) => void): Promise<string | undefined> {
  const { BUBBLEWRAP_PATH: configuredPath, XDG_CACHE_HOME, CODE_WITHOUT_WALL: withoutWall } = config;
  const off = withoutWall
    ? 'Code in Python is off, and code in JavaScript and TypeScript runs without its outer wall'
    : 'Code is off (CODE_WITHOUT_WALL=true lets JavaScript and TypeScript run without its outer wall)';
  if (process.platform !== 'linux') {
    say(`${off}: bubblewrap runs on Linux only.`);
    return configuredPath;
  }
  return findBinary('bwrap', { configuredPath, cacheFolder: join(XDG_CACHE_HOME, 'assay'), log: say }).catch((error: Error) => {
    say(`${off}: ${error.message}`);
    return configuredPath;
  });
}

/** `npm run admin` reads from here how to reach what runs. */
async function tellOperators(folder: string, { NATS_URL, ASSAY_SECRET, SUBJECT_PREFIX }: ServiceConfig): Promise<() => Promise<void>> {
  const file = join(folder, 'running.json');
  await writePrivate(file, `${JSON.stringify({ natsUrl: NATS_URL.join(','), secret: ASSAY_SECRET, subjectPrefix: SUBJECT_PREFIX })}\n`);
  return () => rm(file, { force: true });
}

/** Told before anything is started, since nothing would be of use. */
async function checkPort({ HOST, PORT }: LocalConfig): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: HOST, port: PORT, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
        ? `is in use`
        : `cannot be listened on (${(error as NodeJS.ErrnoException).code})`;
    throw new Error(`Port ${PORT} on ${HOST} ${reason}: set PORT to another one.`);
  } finally {
    server.close();
  }
}
