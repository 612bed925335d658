import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Connections that the kernel keeps for us while we are busy: a new one past it is lost for a
 * second.
 */
const backlog = 4096;

/** Its base URL, once it listens. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
}
