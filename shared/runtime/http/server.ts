import type { Handlers, Service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { heldBytes } from '../concurrency/held-bytes.ts';
import type { ProcessKeys } from '../keys.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { answerMetrics, createApplication, listen } from './application.ts';
import { failureReply, toFailure } from './failures.ts';
import { answerHealth, type Dependencies, type Readiness } from './health.ts';
import type { Idempotency } from './idempotency.ts';
import { type Reply, send } from './reply.ts';
import { createRequestBounds, createRoute, type Route } from './route.ts';

interface HttpOptions<Definition extends Service> {
  contract: Definition;
  handlers: Handlers<Definition>;
  keys: ProcessKeys;
  idempotency: Idempotency;
  readiness: Readiness;
  dependencies: Dependencies;
  metrics: Metrics;
  log: Log;
  writeFailure?: FailureWriter | undefined;
}

/**
 * Writes the body of a failure of an operation whose bodies are a protocol's own, for a request of
 * a content type.
 */
export type FailureWriter = (
  requestType: string | undefined,
  failure: Failure,
) => { contentType: string; body: Buffer };

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
  const { contract, log, writeFailure } = options;

  function failureOf(error: unknown, request: FastifyRequest): Failure {
    const failure = toFailure(error, request);
    if (failure.code === 'INTERNAL_ERROR')
      log.error(
        { err: error, requestId: request.id, operation: request.routeOptions.url },
        'an operation failed unexpectedly',
      );
    return failure;
  }

  const app = createApplication({
    fail: (request, reply, error) => send(reply, failureReply(failureOf(error, request))),
  });
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i, handOn);
  const bounds = createRequestBounds();
  for (const [name, definition] of Object.entries(contract.operations)) {
    const handler = (options.handlers as Record<string, (request: never) => Promise<unknown>>)[
      name
    ]!;
    const made = createRoute({ ...options, name, definition, handler, bounds });
    route(app, made, (request, reply, error) =>
      send(reply, protocolFailure(failureOf(error, request), request, writeFailure)),
    );
  }
  answerHealth(app, options);
  answerMetrics(app, options.metrics);
  options.metrics.gauge(
    'assay_held_body_bytes',
    'What large bodies and replies take of the memory of the process.',
    heldBytes,
  );
  return {
    listen: (at) => listen(app, at),
    close: () => app.close(),
  };
}

/** `failInProtocol` sends the failures of an operation whose bodies are a protocol's own. */
function route(
  app: FastifyInstance,
  { definition, handle }: Route,
  failInProtocol: (request: FastifyRequest, reply: FastifyReply, error: unknown) => void,
): void {
  const { method, path: url } = definition;
  const options = { method, url, handler: handle, exposeHeadRoute: false };
  const types = definition.streams ?? definition.bytes;
  if (!types) {
    app.route(options);
    return;
  }
  app.register(async (own) => {
    if (definition.bytes)
      own.setErrorHandler((error, request, reply) => void failInProtocol(request, reply, error));
    own.removeAllContentTypeParsers();
    for (const type of types) own.addContentTypeParser(type, handOn as never);
    if (!types.includes('*')) own.addContentTypeParser('*', refuse(types));
    own.route(options);
  });
}

function protocolFailure(
  failure: Failure,
  { headers }: FastifyRequest,
  write: FailureWriter | undefined,
): Reply {
  const reply = failureReply(failure);
  if (!write) return reply;
  const { contentType, body } = write(headers['content-type'], failure);
  return { ...reply, headers: { ...reply.headers, 'content-type': contentType }, body };
}

const refuse =
  (types: readonly string[]) =>
  async ({ headers }: FastifyRequest): Promise<never> => {
    const sent = headers['content-type'] ?? '';
    const sentence = `A body of type "${sent}" is not taken here: send ${types.join(' or ')}.`;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', sentence);
  };

/**
 * A body is read where its operation is known. A request without one may carry a JSON content type.
 */
const handOn = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) =>
  done(null, body);
