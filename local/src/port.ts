import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

// Below the ports that systems hand out for outgoing connections (Linux from 32768, macOS from
// 49152): none of those can take the port while its server is being started again.
const portMin = 20_000;
const portMax = 32_000;
const triesMax = 100;

/**
 * A free port on 127.0.0.1; the one that the file remembers from the last start if it is still
 * free. The file then remembers it.
 */
export async function keepPort({ file }: { file: string }): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const known = Number.isInteger(last) && last >= portMin && last < portMax && (await isFree(last));
  const port = known ? last : await freePort();
  await writeFile(file, String(port));
  return port;
}

/** A port on 127.0.0.1 that nobody has, and that no outgoing connection will take. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(portMin, portMax);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found on 127.0.0.1 between ${portMin} and ${portMax}.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  const free = await listening;
  if (free) await new Promise((closed) => server.close(closed));
  return free;
}
