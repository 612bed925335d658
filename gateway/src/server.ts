import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Failure } from '@assay/contracts/failure';
import { createApplication, listen, noSuchRoute } from '@assay/runtime/http/application';
import { toFailure } from '@assay/runtime/http/failures';
import type { Log } from '@assay/runtime/log';
import type { FastifyInstance } from 'fastify';
import type { AccessLog } from './access-log.ts';
import { ClientGone } from './body.ts';
import { boundConnections } from './connections.ts';
import { type Exchange, exchangeOf, keepExchange } from './exchange.ts';
import { isUnanswered } from './forward.ts';
import type { KeyOwner } from './keys.ts';
import {
  commonHeaders,
  discardBody,
  discardMs,
  failureMessage,
  headersBeside,
  methodNotAllowed,
  requestIdOf,
  sendFailure,
} from './replies.ts';

export interface HttpEdge {
  /** Takes the routes of the gateway. */
  app: FastifyInstance;
  listen(at: { host: string; port: number }): Promise<string>;
  /**
   * Takes no more requests, finishes those that were taken, ends streams of events, closes every
   * connection.
   */
  close(): Promise<void>;
  /** How many connections there are. */
  connections(): number;
}

interface EdgeOptions {
  /** Why a request under way ends, whose key is not as good as it was. */
  faultOf: (owner: KeyOwner) => Failure | undefined | Promise<Failure | undefined>;
  silenceMs: number;
  /** How long a client may take to send the headers of a request. */
  headersMs?: number;
  /**
   * The most connections at once. One more closes the oldest that brought no valid key, or itself
   * if all did, and calls `closed`.
   */
  connectionsMax: number;
  closed: () => void;
  /** Writes a line for each request; none without it. */
  accessLog?: AccessLog | undefined;
  /**
   * What clients may say before every path, such as `/assay`: a proxy in front may have taken it
   * away or not.
   */
  publicPath?: string;
  log: Log;
}

// Less than the services' 16 KiB, so that a request which passes here has room for its signed
// identity there.
const headerBytesMax = 15 * 1024;
const keepAliveMs = 72_000;

const routedMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * How often the keys of requests in progress are checked again, in ms: a request ends within a
 * second after its key is revoked or expires.
 */
const revisitEveryMs = 250;

/**
 * The clients' side of the gateway: a Fastify application on a server that refuses whatever is not
 * certain to be one HTTP request after another.
 */
export function createHttpEdge(options: EdgeOptions): HttpEdge {
  const { faultOf, log } = options;
  const fail: Fail = (exchange, error) => answerFailure(exchange, error, log);
  let clients!: Clients;
  // Not asked of the router, which takes a path of a client for a pattern.
  const pages = new Set<string>();
  const app = createApplication({
    createServer: (listener) => {
      clients = createClients({ ...options, listener, fail });
      return clients.server;
    },
    requestIdOf: (request) => exchangeOf(request).requestId,
    fail: ({ raw }, reply, error) => {
      reply.hijack();
      fail(exchangeOf(raw), error);
    },
    noRoute: ({ raw }, reply) => {
      reply.hijack();
      const exchange = exchangeOf(raw);
      const isPage = pages.has(raw.url!.split('?', 1)[0]!);
      fail(exchange, isPage ? methodNotAllowed('GET, HEAD', exchange.headers) : noSuchRoute());
    },
  });
  app.addHook('onRoute', ({ url }) => {
    if (!url.includes('*')) pages.add(url);
  });
  app.addHook('onRequest', ({ raw }, _reply, done) => done(clients.faultOf(exchangeOf(raw))));
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    const headers = headersBeside(exchangeOf(raw).headers, (name) => reply.hasHeader(name));
    for (let index = 0; index < headers.length; index += 2)
      reply.header(headers[index]!, headers[index + 1]!);
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    clearInterval(revisiting);
    await clients.leave();
  });

  async function revisit(exchange: Exchange, owner: KeyOwner): Promise<void> {
    const found = faultOf(owner);
    const fault = found instanceof Promise ? await found : found;
    if (fault) clients.end(exchange, fault);
  }
  const revisiting = setInterval(() => {
    for (const exchange of clients.underWay)
      if (exchange.owner) void revisit(exchange, exchange.owner);
  }, revisitEveryMs).unref();

  return {
    app,
    listen: (at) => listen(app, at),
    connections: clients.connections,
    close: () => app.close(),
  };
}

