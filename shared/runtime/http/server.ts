import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  bodyBytesDefault,
  type Handlers,
  type Identity,
  type List,
  type Operation,
  queryOf,
  type Service,
  type StreamReply,
} from '@assay/contracts/define';
import { Failure, unavailable } from '@assay/contracts/failure';
import { payloadPlan } from '@assay/contracts/payload';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { arrivalsRead } from '../concurrency/event-loop.ts';
import { createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { createFairShare, type FairShare } from '../concurrency/fair-share.ts';
import { inOrganizationContext, type OrganizationContext } from '../concurrency/organization-context.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { checkBody, identityHeader, noBody, openIdentity, requestAct, streamedBody, unsigned } from '../signature.ts';
import { inlineBytesMax, parseBodyAside } from './body.ts';
import { heldBodyBytes, holdReply, receiveBody } from './body-memory.ts';
import { listKey, pageReply, pageRequest } from './cursor.ts';
import { toFailure } from './failures.ts';
import type { Idempotency } from './idempotency.ts';
import type { Reply } from './reply.ts';
import { checkAccess, invalidFrom, openParams } from './request.ts';
import { compileSerializer, replyBody } from './serialize.ts';

/** Paths every process answers besides its operations. */
export interface Health {
  /** Returns undefined if the process is ready, else a sentence that names the missing part to an operator. */
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

/** Connections that the kernel keeps for us while we are busy: gateways may open hundreds at once. */
const backlog = 4096;

export interface HttpServer {
  listen(at: { host: string; port: number }): Promise<string>;
  close(): Promise<void>;
}

/** The HTTP edge of a service: every operation of its contract, checked on the way in and serialized on the way out. */
export function createHttpServer<Definition extends Service>(options: HttpOptions<Definition>): HttpServer {
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
  const underWay = createFairShare(requestsMax);
  const inTurn = createFairSemaphore({ permits: workedOnBytesMax, turnMaxMs });
  for (const [name, definition] of Object.entries(contract.operations)) {
    const handler = (options.handlers as Record<string, (request: never) => Promise<unknown>>)[name]!;
    route(app, createRoute({ name, definition, handler, underWay, inTurn, ...options }));
  }
  answerHealth(app, options);
  options.metrics.gauge('assay_held_body_bytes', 'What large bodies and replies take of the memory of the process.', heldBodyBytes);
  return {
    listen: async ({ host, port }) => {
      await app.listen({ host, port, backlog });
      const address = app.server.address() as AddressInfo;
      return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
    },
    close: () => app.close(),
  };
}

interface Route {
  definition: Operation | List;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

interface RouteOptions extends Pick<HttpOptions<Service>, 'contract' | 'secret' | 'idempotency' | 'metrics'> {
  name: string;
  definition: Operation | List;
  handler: (request: never) => Promise<unknown>;
  /** Requests to all operations of the service, but for those whose bodies stream in as slowly as their clients like. */
  underWay: FairShare;
  /** Large bodies take turns. */
  inTurn: FairSemaphore;
}

/**
 * The requests of one organization that a service works on at once, as many as two gateways let wait; others have a reserve. Bounds requests
 * whose client has disconnected: the gateway no longer counts them, but their work continues.
 */
const requestsMax = 1024;

/**
 * Bytes of large bodies that a service works on at once: 15 MiB alone, and many of 300 KiB. Checking and storing one fills a core; one after
 * another they leave one for small requests (ADR 22).
 */
const workedOnBytesMax = 16 * 1024 * 1024;
/**
 * The time after which the next large body no longer waits for this one, in ms: several times the time that the largest takes. So a body
 * that waits for something else, or for a slow schema, does not delay the others for longer.
 */
const turnMaxMs = 2000;

/** A request's way: signature → access → path → query → bytes of the body → handler, which reads them → reply. */
function createRoute({ name, definition, handler, contract, secret, idempotency, metrics, underWay, inTurn }: RouteOptions): Route {
  const query = queryOf(definition);
  const plan = payloadPlan(definition.body);
  const reply = createReply(definition, secret, `${contract.name}.${name}`);
  const time = metrics.operation(name);
  const bodyBytesMax = definition.bodyBytesMax ?? bodyBytesDefault;
  const weight = definition.streams ? 0 : 1;

  const listOf = ({ organizationId }: Identity, params: object, query: Record<string, unknown>): string =>
    listKey({ operation: `${contract.name}.${name}`, organizationId, params, filters: withoutPage(query) });

  /** Performs the checks that come before the body is read. */
  function open(request: FastifyRequest) {
    const { identity, digest } = openSignature(secret, request);
    if (definition.streams) checkStream(request, digest);
    request.id = identity.requestId;
    checkAccess(definition, identity);
    const params = openParams(definition, request.params as Record<string, string>);
    const parsedQuery = query ? check(query, request.query, '?') : {};
    const list = 'item' in definition ? listOf(identity, params, parsedQuery) : '';
    const page = 'item' in definition ? pageRequest(secret, list, parsedQuery as never) : undefined;
    return { identity, params, query: parsedQuery, page, list, digest };
  }

  async function answer(
    request: FastifyRequest,
    { list, digest, ...opened }: ReturnType<typeof open>,
    bytes: Buffer | undefined,
  ): Promise<Reply> {
    // Read once: an operation with an Idempotency-Key runs again when its transaction does.
    let reading: Promise<unknown> | undefined;
    const readOnce = () => {
      reading ??= readBody(definition, bytes, plan);
      return reading;
    };
    const run = async (idempotencyKey: unknown) =>
      handler({
        ...opened,
        idempotencyKey,
        body: definition.body ? await readOnce() : undefined,
        stream: definition.streams ? (request.body ?? Readable.from([])) : undefined,
        contentType: request.headers['content-type'],
        contentLength: lengthOf(request),
        lastEventId: request.headers['last-event-id'],
      } as never);
    return idempotency({ definition, identity: opened.identity, request, bytes, run, reply: (value) => reply(value, list) });
  }

  return {
    definition,
    handle: async (request, response) => {
      const opened = open(request);
      const { organizationId } = opened.identity;
      const received =
        request.body && !definition.streams ? await receiveBody(request.raw, { organizationId, bytesMax: bodyBytesMax }) : undefined;
      const done = time();
      const isTaken = underWay.tryToTake(organizationId, weight);
      try {
        if (!isTaken) throw unavailable('A part of the service takes no more requests at the moment.');
        const bytes = received?.bytes;
        if (!definition.streams) checkBody(opened.digest, bytes);
        const work = () => inOrganizationContext(contextOf(organizationId, request, response), () => answer(request, opened, bytes));
        const answered = await (bytes && bytes.length > inlineBytesMax ? inTurn(organizationId, work, { permits: bytes.length }) : work());
        done(answered.status);
        holdReply(answered.body, response.raw, { organizationId, mayRefuse: definition.method === 'GET' });
        return send(response, answered);
      } finally {
        if (isTaken) underWay.giveBack(organizationId, weight);
        received?.release(response.raw);
      }
    },
  };
}

/**
 * Returns the context of a request. When the client disconnects, users' work that waits for its turn is dropped, and the reads of a GET
 * end. All other work continues, because writes may have begun.
 */
function contextOf(organizationId: string, { method }: FastifyRequest, { raw }: FastifyReply): OrganizationContext {
  let leaving: AbortController | undefined;
  return {
    organizationId,
    writes: method !== 'GET',
    // Made when it is asked for: most requests never do.
    get signal() {
      leaving ??= abortedWithout(raw);
      return leaving.signal;
    },
  };
}

function abortedWithout(response: FastifyReply['raw']): AbortController {
  const leaving = new AbortController();
  // A request may have many reads under way at once.
  setMaxListeners(0, leaving.signal);
  const leave = () => leaving.abort(unavailable('The client went away.'));
  if (response.destroyed) leave();
  else response.once('close', () => response.writableFinished || leave());
  return leaving;
}

const openSignature = (secret: string, { raw }: FastifyRequest) =>
  openIdentity(secret, raw.headers[identityHeader] as string | undefined, requestAct(raw.method!, raw.url!));

/** A body that streams is handed on before its digest is known, so one that was signed with a digest is none of the gateway's. */
function checkStream({ raw: { headers } }: FastifyRequest, digest: string): void {
  const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  if (digest !== streamedBody && !(digest === noBody && isEmpty)) throw unsigned();
}

function createReply(definition: Operation | List, secret: string, operation: string): (value: unknown, list: string) => Reply {
  const serialize = definition.reply && compileSerializer(definition.reply);
  const json = { 'content-type': 'application/json; charset=utf-8' };
  return (value, list) => {
    if (definition.replyStreams) return streamReply(definition.status, value as StreamReply);
    if (!serialize) throw new Error(`${operation} declares no reply`);
    if ('item' in definition) return { status: 200, headers: json, body: replyBody(serialize(pageReply(secret, list, value as never))) };
    const { created, value: inner } = definition.statusWhenThere
      ? (value as { created: boolean; value: unknown })
      : { created: true, value };
    return { status: created ? definition.status : definition.statusWhenThere!, headers: json, body: replyBody(serialize(inner)) };
  };
}

const streamReply = (status: number, { contentType, contentLength, headers, stream }: StreamReply): Reply => ({
  status,
  headers: { 'content-type': contentType, ...(contentLength === undefined ? {} : { 'content-length': String(contentLength) }), ...headers },
  body: stream,
});

function send(response: FastifyReply, { status, headers, body }: Reply): FastifyReply {
  response.code(status).headers(headers ?? {});
  return response.send(
    typeof body === 'string' || Buffer.isBuffer(body) || body === undefined ? body : Readable.from(body, { objectMode: false }),
  );
}

async function readBody(definition: Operation, bytes: Buffer | undefined, plan: ReturnType<typeof payloadPlan>): Promise<unknown> {
  const isEmpty = bytes === undefined || bytes.length === 0;
  if (isEmpty && definition.body!.safeParse(undefined).success) return undefined;
  return check(definition.body!, await parseBodyAside(bytes ?? Buffer.alloc(0), plan), '');
}

function check(
  schema: { safeParse: (value: unknown, options: { reportInput: boolean }) => unknown },
  value: unknown,
  place: '' | '?',
): Record<string, unknown> {
  const result = schema.safeParse(value, { reportInput: true }) as
    | { success: true; data: Record<string, unknown> }
    | { success: false; error: never };
  if (!result.success) throw invalidFrom(result.error, place);
  return result.data;
}

const withoutPage = ({ limit: _limit, cursor: _cursor, ...filters }: Record<string, unknown>): object => filters;

const lengthOf = (request: FastifyRequest): number | undefined =>
  request.headers['content-length'] === undefined ? undefined : Number(request.headers['content-length']);

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

/** A body is read where its operation is known. A request without one may carry a JSON content type. */
const handOn = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) => done(null, body);

function answerFailures(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, response) => {
    const failure = toFailure(error, request);
    if (failure.code === 'INTERNAL_ERROR')
      log.error({ err: error, requestId: request.id, operation: request.routeOptions.url }, 'an operation failed unexpectedly');
    return sendFailure(response, failure);
  });
  app.setNotFoundHandler((_request, response) => sendFailure(response, new Failure('NOT_FOUND', 'There is no such route.')));
}

/** A failure's response: the one place where it gets its status and headers. */
export function sendFailure(response: FastifyReply, failure: Failure): FastifyReply {
  response.code(failure.status).header('content-type', 'application/json; charset=utf-8');
  if (failure.retryAfterSeconds !== undefined) response.header('retry-after', String(failure.retryAfterSeconds));
  if (failure.code === 'CONFLICT' && failure.retryAfterSeconds === undefined) response.header('x-should-retry', 'false');
  return response.send(JSON.stringify({ code: failure.code, message: failure.message, details: failure.details }));
}

/**
 * Closes kept-alive connections with the next reply: without this, a stop waits for them to time out. Those that are idle are closed when
 * all that has arrived is read. Closing one that has brought a request would reset it, and the gateway cannot repeat every request.
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

function answerHealth(app: FastifyInstance, { health, metrics }: Pick<HttpOptions<Service>, 'health' | 'metrics'>): void {
  app.get('/livez', async () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, response) => {
    const missing = await health.readiness();
    return missing === undefined ? { status: 'ready' } : response.code(503).send({ status: 'not ready', reason: missing });
  });
  app.get('/metrics', async (_request, response) => response.type(metrics.contentType).send(await metrics.text()));
}
