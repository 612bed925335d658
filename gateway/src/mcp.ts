import { isIP } from 'node:net';
import { Failure } from '@assay/contracts/failure';
import { failureReply } from '@assay/runtime/http/failures';
import type { Metrics } from '@assay/runtime/metrics';
import type { FastifyInstance } from 'fastify';
import type { Admission } from './admission.ts';
import { ClientGone, type createBodies, type OutgoingBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import { dispatchTo } from './dispatch.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { forward } from './forward.ts';
import type { Keys } from './keys.ts';
import type { Limits } from './limits.ts';
import { methodNotAllowed } from './replies.ts';
import type { RoutedOperation } from './routing.ts';

interface McpOptions {
  keys: Keys;
  clientAddress: ClientAddress;
  limits: Limits;
  /** The room of the process; undefined where there is none. */
  admission: Admission | undefined;
  takeBody: ReturnType<typeof createBodies>;
  /** Names of hosts by which clients come. */
  hosts: string[];
  metrics: Metrics;
}

/** Messages of the protocol: all of them are held whole. */
const messages: RoutedOperation = {
  name: 'mcp.messages',
  service: 'mcp',
  access: 'member',
  bodyBytesMax: 256 * 1024,
  isStreamed: false,
  isDownload: false,
  setsSession: false,
  // The tools send requests of their own through the gateway, and those have turns.
  isExpensive: false,
  mayRefuseCaller: true,
};

/**
 * Serves the Model Context Protocol at `/mcp`: passes messages on to a process that calls the
 * public API with the client's own key. By the steps of an operation: site → key → method → rate →
 * room → size → process. A browser session is no way in.
 */
export function serveMcp(app: FastifyInstance, options: McpOptions): void {
  const { keys, clientAddress, limits, admission, takeBody, metrics } = options;
  const hosts = new Set(['localhost', ...options.hosts.map((host) => host.toLowerCase())]);
  const timer = metrics.operation(messages.name);

  async function pass(exchange: Exchange): Promise<void> {
    exchange.replyOf = protocolReply;
    exchange.operation = messages.name;
    if (!admission)
      throw new Failure(
        'NOT_FOUND',
        'Agents are not served here: start the process mcp, and name it in MCP_URL of the gateway.',
      );
    const { request } = exchange;
    checkSite(request.headers, hosts);
    const address = clientAddress(request);
    exchange.admit(await keys.ownerOf(request.headers.authorization, address));
    const { caller } = exchange.owner!;
    if (request.method !== 'POST') throw methodNotAllowed('POST', exchange.headers);
    await limits.count(caller.organizationId, exchange.headers);
    const shareId = caller.organizationId;
    exchange.call = { operation: messages, caller, shareId, path: request.url! };
    if (!admission.hasRoom(shareId)) throw admission.refuse();
    exchange.measure = timer();
    const body = await takeBody(exchange, messages, shareId);
    // Its key was revoked meanwhile.
    if (exchange.response.headersSent) throw new ClientGone('the request is answered');
    const outgoing = outgoingOf(exchange, shareId, body);
    await forward(admission, outgoing, dispatchTo(outgoing, exchange));
  }

  void app.register(async (mcp) => {
    mcp.addContentTypeParser('*', (_request, _body, done) => done(null));
    mcp.route({
      method: mcp.supportedMethods as never,
      url: '/mcp',
      exposeHeadRoute: false,
      handler: async ({ raw }, reply) => {
        await pass(exchangeOf(raw));
        // It is answered without Fastify.
        reply.hijack();
      },
    });
  });
}

/** The client's headers that the process gets: with its key, by which it calls the API. */
const passedHeaders = ['authorization', 'content-type', 'accept'];

function outgoingOf({ request, requestId }: Exchange, organizationId: string, body: OutgoingBody) {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && (passedHeaders.includes(name) || name.startsWith('mcp-')))
      headers[name] = value;
  const path = request.url!;
  return {
    organizationId,
    method: 'POST',
    path,
    headers: () => headers,
    body,
    isRepeatable: false,
    turn: undefined,
  };
}

/** An address of IPv6 in brackets, or a name, and perhaps a port (RFC 9110 section 7.2). */
const hostForm = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d*)?$/i;

/**
 * Refuses requests that a page of another site makes a browser send, also one whose name leads to
 * this address by now (DNS rebinding): such a page is found out by its name.
 * @throws FORBIDDEN that names the variable for a host that should be known.
 */
function checkSite(headers: { host?: string; origin?: string }, hosts: Set<string>): void {
  const isKnown = (host: string) => {
    const [, bracketed, name] = hostForm.exec(host) ?? [];
    return bracketed === undefined
      ? name !== undefined && (hosts.has(name.toLowerCase()) || isIP(name) === 4)
      : isIP(bracketed) === 6;
  };
  if (!isKnown(headers.host ?? ''))
    throw new Failure(
      'FORBIDDEN',
      'Agents do not reach this server by this name of a host: it must be that of PUBLIC_URL, or be named in MCP_HOSTS of the gateway.',
    );
  if (
    headers.origin !== undefined &&
    !isKnown(headers.origin.replace(/^[a-z][a-z\d+.-]*:\/\//i, ''))
  )
    throw new Failure('FORBIDDEN', 'Pages of other sites may not send messages to this server.');
}

/** JSON-RPC has a range of codes for servers: ours goes by `data.code`. */
const serverErrorCode = -32_000;

/** A failure as the protocol writes it, with the status and headers that the API gives it. */
function protocolReply(failure: Failure): ReturnType<typeof failureReply> {
  const { code, message, details } = failure;
  const error = { code: serverErrorCode, message, data: { code, details } };
  return { ...failureReply(failure), body: JSON.stringify({ jsonrpc: '2.0', error, id: null }) };
}