/** Node takes the first one, and a proxy may look at the other (RFC 9112 section 3.2). */
function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index]!;
    if (length !== 'host'.length && length !== 'authorization'.length) continue;
    const name = rawHeaders[index]!.toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

type Fail = (exchange: Exchange, error: unknown) => void;

interface Clients {
  server: ReturnType<typeof createServer>;
  /** The requests that are not answered whole. */
  underWay: ReadonlySet<Exchange>;
  /** Why a request is not served, since another might be hidden in it; undefined if it is. */
  faultOf(exchange: Exchange): Failure | undefined;
  /** Ends a request that is under way. */
  end(exchange: Exchange, failure: Failure): void;
  connections(): number;
  /** Resolves when all requests are answered and all connections are closed. */
  leave(): Promise<void>;
}

/** The server, with the order of requests on each connection, and its refusal of all else. */
function createClients({
  listener,
  fail,
  silenceMs,
  headersMs = 60_000,
  connectionsMax,
  closed,
  accessLog,
  publicPath = '',
}: EdgeOptions & { listener: RequestListener; fail: Fail }): Clients {
  // No limit on a whole request: an import may take hours. Silence has one, and so have the
  // headers.
  const timeouts = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: headersMs / 2,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: 0,
  };
  const server = createServer({
    maxHeaderSize: headerBytesMax,
    requireHostHeader: false,
    ...timeouts,
  });
  server.timeout = silenceMs;
  // Their bytes are bounded. Of more than a number Node would drop the rest, and a request would
  // lose its Content-Length.
  server.maxHeadersCount = 0;
  const underWay = new Set<Exchange>();
  const prefix = `${publicPath}/`;
  const connections = boundConnections({ server, connectionsMax, closed });
  /** The requests of each connection that are under way, in the order of their answers. */
  const lines = new WeakMap<Duplex, Set<Exchange>>();
  /** Connections over which no more requests are taken. */
  const ending = new WeakSet<Duplex>();
  let leaving = false;

  server.on('connection', (socket) => {
    const line = new Set<Exchange>();
    lines.set(socket, line);
    // Node tells the first in line alone that the client is gone.
    const leave = () => {
      for (const { response } of line) response.destroy().emit('close');
    };
    socket.once('close', () => process.nextTick(leave));
  });

  function take(request: IncomingMessage, response: ServerResponse): void {
    if (ending.has(request.socket)) return void request.resume();
    const requestId = requestIdOf(request);
    const exchange: Exchange = {
      request,
      response,
      requestId,
      headers: commonHeaders(requestId),
      abort: undefined,
      heldBytes: 0,
      owner: undefined,
      isEndless: false,
      operation: undefined,
      call: undefined,
      measure: undefined,
      takeSession: undefined,
      replyOf: undefined,
      admit: (owner) => {
        exchange.owner = owner;
        connections.trust(request.socket);
      },
    };
    keepExchange(exchange);
    underWay.add(exchange);
    const logEnd = accessLog?.(exchange);
    const line = lines.get(request.socket)!.add(exchange);
    response.once('finish', () => discardBody(request));
    response.once('close', () => {
      underWay.delete(exchange);
      line.delete(exchange);
      logEnd?.();
      if (response.headersSent) exchange.measure?.(response.statusCode);
      if (!response.writableFinished || exchange.isEndless) exchange.abort?.();
      if (leaving && underWay.size === 0) server.closeAllConnections();
    });
    // A method that the router does not know is routed as one that no operation has, so that a known
    // path answers it with a 405. Its reply has the form of the client's own method.
    if (!routedMethods.has(request.method!)) request.method = 'OPTIONS';
    if (publicPath !== '' && request.url!.startsWith(prefix))
      request.url = request.url!.slice(publicPath.length);
    listener(request, response);
  }

  function faultOf(exchange: Exchange): Failure | undefined {
    const { headers, httpVersion } = exchange.request;
    const coding = headers['transfer-encoding'];
    // RFC 9112 sections 2.3 and 6.1. Node would treat these as requests without a body, or pass on
    // a body that is still encoded.
    if (httpVersion !== '1.1' && (httpVersion !== '1.0' || coding !== undefined))
      return endWith(
        exchange,
        'The request must be of HTTP 1.1, or of HTTP 1.0 without Transfer-Encoding.',
      );
    if (coding !== undefined && coding.toLowerCase() !== 'chunked')
      return endWith(
        exchange,
        'Of all transfer codings, only "Transfer-Encoding: chunked" is taken.',
      );
    // Node drops the bytes that came together with an upgrade request, and would read the later
    // ones as the next request.
    if (headers.upgrade !== undefined) endAfter(exchange);
    // RFC 9112 section 3.2. Node would answer by itself, without a body.
    if (headers.host === undefined && httpVersion === '1.1')
      return new Failure('VALIDATION_ERROR', 'The request has no Host header.');
    const repeated = repeatedHeader(exchange.request);
    if (repeated) return endWith(exchange, `The request has two headers "${repeated}".`);
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
      return new Failure(
        'VALIDATION_ERROR',
        'Of all expectations, only "Expect: 100-continue" is met.',
      );
    return undefined;
  }

  /**
   * Ends a request that is under way: by the failure where no answer has begun, else with its
   * connection.
   */
  function end(exchange: Exchange, failure: Failure): void {
    if (!underWay.has(exchange)) return;
    if (exchange.response.headersSent) exchange.response.destroy();
    else fail(exchange, failure);
    exchange.abort?.();
  }

  /** Takes no more requests over the connection of this one, and closes it with the answer. */
  function endAfter({ request, response }: Exchange): void {
    ending.add(request.socket);
    response.shouldKeepAlive = false;
  }

  /**
   * Takes no more requests after one whose end is in doubt: the bytes that follow it are not
   * another request.
   */
  function endWith(exchange: Exchange, message: string): Failure {
    endAfter(exchange);
    return new Failure('VALIDATION_ERROR', message);
  }

  /**
   * Answers input that cannot be served as a request, and ends its connection. If a body is still
   * incomplete, its request gets this answer; otherwise the earlier requests are answered first.
   */
  function refuse(socket: Duplex, failure: Failure): void {
    if (ending.has(socket)) return;
    ending.add(socket);
    const last = [...lines.get(socket)!].at(-1);
    const refuseNow = () => {
      if (socket.writable) socket.end(failureMessage(failure));
      // Until then it is read on: a connection that is closed with unread bytes is reset, and the
      // answer is lost with it.
      setTimeout(() => socket.destroy(), discardMs).unref();
    };
    if (!last) refuseNow();
    else if (last.request.complete) last.response.once('close', refuseNow);
    else end(last, endWith(last, failure.message));
  }

  server.on('request', take);
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket, notHttp(error.code, headersMs)),
  );
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined).resume();
    refuse(socket, noSuchRoute());
  });

  return {
    server,
    underWay,
    faultOf,
    end,
    connections: connections.count,
    leave: () =>
      new Promise((resolve) => {
        leaving = true;
        server.close(() => resolve());
        for (const { response, isEndless } of underWay) if (isEndless) response.end();
        if (underWay.size === 0) server.closeAllConnections();
      }),
  };
}

function answerFailure(exchange: Exchange, error: unknown, log: Log): void {
  const { request, response, requestId } = exchange;
  if (error instanceof ClientGone || response.destroyed || response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  const failure = toFailure(error, { id: requestId, raw: request });
  if (failure.code === 'INTERNAL_ERROR')
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  // A refusal for lack of room has no cause. It is counted and not logged here, because there may
  // be very many.
  if (isUnanswered(failure))
    log.warn(
      { err: failure.cause, requestId, path: request.url?.split('?', 1)[0] },
      'a part of the service did not answer',
    );
  sendFailure(exchange, failure);
}

function notHttp(code: string | undefined, headersMs: number): Failure {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('VALIDATION_ERROR', `The headers are larger than ${headerBytesMax} bytes.`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure(
      'VALIDATION_ERROR',
      `The headers took too long: they must be complete within ${headersMs / 1000} seconds.`,
    );
  return new Failure('VALIDATION_ERROR', 'The request is not valid HTTP.');
}
