import { createHash } from 'node:crypto';
import { link, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRunning, type ProcessRecord, parseRecord, recordOf } from './process-record.ts';

/**
 * Makes the lock file this process's own and gives its release, or gives the running process that
 * holds it. The lock of a process that is gone, however it ended, is taken over; of several that
 * try at once exactly one succeeds.
 *
 * The file names its owner; `link` makes it whole or fails. A dead owner is succeeded by the one
 * process that makes the claim `<lock>.after-<that owner>`; should that one die before the lock
 * bears its name, it is succeeded in the same way.
 */
export async function acquireLock(
  lock: string,
): Promise<{ release: () => Promise<void> } | { holder: ProcessRecord }> {
  const own = JSON.stringify(await recordOf(process.pid));
  const folder = await mkdtemp(`${lock}.draft-`);
  const draft = join(folder, 'lock');
  await writeFile(draft, own);
  try {
    for (;;) {
      if (await isLinked({ draft, to: lock })) break;
      const outcome = await succeed({ lock, draft });
      if (outcome === 'ours') break;
      if (outcome !== 'changed') return { holder: outcome };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const release = async () => {
    if ((await textOf(lock)) === own) await rm(lock, { force: true });
  };
  return { release };
}

type Outcome = 'ours' | 'changed' | ProcessRecord;

async function succeed({ lock, draft }: { lock: string; draft: string }): Promise<Outcome> {
  const dead = await textOf(lock);
  if (dead === undefined) return 'changed';
  const claimed = await claim({ lock, draft, owner: dead });
  if ('holder' in claimed) return claimed.holder;
  // The claims of an earlier succession are removed after its rename, so one that was made too late
  // finds another name here.
  if ((await textOf(lock)) !== dead) {
    await rm(claimed.file, { force: true });
    return 'changed';
  }
  await rename(draft, lock);
  await removeClaims(lock);
  return 'ours';
}

async function claim(options: {
  lock: string;
  draft: string;
  owner: string;
}): Promise<{ file: string } | { holder: ProcessRecord }> {
  const { lock, draft, owner } = options;
  // An owner that cannot be read was cut off by the end of the whole machine.
  const holder = parseRecord(owner);
  if (holder && (await isRunning(holder))) return { holder };
  const file = `${lock}.after-${createHash('sha256').update(owner).digest('hex').slice(0, 16)}`;
  if (await isLinked({ draft, to: file })) return { file };
  const claimant = await textOf(file);
  return claim({ ...options, owner: claimant ?? owner });
}

async function removeClaims(lock: string): Promise<void> {
  const files = (await readdir(dirname(lock))).map((name) => join(dirname(lock), name));
  await Promise.all(
    files
      .filter((file) => file.startsWith(`${lock}.after-`))
      .map((file) => rm(file, { force: true })),
  );
}

async function isLinked({ draft, to }: { draft: string; to: string }): Promise<boolean> {
  try {
    await link(draft, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
