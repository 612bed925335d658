import { once } from 'node:events';
import { createServer } from 'node:net';
import { ConfigurationError } from './config.ts';

/**
 * Tells before anything is started whether a process can listen where it is to.
 * @throws ConfigurationError that names the variable which is wrong.
 */
export async function checkAddress({ HOST, PORT }: { HOST: string; PORT: number }): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: HOST, port: PORT, exclusive: true });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  } catch (error) {
    throw new ConfigurationError(describe(HOST, PORT, (error as NodeJS.ErrnoException).code));
  }
}

function describe(host: string, port: number, code: string | undefined): string {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is in use: set PORT to another one.`;
  if (code === 'EACCES')
    return `Port ${port} is one that this user may not listen on (EACCES): set PORT to one above 1023.`;
  return `${host} is not an address of this machine (${code}): set HOST to 127.0.0.1, to 0.0.0.0 for all of its networks, or to one of its addresses.`;
}
