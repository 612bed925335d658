import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { contracts } from '@assay/contracts/all';
import { Failure } from '@assay/contracts/failure';
import type { Askers } from '@assay/runtime/concurrency/askers';
import {
  type DownloadAddress,
  isDownloadAddress,
  openDownload,
} from '@assay/runtime/download-address';
import { networkOf } from '@assay/runtime/http/address';
import { consoleHeader, sessionSecretHeader } from '@assay/runtime/http/reply';
import { besideOthersHeader } from '@assay/runtime/http/request';
import type { ProcessKeys } from '@assay/runtime/keys';
import type { Metrics } from '@assay/runtime/metrics';
import {
  digestOf,
  keysFrom,
  noBody,
  requestAct,
  sealIdentity,
  streamedBody,
} from '@assay/runtime/signature';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from './admission.ts';
import { ClientGone, type createBodies, type OutgoingBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import { dispatchTo } from './dispatch.ts';
import { type Call, type Exchange, exchangeOf } from './exchange.ts';
import { type Attempt, forward, isUnanswered, type Outgoing } from './forward.ts';
import type { Caller, Keys } from './keys.ts';
import type { Limits } from './limits.ts';
import { otlpReplyOf } from './otlp.ts';
import { proxiedPath, proxyTo } from './proxy.ts';
import { methodNotAllowed, sendFailure } from './replies.ts';
import { bases, otlpBase, type Route, type RoutedOperation, routesOf } from './routing.ts';
import { isOfConsole, type SessionCookie } from './session-cookie.ts';

interface OperationsOptions {
  /** The gateway signs with these. */
  processKeys: ProcessKeys;
  keys: Keys;
  clientAddress: ClientAddress;
  sessionCookie: SessionCookie;
  limits: Limits;
  admissions: Map<string, Admission>;
  /** Is told for whom each request comes. */
  askers: Askers;
  takeBody: ReturnType<typeof createBodies>;
  metrics: Metrics;
}

/** A caller without a key: of a signed URL, with a login token, or a device. */
const anonymous: Caller = { organizationId: '', userId: '', role: 'anonymous', apiKeyId: null };

/**
 * Serves the operations of all contracts. The steps of a request: path → key or session → method → role → rate
 * → room → size → service.
 */
export function serveOperations(app: FastifyInstance, options: OperationsOptions): void {
  const { processKeys, keys, clientAddress, sessionCookie, limits, admissions, askers, metrics } =
    options;
  const timers = new Map<string, ReturnType<Metrics['operation']>>();

  function timerOf({ name }: RoutedOperation): ReturnType<Metrics['operation']> {
    const timer = timers.get(name) ?? metrics.operation(name);
    timers.set(name, timer);
    return timer;
  }

  async function callerOf(
    exchange: Exchange,
    operation: RoutedOperation | undefined,
  ): Promise<Caller> {
    if (operation?.access === 'signature') return anonymous;
    const { request } = exchange;
    const { authorization } = request.headers;
    const address = clientAddress(request);
    if (operation?.access === 'keyless') {
      keys.countSignIn(address);
      return anonymous;
    }
    if (!isBearer(authorization)) {
      if (operation?.access === 'anyone') {
        if (isOfConsole(request)) return signsInWithoutKey(request, address);
      } else {
        const secret = sessionCookie.secretOf(request);
        if (secret !== undefined) return callerInSession(exchange, secret, address);
      }
    }
    exchange.admit(await keys.ownerOf(authorization, address));
    return exchange.owner!.caller;
  }

  async function callerInSession(
    exchange: Exchange,
    secret: string,
    address: string,
  ): Promise<Caller> {
    const owner = await keys.ownerOfSession(secret, address);
    exchange.admit(owner);
    sessionCookie.checkRequest(exchange.request, owner.caller.consoleSecretHash);
    return owner.caller;
  }

  /** Its signature stands for the session's cookie and second secret. */
  async function callerOfDownload(
    exchange: Exchange,
    { sessionHash }: DownloadAddress,
  ): Promise<Caller> {
    exchange.admit(await keys.ownerOfSessionHash(sessionHash));
    return exchange.owner!.caller;
  }

  /** The console's request for a session, with a login token in its body. */
  function signsInWithoutKey(request: IncomingMessage, address: string): Caller {
    sessionCookie.checkSignIn(request);
    keys.countSignIn(address);
    return anonymous;
  }

  /** Notes the call of a request, unless its caller may not have it. */
  async function admit(exchange: Exchange, { operations, allow }: Route, path: string) {
    const asked = operations.get(exchange.request.method!);
    exchange.operation = asked?.name;
    const isDownload = asked?.isDownload === true && isDownloadAddress(path);
    const download = isDownload
      ? openDownload(keysFrom(processKeys, 'identity'), path, new Date())
      : undefined;
    const caller = download
      ? await callerOfDownload(exchange, download)
      : await callerOf(exchange, asked);
    if (!asked) throw methodNotAllowed(allow, exchange.headers);
    if (asked.access === 'admin' && caller.role !== 'admin')
      throw new Failure('FORBIDDEN', "This operation needs an admin's API key.");
    if (caller !== anonymous) {
      askers.note(caller.organizationId);
      await limits.count(caller.organizationId, exchange.headers);
    }
    if (asked.setsSession) exchange.takeSession = (headers) => takeSession(exchange, headers);
    const shareId =
      caller === anonymous
        ? `address ${networkOf(clientAddress(exchange.request))}`
        : caller.organizationId;
    exchange.call = { operation: asked, caller, shareId, path: download?.target ?? path };
  }

  function takeSession({ request, headers }: Exchange, replied: IncomingHttpHeaders): void {
    const secret = replied[sessionSecretHeader];
    if (secret === undefined) return;
    headers.push('set-cookie', sessionCookie.headerOf(request, String(secret)));
    const consoleSecret = replied[consoleHeader];
    if (consoleSecret !== undefined) headers.push(consoleHeader, String(consoleSecret));
  }

  /** Lets a request in whose service has room for it. */
  async function open(request: FastifyRequest, reply: FastifyReply, route: Route, path: string) {
    const exchange = exchangeOf(request.raw);
    await admit(exchange, route, path);
    const { operation, shareId } = exchange.call!;
    const admission = admissions.get(operation.service)!;
    if (admission.hasRoom(shareId)) {
      exchange.measure = timerOf(operation)();
      return;
    }
    // Sent, not thrown: under load most requests end here, and a throw costs as much as the rest of
    // their handling.
    reply.hijack();
    sendFailure(exchange, admission.refuse());
  }

  const { answerShort, proxied } = createSenders(options);
  for (const base of [...bases, otlpBase])
    void app.register(async (api) => {
      const routes = routesOf(contracts, base);
      const routeAt = new Map(routes.map((route) => [base + route.path, route]));
      api.addHook('onRequest', async (request, reply) => {
        const target = request.raw.url!;
        if (base === otlpBase) exchangeOf(request.raw).replyOf = otlpReplyOf(request.raw);
        if (!target.startsWith(`${base}/`) || hasEmptyParameter(request.params as object))
          return reply.callNotFound();
        const route = routeAt.get(request.routeOptions.url!)!;
        return open(request, reply, route, target.slice(base.length));
      });
      proxyTo(api, { routes, base, answerShort, proxied });
    });
}

/** The two ways of a request to its service and back. */
function createSenders({
  processKeys,
  clientAddress,
  admissions,
  askers,
  takeBody,
  metrics,
}: OperationsOptions) {
  const faults = metrics.counter(
    'assay_upstream_faults_total',
    'Requests that a service did not answer.',
    ['upstream'],
  );

  async function send({ operation }: Call, outgoing: Outgoing, attempt: Attempt): Promise<void> {
    try {
      await forward(admissions.get(operation.service)!, outgoing, attempt);
    } catch (error) {
      if (error instanceof Failure && isUnanswered(error))
        faults.inc({ upstream: operation.service });
      throw error;
    }
  }

  function outgoingOf(exchange: Exchange, call: Call, body: OutgoingBody): Outgoing {
    const path = isProxied(call, body) ? proxiedPath(call.path) : call.path;
    const method = exchange.request.method!;
    return {
      organizationId: call.shareId,
      method,
      path,
      headers: () => headersOf(exchange, call, { method, path, body }),
      body,
      isRepeatable: mayRepeat(exchange.request, body),
      turn: call.operation.isExpensive ? turnOf(exchange, call) : undefined,
    };
  }

  function headersOf(
    { request, requestId }: Exchange,
    { operation, caller }: Call,
    { method, path, body }: Pick<Outgoing, 'method' | 'path' | 'body'>,
  ): Record<string, string> {
    const { organizationId, userId, role, apiKeyId, browserSessionId } = caller;
    const isKeyless = operation.access === 'keyless';
    const headers: Record<string, string> = {
      ...sealIdentity(
        processKeys,
        {
          organizationId,
          userId,
          role,
          apiKeyId,
          browserSessionId,
          clientAddress: isKeyless ? clientAddress(request) : undefined,
          requestId,
        },
        {
          act: requestAct(method, path),
          digest: bodyDigest(body),
          receiver: operation.service,
        },
      ),
    };
    if (askers.areSeveral()) headers[besideOthersHeader] = '1';
    for (const name of clientHeaders) {
      const value = request.headers[name];
      if (value !== undefined) headers[name] = value as string;
    }
    if (body.kind === 'streamed' && body.lengthBytes !== undefined)
      headers['content-length'] = String(body.lengthBytes);
    return headers;
  }

  const bodies = new WeakMap<Exchange, OutgoingBody>();

  return {
    /** Takes the body, and answers the request unless its body or its reply is a stream. */
    answerShort: async ({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const exchange = exchangeOf(raw);
      const call = exchange.call!;
      const body = await takeBody(exchange, call.operation, call.shareId);
      // Its key was revoked meanwhile.
      if (exchange.response.headersSent) throw new ClientGone('the request is answered');
      if (isProxied(call, body)) return void bodies.set(exchange, body);
      const outgoing = outgoingOf(exchange, call, body);
      await send(call, outgoing, dispatchTo(outgoing, exchange));
      // It is answered without Fastify.
      reply.hijack();
    },
    proxied: async ({ raw }: FastifyRequest, attempt: (outgoing: Outgoing) => Attempt) => {
      const exchange = exchangeOf(raw);
      const outgoing = outgoingOf(exchange, exchange.call!, bodies.get(exchange)!);
      await send(exchange.call!, outgoing, attempt(outgoing));
    },
  };
}

/** The turn that a request waits for, until it is sent or its client goes. */
function turnOf(exchange: Exchange, { operation }: Call): Outgoing['turn'] {
  const leaving = new AbortController();
  exchange.abort = () => leaving.abort(new ClientGone('the client went away'));
  if (exchange.response.destroyed) exchange.abort();
  return { kind: operation.isStreamed ? 'streamed' : 'short', signal: leaving.signal };
}

/** A proxy in front of the gateway may ask for a password of its own, by another scheme. */
const isBearer = (authorization: string | undefined): boolean =>
  authorization !== undefined && /^bearer\b/i.test(authorization);

const isProxied = ({ operation }: Call, { kind }: OutgoingBody): boolean =>
  operation.isStreamed || kind === 'streamed';

/** The client's headers that a service gets, in addition to the caller's identity. */
const clientHeaders = [
  'content-type',
  'idempotency-key',
  'accept',
  'last-event-id',
  'x-assay-project',
  'range',
  'if-range',
  'if-none-match',
];

/** Of a body that is passed on as it comes in, no digest is known when its head is sent. */
function bodyDigest(body: OutgoingBody): string {
  if (body.kind === 'none') return noBody;
  return body.kind === 'held' ? digestOf(body.bytes) : streamedBody;
}

/**
 * A service that stops closes connections on which something may just be coming. A PUT, or a key,
 * makes a second time harmless.
 */
const mayRepeat = ({ method, headers }: IncomingMessage, { kind }: OutgoingBody): boolean =>
  method === 'GET' ||
  (kind !== 'streamed' && (method === 'PUT' || headers['idempotency-key'] !== undefined));

// The router takes `/projects/` for a project without an id.
function hasEmptyParameter(params: object): boolean {
  for (const value of Object.values(params)) if (value === '') return true;
  return false;
}
