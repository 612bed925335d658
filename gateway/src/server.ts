import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Failure } from '@assay/contracts/failure';
import type { Log } from '@assay/runtime/log';
import { boundConnections } from './connections.ts';
import { invalidKey, type KeyOwner } from './keys.ts';
import { listen } from './listen.ts';
import { commonHeaders, failureText, requestIdOf, sendFailure } from './replies.ts';

/** One request and what is known of it. */
export interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Headers of the reply, whatever it will be: names and values in turn. */
  headers: string[];
  /** Set while a service works on the request: ends that, because the client went away. */
  abort: (() => void) | undefined;
  /** Set while the reply is a stream without an end of its own. */
  isEndless?: boolean;
  /** What the request's body takes of what all bodies may. */
  heldBytes: number;
  /** Whose key it came with, once that is known. */
  owner: KeyOwner | undefined;
  /** Notes whose key it came with. */
  admit(owner: KeyOwner): void;
}

export interface HttpEdge {
  listen(at: { host: string; port: number }): Promise<string>;
  /** Takes no more requests, finishes those that were taken, ends streams of events, closes every connection. */
  close(): Promise<void>;
}

// Less than the services' 16 KiB, so that a request which passes here has room for its signed identity there.
const headerBytesMax = 15 * 1024;
const headersMs = 60_000;
const keepAliveMs = 72_000;

/** How often the keys of requests under way are looked at again: what a revoked or expired key began ends within a second. */
const revisitEveryMs = 250;

/** The socket side: one call of `answer` for each request, which answers it or throws. */
export function createHttpEdge({
  answer,
  isStillGood,
  silenceMs,
  connectionsMax,
  closed,
  log,
}: {
  answer: (visit: Visit) => Promise<void>;
  /** Is the key of a request under way as good as it was? */
  isStillGood: (owner: KeyOwner) => boolean | Promise<boolean>;
  silenceMs: number;
  /** For one more, the oldest over which no good key came is closed, else the new one; and `closed` called. */
  connectionsMax: number;
  closed: () => void;
  log: Log;
}): HttpEdge {
  // No limit on a whole request: an import may take hours. Silence has one, and so have the headers.
  const timeouts = { headersTimeout: headersMs, keepAliveTimeout: keepAliveMs, requestTimeout: 0 };
  const server = createServer({ maxHeaderSize: headerBytesMax, requireHostHeader: false, ...timeouts });
  server.timeout = silenceMs;
  const underWay = new Set<Visit>();
  const connections = boundConnections({ server, connectionsMax, closed });
  let stopping = false;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdOf(request);
    const visit: Visit = {
      request,
      response,
      requestId,
      headers: commonHeaders(requestId),
      abort: undefined,
      heldBytes: 0,
      owner: undefined,
      admit: (owner) => {
        visit.owner = owner;
        connections.trust(request.socket);
      },
    };
    if (stopping) visit.headers.push('connection', 'close');
    underWay.add(visit);
    response.once('close', () => {
      underWay.delete(visit);
      if (!response.writableFinished || visit.isEndless) visit.abort?.();
      if (stopping && underWay.size === 0) server.closeAllConnections();
    });
    answerHttp(visit).catch((error: unknown) => fail(visit, error, log));
  }

  async function answerHttp(visit: Visit): Promise<void> {
    const { headers, httpVersion } = visit.request;
    // RFC 9112 section 3.2. Node would answer by itself, without a body.
    if (headers.host === undefined && httpVersion === '1.1') throw new Failure('VALIDATION_ERROR', 'The request has no Host header.');
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
      throw new Failure('VALIDATION_ERROR', 'Of all expectations, only "Expect: 100-continue" is met.');
    return answer(visit);
  }

  /** Ends what came with a key that is no longer good: a 401 where no answer has begun, else the connection. */
  function end(visit: Visit): void {
    if (visit.response.headersSent) visit.response.destroy();
    else fail(visit, invalidKey(), log);
    visit.abort?.();
  }

  async function revisit(visit: Visit, owner: KeyOwner): Promise<void> {
    const isGood = isStillGood(owner);
    if (!(isGood instanceof Promise ? await isGood : isGood) && underWay.has(visit)) end(visit);
  }

  const revisiting = setInterval(() => {
    for (const visit of underWay) if (visit.owner) void revisit(visit, visit.owner);
  }, revisitEveryMs).unref();

  server.on('request', take);
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(notHttp);
    else socket.destroy();
  });

  return {
    listen: (at) => listen(server, at),
    close: () =>
      new Promise((resolve) => {
        stopping = true;
        clearInterval(revisiting);
        server.close(() => resolve());
        for (const { response, isEndless } of underWay) if (isEndless) response.end();
        if (underWay.size === 0) server.closeAllConnections();
      }),
  };
}

function fail({ request, response, requestId, headers }: Visit, error: unknown, log: Log): void {
  const failure = error instanceof Failure ? error : unexpected(requestId, error);
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  if (failure.code === 'INTERNAL_ERROR') log.error({ err: error, requestId }, 'a request failed unexpectedly');
  // What is refused for want of room has no cause, and is counted where that is found out: there may be very much of it.
  if (failure.code === 'SERVICE_UNAVAILABLE' && failure.cause !== undefined)
    log.warn({ err: failure.cause, requestId, path: request.url?.split('?', 1)[0] }, 'a part of the service did not answer');
  sendFailure(request, response, headers, failure);
}

const unexpected = (requestId: string, cause: unknown): Failure =>
  new Failure('INTERNAL_ERROR', 'Something went wrong on our side.', { details: { requestId }, cause });

const notHttpText = failureText(new Failure('VALIDATION_ERROR', 'The request is not valid HTTP, or its headers are too large.'));
const notHttp = [
  'HTTP/1.1 400 Bad Request',
  'content-type: application/json; charset=utf-8',
  `content-length: ${Buffer.byteLength(notHttpText)}`,
  'connection: close',
  '',
  notHttpText,
].join('\r\n');
