import { randomBytes } from 'node:crypto';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A secret of the installation, in a file that its owner alone may read: made at the first start. */
export async function keepSecret(
  folder: string,
  name: 'operator-secret' | 'mongodb-keyfile' | 'mongodb-password' | 'nats-password',
): Promise<string> {
  const file = join(folder, name);
  const known = await readSecret(folder, name);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString('hex');
  await writePrivate(file, `${secret}\n`);
  return secret;
}

/** Undefined where there is no such file. */
export const readSecret = async (folder: string, name: string): Promise<string | undefined> =>
  (await readFile(join(folder, name), 'utf8').catch(() => '')).trim() || undefined;

/** Writes a file that only its owner can read, whole or not at all. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Makes a file, or one that is there, readable by its owner alone. */
export async function makePrivate(file: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  await handle.chmod(0o600);
  await handle.close();
}
