import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A proxy of a company, in which every host is this machine. */
export interface HttpProxy {
  port: number;
  /** What it was asked for: `GET http://host/path`, `CONNECT host:443`. */
  seen: string[];
  /** The `Proxy-Authorization` of each request. */
  credentials: (string | undefined)[];
  stop(): Promise<void>;
}

/** Starts a proxy that forwards plain HTTP and tunnels the rest, to the same port of this machine. */
export async function startHttpProxy(): Promise<HttpProxy> {
  const seen: string[] = [];
  const credentials: (string | undefined)[] = [];
  const note = (incoming: IncomingMessage) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    credentials.push(incoming.headers['proxy-authorization']);
  };
  const server = createServer((incoming, response) => {
    note(incoming);
    const { port, pathname, search } = new URL(incoming.url!);
    const { method, headers } = incoming;
    const path = `${pathname}${search}`;
    const onward = request({ host: '127.0.0.1', port, path, method, headers }, (reply) =>
      reply.pipe(response.writeHead(reply.statusCode!, reply.headers)),
    );
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    note(incoming);
    const { port } = new URL(`http://${incoming.url}`);
    const onward = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward])
      end.on('error', () => {
        socket.destroy();
        onward.destroy();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    credentials,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
