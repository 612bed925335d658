import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Refusal } from '../refusal.ts';
import { writePrivate } from '../secret.ts';

const roots = z.object({
  /** Keys of processes are derived from each: the first signs, and all are accepted. */
  roots: z.array(z.string().min(32)).min(1),
  /** Passwords at MongoDB and NATS are derived from it. */
  passwords: z.string().min(32),
});

/** What all keys and passwords of an installation are derived from: no process has it. */
export type Roots = z.infer<typeof roots>;

const fileIn = (folder: string): string => join(folder, 'root.json');
const newRoot = (): string => randomBytes(32).toString('base64url');

/**
 * Returns the roots that a folder keeps, made where there are none.
 * @throws Refusal for a file that holds something else.
 */
export async function keepRoots(folder: string): Promise<Roots> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = await readFile(fileIn(folder), 'utf8').catch(unlessMissing);
  if (known === undefined) return saveRoots(folder, { roots: [newRoot()], passwords: newRoot() });
  try {
    return roots.parse(JSON.parse(known));
  } catch {
    throw new Refusal(
      `${fileIn(folder)} does not hold the root of keys: put the file of a backup in its place, or remove it for new keys.`,
    );
  }
}

/** A root that is there and cannot be read is never taken for none. */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

export async function saveRoots(folder: string, changed: Roots): Promise<Roots> {
  await writePrivate(fileIn(folder), `${JSON.stringify(changed, null, 2)}\n`);
  return changed;
}

/** The steps by which a new root takes the place of another, with processes running. */
export const rootSteps = {
  /** A new root, accepted beside the one that signs. */
  add: ({ roots: [first, ...others], ...kept }: Roots): Roots => ({
    ...kept,
    roots: [first!, newRoot(), ...others],
  }),
  /** The next one signs; the one before is still accepted. */
  use: ({ roots: [first, second, ...others], ...kept }: Roots): Roots => {
    if (second === undefined) throw new Refusal('There is one root: `add` makes another.');
    return { ...kept, roots: [second, first!, ...others] };
  },
  /** Only the one that signs is accepted. */
  drop: ({ roots: [first], ...kept }: Roots): Roots => ({ ...kept, roots: [first!] }),
};

export type RootStep = keyof typeof rootSteps;
