import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

// Below the ports that systems hand out for outgoing connections (Linux from 32768, macOS from
// 49152): none of those can take the port while its server is being started again.
const portMin = 20_000;
const portMax = 32_000;
const triesMax = 100;

/** What this process has claimed, by port. */
const claims = new Map<number, Socket>();

/**
 * A free port on 127.0.0.1; the one that the file remembers from the last start if it is still
 * free. The file then remembers it. It is this process's own as {@link freePort}'s is.
 */
export async function keepPort({ file }: { file: string }): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const inRange = Number.isInteger(last) && last >= portMin && last < portMax;
  const known = inRange && (await isFree(last)) && (claims.has(last) || (await claim(last)));
  const port = known ? last : await freePort();
  await writeFile(file, String(port));
  return port;
}

/**
 * A port on 127.0.0.1 that nobody has, and that no outgoing connection will take. No process of
 * Assay gets it a second time before this process ends: whoever asks for a port often listens on it
 * seconds later, or starts a server there again.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(portMin, portMax);
    if ((await isFree(port)) && (await claim(port))) return port;
  }
  throw new Error(`No free port was found on 127.0.0.1 between ${portMin} and ${portMax}.`);
}

/**
 * Claims a port by a UDP socket of the same number, which does not hinder a TCP server: the
 * operating system gives it to one process only, and takes it back when that process ends.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  const claimed = once(socket, 'listening').then(
    () => true,
    () => false,
  );
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  if (!(await claimed)) return false;
  claims.set(port, socket);
  return true;
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
