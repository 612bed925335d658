import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from './failure.ts';

const stored = z.object({
  /** The base path of the last login. */
  current: z.string().optional(),
  /** Keys by the base path of the API. */
  servers: z.record(z.string(), z.object({ key: z.string() })),
});
type Credentials = z.infer<typeof stored>;

export type CredentialStore = ReturnType<typeof createCredentialStore>;

/** The keys of the servers that somebody is logged in to, in a file that only its owner reads. */
export function createCredentialStore(configFolder: string | undefined) {
  const file = join(configFolder ?? join(homedir(), '.config'), 'assay', 'credentials.json');

  async function read(): Promise<Credentials> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return { servers: {} };
    try {
      return stored.parse(JSON.parse(text));
    } catch {
      throw new CommandFailure(`${file} is damaged: delete it, and log in again.`);
    }
  }

  /** Replaces the file whole: another command reads either the old one or the new one. */
  async function write(credentials: Credentials): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const written = `${file}.${randomUUID()}`;
    await writeFile(written, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
    await rename(written, file);
  }

  return {
    file,
    read,
    /** Stores the key of a server, and returns the one in whose place it is. */
    async keep(url: string, key: string): Promise<string | undefined> {
      const { servers } = await read();
      await write({ current: url, servers: { ...servers, [url]: { key } } });
      return Object.hasOwn(servers, url) ? servers[url]?.key : undefined;
    },
    /** Forgets the key of a server, and returns it; undefined where there was none. */
    async forget(url: string): Promise<string | undefined> {
      const { current, servers } = await read();
      if (!Object.hasOwn(servers, url)) return undefined;
      const { [url]: forgotten, ...others } = servers;
      const next = current === url ? Object.keys(others)[0] : current;
      await write({ ...(next === undefined ? {} : { current: next }), servers: others });
      return forgotten?.key;
    },
  };
}
