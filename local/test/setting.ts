import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findBinary } from '../src/binaries.ts';

/** The user's own cache, so that the binaries are fetched once. */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'assay');

let found: Promise<{ mongod: string; nats: string }> | undefined;

/** Real binaries, by the same finder as the launcher's. */
export function binaries(): Promise<{ mongod: string; nats: string }> {
  found ??= find();
  return found;
}

async function find() {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const mongod = await findBinary('mongod', {
    configuredPath: process.env.MONGOD_PATH,
    cacheFolder,
    log,
  });
  const nats = await findBinary('nats-server', {
    configuredPath: process.env.NATS_SERVER_PATH,
    cacheFolder,
    log,
  });
  return { mongod, nats };
}

/** A new folder that is removed after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-local-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
