import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepKeys } from '@assay/local/keys/write-keys';
import { startServers } from '@assay/local/servers';
import type { TestProject } from 'vitest/node';
import { engineMayAnswer } from './container-engines.ts';
import { startContainers } from './containers.ts';
import { chooseServers } from './server-choice.ts';
import { sharingEnded } from './sharing.ts';

declare module 'vitest' {
  interface ProvidedContext {
    servers: { mongodbUri: string; natsUrl: string; keysFolder: string };
  }
}

/** Bytes that the data of all tests may take. */
const scratchBytesMin = 8 * 1024 ** 3;

/**
 * In memory where there is room: the disk of a small machine takes some ms for each acknowledged
 * write, and no test of these servers ends them by force (those have data folders of their own).
 */
async function scratchFolder(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= scratchBytesMin ? memory : tmpdir();
}

/** A busy machine is no failure: it may take a minute to reach MongoDB. */
function patient(mongodbUri: string): string {
  const timeouts = 'serverSelectionTimeoutMS=60000&connectTimeoutMS=60000';
  const isStated = mongodbUri.includes('?');
  const hasPath = /^[^/]*\/\/[^/]+\//.test(mongodbUri);
  return `${mongodbUri}${isStated ? '&' : hasPath ? '?' : '/?'}${timeouts}`;
}

/**
 * Starts one real MongoDB and one real NATS for the whole test run: in containers where an engine
 * answers, else as programs in a folder of their own. MONGODB_URI and NATS_URL name others.
 */
export default async function startTestServers(project: TestProject): Promise<() => Promise<void>> {
  const containers = await startContainers(
    chooseServers(process.env),
    (sentence) => void process.stderr.write(`${sentence}\n`),
    { engineMayAnswer: engineMayAnswer(process.env) },
  );
  const dataFolder = await mkdtemp(join(await scratchFolder(), 'assay-test-'));
  const servers = await startServers({
    dataFolder,
    cacheFolder: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay'),
    mongodbUri: containers.mongodbUri,
    natsUrl: containers.natsUrl,
    log: () => undefined,
    onFatal: (sentence) => {
      throw new Error(sentence);
    },
  });
  const keysFolder = join(dataFolder, 'keys');
  await keepKeys(keysFolder);
  const sharingFolder = join(dataFolder, 'sharing');
  await mkdir(sharingFolder);
  project.provide('sharingFolder', sharingFolder);
  project.provide('servers', {
    mongodbUri: patient(servers.mongodbUri),
    natsUrl: servers.natsUrl,
    keysFolder,
  });
  return async () => {
    try {
      await sharingEnded(sharingFolder);
    } finally {
      await servers.stop();
      await containers.stop();
      await rm(dataFolder, { recursive: true, force: true });
    }
  };
}
