import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { poll } from './poll.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of files, each named by the id of a process that shares something. */
    sharingFolder: string;
  }
}

/** The environment of a process, which calls it, has modules of its own: hence the global object. */
const globals = globalThis as { [endKey]?: () => Promise<void> };
const endKey = Symbol.for('assay.end-of-sharing');

/**
 * Returns a function that gives all files of a process of tests the same thing: the first call
 * starts it, and the end of the process stops it. A start that fails is tried again by the next file.
 */
export function sharedInProcess<Thing>(
  start: () => Promise<Thing>,
  stop: (thing: Thing) => Promise<void>,
): () => Promise<Thing> {
  let started: Promise<Thing> | undefined;
  return async () => {
    started ??= startOnce();
    try {
      return await started;
    } catch (error) {
      started = undefined;
      throw error;
    }
  };

  async function startOnce(): Promise<Thing> {
    const thing = await start();
    const mark = join(inject('sharingFolder'), String(process.pid));
    await writeFile(mark, '');
    const endOthers = globals[endKey] ?? (() => rm(mark));
    globals[endKey] = () => stop(thing).finally(endOthers);
    return thing;
  }
}

/** Stops all that the files of this process shared, the latest first. */
export async function endSharing(): Promise<void> {
  await globals[endKey]?.();
}

/**
 * Waits until each process that shares something has stopped it, or has ended: vitest stops the
 * servers at once.
 */
export async function sharingEnded(sharingFolder: string): Promise<void> {
  await poll('the processes of tests have stopped what they share', async () => {
    const sharing = await readdir(sharingFolder);
    return !sharing.some((id) => isRunning(Number(id)));
  });
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
