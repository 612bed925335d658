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

interface SharedThing {
  isFor(testPath: string): boolean;
  stop(): Promise<void>;
}

/** The environment of a process, which calls it, has modules of its own: hence the global object. */
const globals = globalThis as { [thingsKey]?: SharedThing[] };
const thingsKey = Symbol.for('assay.shared-things');

const markOfProcess = () => join(inject('sharingFolder'), String(process.pid));

/**
 * Returns a function that gives all files of a process of tests the same thing: the first call
 * starts it, and the end of the process stops it, or a file that it is not for. A start that fails
 * is tried again by the next file.
 */
export function sharedInProcess<Thing>(
  start: () => Promise<Thing>,
  stop: (thing: Thing) => Promise<void>,
  { isFor = () => true }: { isFor?: (testPath: string) => boolean } = {},
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
    await writeFile(markOfProcess(), '');
    const stopThing = () => {
      started = undefined;
      return stop(thing);
    };
    globals[thingsKey] = [...(globals[thingsKey] ?? []), { isFor, stop: stopThing }];
    return thing;
  }
}

/** Stops each thing that is not for the file of tests that begins: idle services are not free. */
export const endSharingBefore = (testPath: string): Promise<void> =>
  stopThings(({ isFor }) => !isFor(testPath));

/** Stops all that the files of this process shared, the latest first. */
export async function endSharing(): Promise<void> {
  if (globals[thingsKey])
    await stopThings(() => true).finally(() => rm(markOfProcess(), { force: true }));
}

async function stopThings(isOver: (thing: SharedThing) => boolean): Promise<void> {
  const things = globals[thingsKey];
  // Nothing was ever shared, as in tests that need no servers.
  if (!things) return;
  globals[thingsKey] = things.filter((thing) => !isOver(thing));
  const failures: unknown[] = [];
  for (const thing of things.filter(isOver).reverse())
    await thing.stop().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
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
