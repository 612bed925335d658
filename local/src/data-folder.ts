import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { acquireLock } from './lock.ts';
import { endRecorded } from './process-record.ts';

/** Changes when a data folder of an older Assay can no longer be read. */
export const dataVersion = '1';

/** The databases of a laptop are `assay_<service>`, on a MongoDB of the person's own too. */
export const databasePrefix = 'assay';

/** The subjects of a laptop begin with it, on a NATS of the person's own too. */
export const subjectPrefix = 'assay';

/** The keys of the processes, and the root of them all. */
export const keysIn = (dataFolder: string): string => join(dataFolder, 'keys');

export const attachmentsIn = (dataFolder: string): string => join(dataFolder, 'attachments');

const leftoverTimeoutMs = 15_000;

/**
 * Locks the folder for this process until `close` or the end of the process, closes it to the
 * machine's other users, and ends the processes that a killed launcher left running there. Throws
 * an Error whose message is one sentence when the folder is in use, belongs to another version, or
 * cannot be written.
 */
export async function openDataFolder(options: {
  folder: string;
  version: string;
}): Promise<{ folder: string; close: () => Promise<void> }> {
  const folder = resolve(options.folder);
  await makeWritable(folder);
  const lock = await acquireLock(join(folder, 'lock'));
  if ('holder' in lock)
    throw new Error(
      `The data folder ${folder} is in use by process ${lock.holder.pid}: stop it, or name another folder.`,
    );
  try {
    await checkVersion({ folder, version: options.version });
    // Only now is it known to be Assay's. Another user's folder, which this one may write to, stays
    // as it is.
    await chmod(folder, 0o700).catch(() => undefined);
    const pidFiles = (await readdir(folder)).filter((name) => name.endsWith('.pid'));
    await Promise.all(
      pidFiles.map((name) =>
        endRecorded({ file: join(folder, name), timeoutMs: leftoverTimeoutMs }),
      ),
    );
  } catch (cause) {
    await lock.release();
    throw cause;
  }
  return { folder, close: lock.release };
}

async function makeWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(await mkdtemp(join(folder, '.try-')), { recursive: true });
  } catch (cause) {
    const isFile = await stat(folder).then(
      (found) => !found.isDirectory(),
      () => false,
    );
    const why = isFile
      ? 'is not a folder'
      : `cannot be written to (${(cause as NodeJS.ErrnoException).code})`;
    throw new Error(`The data folder ${folder} ${why}: name another one.`, { cause });
  }
}

async function checkVersion({
  folder,
  version,
}: {
  folder: string;
  version: string;
}): Promise<void> {
  const file = join(folder, 'version');
  const found = (await readFile(file, 'utf8').catch(() => undefined))?.trim();
  if (found === version) return;
  if (found)
    throw new Error(
      `The data folder ${folder} belongs to version ${found} and this is version ${version}: name another one.`,
    );
  const strangers = (await readdir(folder)).filter((name) => !/^(lock|version|\.try-)/.test(name));
  if (strangers.length > 0)
    throw new Error(
      `The data folder ${folder} holds files that are not Assay's (${strangers[0]}): name another one.`,
    );
  await writeFile(`${file}.new`, `${version}\n`);
  await rename(`${file}.new`, file);
}
