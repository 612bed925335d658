import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig, serviceConfig } from '@assay/runtime/config';
import { z } from 'zod';
import { findBinary } from '../binaries.ts';
import { attachmentsIn, databasePrefix, dataVersion, openDataFolder } from '../data-folder.ts';
import { readDotEnv, readLocalConfig } from '../environment.ts';
import { startMongod } from '../mongod.ts';
import { readRunning } from '../running.ts';
import { type Databases, openDatabases } from './databases.ts';

/** An installation as far as a backup goes. */
export interface Installation {
  databases: Databases;
  attachmentsFolder: string | undefined;
  /** Called when the restore is complete. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

interface InstallationOptions {
  withoutAttachments: boolean;
}

type StoppedOptions = InstallationOptions & { say: (line: string) => void };

/**
 * Opens the servers that the environment names, else those that `npm start` runs. Throws an Error
 * whose message is one sentence.
 */
export async function findRunning(wanted: InstallationOptions): Promise<Installation> {
  const running = await seekRunning(wanted);
  if (running) return running;
  throw new Error(
    'Assay is not running here: start it with `npm start`, or set MONGODB_URI and ATTACHMENTS_FOLDER.',
  );
}

/**
 * Opens the installation to compare with a backup, whether it runs or not. Undefined where there is
 * none; nothing is made then. Throws an Error whose message is one sentence.
 */
export async function findInstallation(wanted: StoppedOptions): Promise<Installation | undefined> {
  const running = await seekRunning(wanted);
  if (running) return running;
  const { ASSAY_DATA_DIR: folder } = readLocalConfig();
  return (await versionIn(folder)) === '' ? undefined : openFolder(dataVersion, wanted);
}

/** Opens an empty installation for a restore. Throws an Error whose message is one sentence. */
export async function openNew(wanted: StoppedOptions): Promise<Installation> {
  const named = namedByEnvironment(wanted);
  if (named) return open(named);
  const { ASSAY_DATA_DIR: folder } = readLocalConfig();
  const version = await versionIn(folder);
  if (version !== '' && version !== unfinished)
    throw new Error(`The data folder ${folder} is not empty: name a new one by ASSAY_DATA_DIR.`);
  return openFolder(unfinished, wanted);
}

async function seekRunning(wanted: InstallationOptions): Promise<Installation | undefined> {
  const named = namedByEnvironment(wanted);
  if (named) return open(named);
  const { ASSAY_DATA_DIR: folder } = readConfig({ ASSAY_DATA_DIR: z.string().default('.assay') });
  const running = await readRunning(folder);
  if (!running) return undefined;
  return open({
    uri: running.mongodbUri,
    prefix: running.databasePrefix,
    attachmentsFolder: running.attachmentsFolder,
  });
}

/**
 * Opens a data folder that no process uses, with a mongod of its own until `close`. Until `finish`
 * the folder of a restore belongs to no version, so that `npm start` does not take a partial
 * restore for a complete one.
 */
async function openFolder(
  version: typeof dataVersion | typeof unfinished,
  { say }: StoppedOptions,
): Promise<Installation> {
  const config = readLocalConfig();
  const data = await openDataFolder({ folder: config.ASSAY_DATA_DIR, version });
  const undo = [data.close];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    await mkdir(join(data.folder, 'logs'), { recursive: true });
    const cacheFolder = join(config.XDG_CACHE_HOME, 'assay');
    const binary = await findBinary('mongod', {
      configuredPath: config.MONGOD_PATH,
      cacheFolder,
      log: say,
    });
    const mongod = await startMongod({ binary, dataFolder: data.folder, log: say, onFatal: say });
    undo.push(mongod.stop);
    const opened = await open({
      uri: mongod.uri,
      prefix: databasePrefix,
      attachmentsFolder: attachmentsIn(data.folder),
    });
    undo.push(opened.close);
    return {
      ...opened,
      close,
      finish: () => writeFile(join(data.folder, 'version'), `${dataVersion}\n`),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const unfinished = 'unfinished-restore';

/** The version of the Assay that a data folder belongs to; empty where it is none. */
const versionIn = async (folder: string): Promise<string> =>
  (await readFile(join(folder, 'version'), 'utf8').catch(() => '')).trim();

interface NamedServers {
  uri: string;
  prefix: string;
  attachmentsFolder: string | undefined;
}

function namedByEnvironment({ withoutAttachments }: InstallationOptions): NamedServers | undefined {
  readDotEnv();
  const { MONGODB_URI, DATABASE_PREFIX, ATTACHMENTS_FOLDER } = readConfig({
    MONGODB_URI: serviceConfig.MONGODB_URI.optional(),
    DATABASE_PREFIX: serviceConfig.DATABASE_PREFIX,
    ATTACHMENTS_FOLDER: z.string().optional(),
  });
  if (MONGODB_URI === undefined || (ATTACHMENTS_FOLDER === undefined && !withoutAttachments))
    return undefined;
  return {
    uri: MONGODB_URI,
    prefix: DATABASE_PREFIX,
    attachmentsFolder: withoutAttachments ? undefined : ATTACHMENTS_FOLDER,
  };
}

async function open({ uri, prefix, attachmentsFolder }: NamedServers): Promise<Installation> {
  const databases = await openDatabases({ uri, prefix });
  return { databases, attachmentsFolder, finish: async () => undefined, close: databases.close };
}
