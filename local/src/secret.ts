import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A signing secret of the installation: made when it is first wanted, readable by its owner alone. */
export async function keepSecret(folder: string, name: 'secret' | 'operator-secret'): Promise<string> {
  const file = join(folder, name);
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '') return known;
  const secret = randomBytes(32).toString('base64url');
  await writePrivate(file, `${secret}\n`);
  return secret;
}

/** Writes a file that only its owner can read, whole or not at all. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
