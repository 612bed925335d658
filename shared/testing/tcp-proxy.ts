import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * How the way is disturbed: `delay` keeps each piece back for a while; `silent` accepts connections
 * and says nothing, and keeps all back until it is over, as a network does that loses packets;
 * `refuse` resets new connections.
 */
export type Disturbance = { kind: 'delay'; ms: number } | { kind: 'silent' } | { kind: 'refuse' };

/**
 * How connections end: both ways, one way (the client hears the end, and may go on talking), or
 * with a reset.
 */
export type Ending = 'cut' | 'half-close' | 'reset';

/** A way between a client and a server, which can be disturbed. */
export interface TcpProxy extends AsyncDisposable {
  port: number;
  disturb(disturbance: Disturbance): void;
  /** Ends the disturbance: from now on all bytes pass, including those that were held back. */
  heal(): void;
  /** Ends the connections that there are. */
  end(ending: Ending): void;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 and passes on to the server of a URL. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const { hostname: host, port } = new URL(url);
  const connections = new Set<{ client: Socket; server: Socket | undefined }>();
  let disturbance: Disturbance | undefined;
  let waiting: (() => void)[] = [];

  /** Resolves when the next piece may go on. */
  async function passage(): Promise<void> {
    if (disturbance?.kind === 'delay')
      await new Promise((resolve) => setTimeout(resolve, (disturbance as { ms: number }).ms));
    while (disturbance?.kind === 'silent')
      await new Promise<void>((resolve) => waiting.push(resolve));
  }

  async function pass(from: Socket, to: Socket): Promise<void> {
    try {
      // Not destroyed at its end: the other way may still be open.
      for await (const bytes of from.iterator({ destroyOnReturn: false })) {
        await passage();
        if (!to.write(bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      await passage();
      to.end();
    } catch {
      from.destroy();
      to.destroy();
    }
  }

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, async (client) => {
    client.on('error', () => undefined);
    if (disturbance?.kind === 'refuse') return client.resetAndDestroy();
    const connection: { client: Socket; server: Socket | undefined } = {
      client,
      server: undefined,
    };
    connections.add(connection);
    client.on('close', () => {
      connections.delete(connection);
      connection.server?.destroy();
    });
    await passage();
    if (client.destroyed) return;
    const server = connect({ host, port: Number(port), allowHalfOpen: true, noDelay: true });
    connection.server = server;
    server.on('error', () => client.destroy());
    void pass(client, server);
    void pass(server, client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const heal = () => {
    disturbance = undefined;
    for (const resolve of waiting.splice(0)) resolve();
  };
  const end = (ending: Ending) => {
    for (const { client, server } of connections) {
      if (ending === 'half-close') client.end();
      else if (ending === 'reset') client.resetAndDestroy();
      else client.destroy();
      if (ending !== 'half-close') server?.destroy();
    }
  };
  const close = async () => {
    heal();
    waiting = [];
    listener.close();
    end('cut');
    await once(listener, 'close');
  };
  return {
    port: (listener.address() as AddressInfo).port,
    disturb: (wanted) => {
      heal();
      disturbance = wanted;
    },
    heal,
    end,
    close,
    [Symbol.asyncDispose]: close,
  };
}
