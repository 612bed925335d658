import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Failure } from '@assay/contracts/failure';
import { arrivalsRead } from '@assay/runtime/concurrency/event-loop';
import type { Log } from '@assay/runtime/log';
import { boundConnections } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { invalidKey, type KeyOwner } from './keys.ts';
import { listen } from './listen.ts';
import { commonHeaders, discardMs, failureMessage, requestIdOf, sendFailure } from './replies.ts';

export interface HttpEdge {
  listen(at: { host: string; port: number }): Promise<string>;
  /**
   * Takes no more requests, finishes those that were taken, ends streams of events, closes every
   * connection.
   */
  close(): Promise<void>;
  /** How many connections there are. */
  connections(): number;
}

// Less than the services' 16 KiB, so that a request which passes here has room for its signed
// identity there.
const headerBytesMax = 15 * 1024;
const keepAliveMs = 72_000;

/**
 * How often the keys of requests in progress are checked again, in ms: a request ends within a
 * second after its key is revoked or expires.
 */
const revisitEveryMs = 250;

/** The socket side: one call of `answer` for each request, which answers it or throws. */
export function createHttpEdge({
  answer,
  isStillGood,
  silenceMs,
  headersMs = 60_000,
  connectionsMax,
  closed,
  log,
}: {
  answer: (exchange: Exchange) => Promise<void>;
  /** Is the key of a request under way as good as it was? */
  isStillGood: (owner: KeyOwner) => boolean | Promise<boolean>;
  silenceMs: number;
  /** How long a client may take to send the headers of a request. */
  headersMs?: number;
  /**
   * For one more, the oldest over which no good key came is closed, else the new one; and `closed`
   * called.
   */
  connectionsMax: number;
  closed: () => void;
  log: Log;
}): HttpEdge {
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
  const connections = boundConnections({ server, connectionsMax, closed });
  /** The requests of each connection that are under way, in the order of their answers. */
  const lines = new WeakMap<Duplex, Set<Exchange>>();
  /** Connections over which no more requests are taken. */
  const ending = new WeakSet<Duplex>();
  let stopping = false;

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
      admit: (owner) => {
        exchange.owner = owner;
        connections.trust(request.socket);
      },
    };
    if (stopping) exchange.headers.push('connection', 'close');
    underWay.add(exchange);
    const line = lines.get(request.socket)!.add(exchange);
    response.once('close', () => {
      underWay.delete(exchange);
      line.delete(exchange);
      if (!response.writableFinished || exchange.isEndless) exchange.abort?.();
      if (stopping && underWay.size === 0) server.closeAllConnections();
    });
    answerHttp(exchange).catch((error: unknown) => fail(exchange, error, log));
  }

  async function answerHttp(exchange: Exchange): Promise<void> {
    const { headers, httpVersion } = exchange.request;
    const coding = headers['transfer-encoding'];
    // RFC 9112 sections 2.3 and 6.1. Node would treat these as requests without a body, or pass on
    // a body that is still encoded.
    if (httpVersion !== '1.1' && (httpVersion !== '1.0' || coding !== undefined))
      throw endWith(
        exchange,
        'The request must be of HTTP 1.1, or of HTTP 1.0 without Transfer-Encoding.',
      );
    if (coding !== undefined && coding.toLowerCase() !== 'chunked')
      throw endWith(
        exchange,
        'Of all transfer codings, only "Transfer-Encoding: chunked" is taken.',
      );
    // Node drops the bytes that came together with an upgrade request, and would read the later
    // ones as the next request.
    if (headers.upgrade !== undefined) endAfter(exchange);
    // RFC 9112 section 3.2. Node would answer by itself, without a body.
    if (headers.host === undefined && httpVersion === '1.1')
      throw new Failure('VALIDATION_ERROR', 'The request has no Host header.');
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
      throw new Failure(
        'VALIDATION_ERROR',
        'Of all expectations, only "Expect: 100-continue" is met.',
      );
    return answer(exchange);
  }

  /**
   * Ends a request that is under way: by the failure where no answer has begun, else with its
   * connection.
   */
  function end(exchange: Exchange, failure: Failure): void {
    if (exchange.response.headersSent) exchange.response.destroy();
    else fail(exchange, failure, log);
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

  async function revisit(exchange: Exchange, owner: KeyOwner): Promise<void> {
    const isGood = isStillGood(owner);
    if (!(isGood instanceof Promise ? await isGood : isGood) && underWay.has(exchange))
      end(exchange, invalidKey());
  }

  const revisiting = setInterval(() => {
    for (const exchange of underWay) if (exchange.owner) void revisit(exchange, exchange.owner);
  }, revisitEveryMs).unref();

  server.on('request', take);
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket, notHttp(error.code, headersMs)),
  );
  server.on('connect', (_request, socket) => {
    socket.on('error', () => undefined).resume();
    refuse(socket, new Failure('NOT_FOUND', 'There is no such route.'));
  });

  return {
    listen: (at) => listen(server, at),
    connections: connections.count,
    close: async () => {
      stopping = true;
      clearInterval(revisiting);
      await arrivalsRead();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const { response, isEndless } of underWay) if (isEndless) response.end();
        if (underWay.size === 0) server.closeAllConnections();
      });
    },
  };
}

function fail({ request, response, requestId, headers }: Exchange, error: unknown, log: Log): void {
  const failure = error instanceof Failure ? error : unexpected(requestId, error);
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  if (failure.code === 'INTERNAL_ERROR')
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  // A refusal for lack of room has no cause. It is counted and not logged here, because there may
  // be very many.
  if (failure.code === 'SERVICE_UNAVAILABLE' && failure.cause !== undefined)
    log.warn(
      { err: failure.cause, requestId, path: request.url?.split('?', 1)[0] },
      'a part of the service did not answer',
    );
  sendFailure(request, response, headers, failure);
}

const unexpected = (requestId: string, cause: unknown): Failure =>
  new Failure('INTERNAL_ERROR', 'Something went wrong on our side.', {
    details: { requestId },
    cause,
  });

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
