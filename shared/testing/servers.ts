import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@assay/local/servers';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    servers: { mongodbUri: string; natsUrl: string };
  }
}

/**
 * One real MongoDB and one real NATS for the whole test run, in a folder of their own; MONGODB_URI
 * and NATS_URL name others.
 */
export default async function startTestServers(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  const servers = await startServers({
    dataFolder,
    cacheFolder: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay'),
    mongodbUri: process.env.MONGODB_URI,
    natsUrl: process.env.NATS_URL,
    log: () => undefined,
    onFatal: (sentence) => {
      throw new Error(sentence);
    },
  });
  project.provide('servers', { mongodbUri: servers.mongodbUri, natsUrl: servers.natsUrl });
  return async () => {
    await servers.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}
