import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refusal } from './refusal.ts';
import { writePrivate } from './secret.ts';

export const keyFileHelp =
  'write the key to a file that its owner alone may read, in place of printing it: a job that prints it gives it to the logs';

/** Checks, before a key is made, that a file for it can be. @throws Refusal */
export async function checkIsNew(file: string): Promise<void> {
  if (existsSync(file)) throw new Refusal(`${file} is there already: name another file.`);
  await access(dirname(file), constants.W_OK).catch(() => {
    throw new Refusal(
      `${file} cannot be written: see that its folder is there and may be written to.`,
    );
  });
}

/** Returns the lines to print of a key that was made: it is the last one, or in the file. */
export async function handOver(
  key: string,
  { file, made, whose }: { file: string | undefined; made: string; whose: string },
): Promise<string[]> {
  if (file === undefined) return [`${made} This is ${whose}; it is not shown again:`, key];
  await writePrivate(file, `${key}\n`);
  return [`${made} ${whose.charAt(0).toUpperCase()}${whose.slice(1)} is in ${file}.`];
}
