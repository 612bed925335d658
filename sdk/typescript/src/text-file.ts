import { readFile } from 'node:fs/promises';

/** The text of a user's file, without the byte order mark that editors of Windows begin it with. */
export const readTextFile = async (path: string): Promise<string> =>
  new TextDecoder().decode(await readFile(path));
