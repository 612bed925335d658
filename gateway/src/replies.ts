import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { Failure } from '@assay/contracts/failure';
import { failureReply } from '@assay/runtime/http/failures';
import { hasBody, isShort } from './body.ts';
import type { Exchange } from './exchange.ts';

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

/** Of these a reply may have its own. */
const replaceableHeaders = new Set(['referrer-policy', 'cache-control']);

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
  // A cache in front would give the page of one member to another: a cookie authorizes, too.
  'cache-control',
  'no-store',
  'cross-origin-resource-policy',
  'same-origin',
];

/** The headers, names and values in turn, without those of which the reply has its own. */
export function headersBeside(headers: string[], hasOwn: (name: string) => boolean): string[] {
  const beside: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (!replaceableHeaders.has(name) || !hasOwn(name)) beside.push(name, headers[index + 1]!);
  }
  return beside;
}

/**
 * Sends a failure. A client that waits for "100 Continue" is told to close the connection, since
 * the gateway does not know whether its body will come.
 */
export function sendFailure(exchange: Exchange, failure: Failure): void {
  const { request, response, headers, replyOf = failureReply } = exchange;
  const reply = replyOf(failure);
  const all = [...headers, ...Object.entries(reply.headers).flat()];
  if (request.headers.expect !== undefined && isUnfinished(request))
    all.push('connection', 'close');
  response.writeHead(reply.status, [
    ...all,
    'content-length',
    String(Buffer.byteLength(reply.body)),
  ]);
  response.end(reply.body);
}

/** A method that a path does not have; `headers` are those of the reply. */
export function methodNotAllowed(allow: string, headers: string[]): Failure {
  headers.push('allow', allow);
  return new Failure('METHOD_NOT_ALLOWED', `This path answers ${allow}.`);
}

/** The bytes of a reply to input that is not a request. The connection ends after it. */
export function failureMessage(failure: Failure): string {
  const { status, headers, body } = failureReply(failure);
  const own = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const common = commonHeaders(randomUUID());
  const lines = [
    ...common.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${common[index + 1]}`] : [])),
    ...Object.entries(own).map(([name, value]) => `${name}: ${value}`),
  ];
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** True while more of the request's body is to come. */
const isUnfinished = (request: IncomingMessage): boolean => hasBody(request) && !request.complete;

/**
 * Reads and drops the rest of the body of a request that is answered: a connection that is closed
 * with unread bytes is reset, and the client loses the answer.
 */
export function discardBody(request: IncomingMessage): void {
  if (!isUnfinished(request)) return;
  request.resume();
  if (isShort(request)) return;
  const patience = setTimeout(() => request.socket.destroy(), discardMs).unref();
  request.once('close', () => clearTimeout(patience));
}
