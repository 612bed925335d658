import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Failure } from '@assay/contracts/failure';
import { hasBody, isShort } from './body.ts';

/**
 * How long a client may go on sending a long body that was answered already: it reads our answer
 * only after that.
 */
export const discardMs = 5000;

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's own request id where it is sane, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
}

/** The headers of every reply, names and values in turn. */
export const commonHeaders = (requestId: string): string[] => [
  'x-request-id',
  requestId,
  'x-content-type-options',
  'nosniff',
  'x-frame-options',
  'DENY',
  'referrer-policy',
  'no-referrer',
  'cross-origin-resource-policy',
  'same-origin',
];

/** Sends a whole reply. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string | Buffer,
): void {
  if (hasBody(request) && !request.complete) discardBody(request, headers);
  response.writeHead(status, [...headers, 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}

/** Sends a failure in the one shape that failures have (contract section 1, Errors). */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  failure: Failure,
): void {
  const own = [...headers, 'content-type', 'application/json; charset=utf-8'];
  if (failure.retryAfterSeconds !== undefined)
    own.push('retry-after', String(failure.retryAfterSeconds));
  if (failure.code === 'UNAUTHORIZED') own.push('www-authenticate', 'Bearer');
  sendReply(request, response, failure.status, own, failureText(failure));
}

const failureText = ({ code, message, details }: Failure): string =>
  JSON.stringify({ code, message, details });

/** The bytes of a reply to input that is not a request. The connection ends after it. */
export function failureMessage(failure: Failure): string {
  const text = failureText(failure);
  const own = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(text)),
    'connection',
    'close',
  ];
  const headers = [...commonHeaders(randomUUID()), ...own];
  const lines = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1]}`] : [],
  );
  return [`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`, ...lines, '', text].join(
    '\r\n',
  );
}

/**
 * Reads and drops the rest of a body: a connection that is closed with unread bytes is reset, and
 * the client loses the answer. A client that waits for "100 Continue" is told to close the
 * connection.
 */
export function discardBody(request: IncomingMessage, headers: string[]): void {
  if (request.headers.expect !== undefined) headers.push('connection', 'close');
  request.resume();
  if (isShort(request)) return;
  const patience = setTimeout(() => request.socket.destroy(), discardMs).unref();
  request.once('close', () => clearTimeout(patience));
}
