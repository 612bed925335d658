import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { type EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

// Below the ports that systems hand out for outgoing connections (Linux from 32768, macOS from
// 49152): none of those can take the port while its server is being started again.
const portMin = 20_000;
const portMax = 32_000;
const triesMax = 100;

/** The ports that this process has claimed. */
const claimed = new Set<number>();

/**
 * Returns a free port on 127.0.0.1, claimed as {@link freePort} does. The file remembers it: the next
 * start gets the same one while it is still free.
 */
export async function keepPort({ file }: { file: string }): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const inRange = Number.isInteger(last) && last >= portMin && last < portMax;
  const known = inRange && (await isFree(last)) && (claimed.has(last) || (await claim(last)));
  const port = known ? last : await freePort();
  await writeFile(file, String(port));
  return port;
}

/**
 * Returns a free port on 127.0.0.1 that no outgoing connection will take. Assay gives it to nobody
 * else before this process ends: the port may be listened on seconds later, and again after a crash.
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
  const isBound = listens(socket);
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  if (!(await isBound)) return false;
  claimed.add(port);
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = listens(server);
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  const free = await isListening;
  if (free) await new Promise((closed) => server.close(closed));
  return free;
}

const listens = (socket: EventEmitter): Promise<boolean> =>
  once(socket, 'listening').then(
    () => true,
    () => false,
  );
