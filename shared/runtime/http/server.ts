import type { AddressInfo } from 'node:net';
import type { Handlers, Service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { arrivalsRead } from '../concurrency/event-loop.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { heldBodyBytes } from './body-memory.ts';
import { toFailure } from './failures.ts';
import type { Idempotency } from './idempotency.ts';
import { createRequestBounds, createRoute, type Route } from './route.ts';

/** Paths every process answers besides its operations. */
export interface Health {
  /**
   * Returns undefined if the process is ready, else a sentence that names the missing part to an
   * operator.
   */
  readiness: () => Promise<string | undefined>;
}

interface HttpOptions<Definition extends Service> {
  contract: Definition;
  handlers: Handlers<Definition>;
  secret: string;
  idempotency: Idempotency;
  health: Health;
  metrics: Metrics;
  log: Log;
}

/**
 * Connections that the kernel keeps for us while we are busy: gateways may open hundreds at once.
 */
const backlog = 4096;

export interface HttpServer {
  listen(at: { host: string; port: number }): Promise<string>;
  close(): Promise<void>;
}

/**
 * The HTTP edge of a service: every operation of its contract, checked on the way in and serialized
 * on the way out.
 */
export function createHttpServer<Definition extends Service>(
  options: HttpOptions<Definition>,
): HttpServer {
  const { contract, log } = options;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 8192 },
  } as never) as unknown as FastifyInstance;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i, handOn);
  answerFailures(app, log);
  closeConnectionsWhenStopping(app);
  const bounds = createRequestBounds();
  for (const [name, definition] of Object.entries(contract.operations)) {
    const handler = (options.handlers as Record<string, (request: never) => Promise<unknown>>)[
      name
    ]!;
    route(app, createRoute({ ...options, name, definition, handler, bounds }));
  }
  answerHealth(app, options);
  options.metrics.gauge(
    'assay_held_body_bytes',
    'What large bodies and replies take of the memory of the process.',
    heldBodyBytes,
  );
  return {
    listen: async ({ host, port }) => {
      await app.listen({ host, port, backlog });
      const address = app.server.address() as AddressInfo;
      return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
    },
    close: () => app.close(),
  };
}

function route(app: FastifyInstance, { definition, handle }: Route): void {
  const options = { method: definition.method, url: definition.path, handler: handle };
  if (!definition.streams) {
    app.route(options);
    return;
  }
  app.register(async (streamed) => {
    streamed.removeAllContentTypeParsers();
    for (const type of definition.streams!) streamed.addContentTypeParser(type, handOn as never);
    streamed.route(options);
  });
}

/**
 * A body is read where its operation is known. A request without one may carry a JSON content type.
 */
const handOn = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) =>
  done(null, body);

function answerFailures(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, response) => {
    const failure = toFailure(error, request);
    if (failure.code === 'INTERNAL_ERROR')
      log.error(
        { err: error, requestId: request.id, operation: request.routeOptions.url },
        'an operation failed unexpectedly',
      );
    return sendFailure(response, failure);
  });
  app.setNotFoundHandler((_request, response) =>
    sendFailure(response, new Failure('NOT_FOUND', 'There is no such route.')),
  );
}

/** A failure's response: the one place where it gets its status and headers. */
export function sendFailure(response: FastifyReply, failure: Failure): FastifyReply {
  response.code(failure.status).header('content-type', 'application/json; charset=utf-8');
  if (failure.retryAfterSeconds !== undefined)
    response.header('retry-after', String(failure.retryAfterSeconds));
  if (failure.code === 'CONFLICT' && failure.retryAfterSeconds === undefined)
    response.header('x-should-retry', 'false');
  return response.send(
    JSON.stringify({ code: failure.code, message: failure.message, details: failure.details }),
  );
}

/**
 * Closes kept-alive connections with the next reply: without this, a stop waits for them to time
 * out. Those that are idle are closed when all that has arrived is read. Closing one that has
 * brought a request would reset it, and the gateway cannot repeat every request.
 */
function closeConnectionsWhenStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
    await arrivalsRead();
  });
  app.addHook('onSend', async (_request, response, payload) => {
    if (stopping) response.header('connection', 'close');
    return payload;
  });
}

function answerHealth(
  app: FastifyInstance,
  { health, metrics }: Pick<HttpOptions<Service>, 'health' | 'metrics'>,
): void {
  app.get('/livez', async () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, response) => {
    const missing = await health.readiness();
    return missing === undefined
      ? { status: 'ready' }
      : response.code(503).send({ status: 'not ready', reason: missing });
  });
  app.get('/metrics', async (_request, response) =>
    response.type(metrics.contentType).send(await metrics.text()),
  );
}
