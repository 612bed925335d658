import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps at most `connectionsMax` connections of clients. For one more, the oldest over which no
 * good key has come is closed, and where there is none the new one; so idle connections of
 * strangers keep nobody out. `closed` is called for each.
 */
export function boundConnections({
  server,
  connectionsMax,
  closed,
}: {
  server: Server;
  connectionsMax: number;
  closed: () => void;
}) {
  // A Set keeps the order of insertion.
  const strangers = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    strangers.add(socket);
    socket.once('close', () => {
      connections -= 1;
      strangers.delete(socket);
    });
    if (connections <= connectionsMax) return;
    const [oldest] = strangers;
    closed();
    oldest!.destroy();
  });
  return {
    /** A good key came over this connection. */
    trust: (socket: Socket): void => void strangers.delete(socket),
    count: (): number => connections,
  };
}
