import { mkdir, readFile } from 'node:fs/promises';
import { serviceNames } from '@assay/contracts/all';
import { erasingServices } from '@assay/contracts/erasing-services';
import { keysFileOf, makeKeysFile } from '@assay/runtime/keys';
import { writePrivate } from '../secret.ts';
import { keepRoots, type Roots } from './roots.ts';
import { userOf } from './users.ts';

/** The processes that have keys: the gateway, and every service. */
export const processNames: readonly string[] = ['gateway', ...serviceNames];

/** The processes that have a database. */
export const databaseOwners: readonly string[] = erasingServices;

interface WrittenKeys {
  /** Where the file of a process goes. */
  folderOf: (process: string) => string;
  roots: Roots;
  /** Which servers have a user for each process. */
  users: { mongodb: boolean; nats: boolean };
}

/** Writes the file of each process that has keys; one that holds the same already stays as it is. */
export async function writeKeys({ folderOf, roots, users }: WrittenKeys): Promise<void> {
  for (const process of processNames) {
    const folder = folderOf(process);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = keysFileOf(folder, process);
    const text = `${JSON.stringify(
      {
        ...makeKeysFile(roots.roots, process),
        ...(users.mongodb && databaseOwners.includes(process)
          ? { mongodb: userOf(roots, 'mongodb', process) }
          : {}),
        ...(users.nats ? { nats: userOf(roots, 'nats', process) } : {}),
      },
      null,
      2,
    )}\n`;
    if ((await readFile(file, 'utf8').catch(() => '')) !== text) await writePrivate(file, text);
  }
}

/**
 * Keeps roots in a folder, and beside them the files of all processes: where one person runs all of
 * them. Returns the roots.
 */
export async function keepKeys(
  folder: string,
  users: WrittenKeys['users'] = { mongodb: false, nats: false },
): Promise<Roots> {
  const roots = await keepRoots(folder);
  await writeKeys({ folderOf: () => folder, roots, users });
  return roots;
}
