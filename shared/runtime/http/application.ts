import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Failure } from '@assay/contracts/failure';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { arrivalsRead } from '../concurrency/event-loop.ts';
import type { Metrics } from '../metrics.ts';

interface ApplicationOptions {
  /** Sends a failure, or what any other error is to a client. */
  fail: (request: FastifyRequest, reply: FastifyReply, error: unknown) => void;
  /** Answers a request for which there is no route: with a NOT_FOUND unless given. */
  noRoute?: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Creates the server in the place of Fastify's own; it answers input that is no request too. */
  createServer?: (listener: RequestListener) => Server;
  /** Returns the id of a request; a number without it. */
  requestIdOf?: (request: Parameters<RequestListener>[0]) => string;
}

/**
 * Creates a Fastify application with the rules that every process keeps: the same spelling of a
 * path leads to the same route in gateway and services, an error is a failure of the contract, and
 * a stop ends no request that has arrived. It parses no bodies.
 */
export function createApplication({
  fail,
  noRoute = (request, reply) => fail(request, reply, noSuchRoute()),
  createServer,
  requestIdOf,
}: ApplicationOptions): FastifyInstance {
  const options: FastifyHttpOptions<Server> = {
    // No logger: it would make one of its own for each request. Failures are logged by `fail`.
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Closing has it too, and would fail after ten seconds of an upload that is under way.
    pluginTimeout: 0,
    routerOptions: { maxParamLength: 8192 },
    frameworkErrors: (_error, request, reply) => noRoute(request, reply),
    ...(createServer
      ? { serverFactory: (listener) => createServer(listener), clientErrorHandler: () => undefined }
      : {}),
    ...(requestIdOf ? { genReqId: requestIdOf } : {}),
  };
  const app = Fastify(options);
  app.removeAllContentTypeParsers();
  app.setErrorHandler((error, request, reply) => void fail(request, reply, error));
  app.setNotFoundHandler(noRoute);
  outliveLostClients(app);
  closeConnectionsWhenStopping(app);
  return app;
}

/**
 * Hears of a client that goes away, for as long as there is the request. Whoever reads the body
 * listens too, but may have left meanwhile: Node asks whether anybody listens when the connection
 * closes, tells of the error a turn later, and would end the process where nobody does any more.
 */
function outliveLostClients(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    raw.on('error', () => undefined);
    done();
  });
}

/** A path that nobody answers. */
export const noSuchRoute = (): Failure => new Failure('NOT_FOUND', 'There is no such route.');

/**
 * Closes kept-alive connections with the next reply: without this, a stop waits for them to time
 * out. Those that are idle are closed when all that has arrived is read, and with them those that
 * have brought nothing yet, as browsers and pools open some. Closing one that has brought a request
 * would reset it, and the gateway cannot repeat every request.
 */
function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  const connections = new Set<Socket>();
  app.server.on('connection', (connection: Socket) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  app.addHook('preClose', async () => {
    stopping = true;
    await arrivalsRead();
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close');
    done(null, payload);
  });
  // A stream that began before the stop has told its client to keep the connection.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (stopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

/**
 * Connections that the kernel keeps for us while we are busy: a new one past it is lost for a
 * second. Gateways may open hundreds at once.
 */
const backlog = 4096;

/** Returns the base URL of an application once it listens. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<string> {
  await app.listen({ host, port, backlog });
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
}

/** Answers with the metrics of the process, in the format of Prometheus. */
export function answerMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
