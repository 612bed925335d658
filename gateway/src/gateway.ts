import type { IncomingMessage } from 'node:http';
import { contracts, serviceNames, type UrlVariable, urlVariable } from '@assay/contracts/all';
import { Failure } from '@assay/contracts/failure';
import { identity } from '@assay/contracts/identity';
import { connectBus } from '@assay/runtime/bus/bus';
import { type NatsConfig, processConfig, readConfig, serviceUrls } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http/client';
import { createUpstream, type Upstream } from '@assay/runtime/http/upstreams';
import { createLog, type Log } from '@assay/runtime/log';
import { createMetrics, type Metrics } from '@assay/runtime/metrics';
import {
  digestOf,
  identityHeader,
  noBody,
  requestAct,
  sealIdentity,
  streamedBody,
} from '@assay/runtime/signature';
import { z } from 'zod';
import { type Admission, createAdmissions } from './admission.ts';
import { ClientGone, createBodies, hasBody, type OutgoingBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { forward } from './forward.ts';
import { type Caller, createKeys, type KeyOwner, type Keys } from './keys.ts';
import { createLimits, type Limits } from './limits.ts';
import { serveMetrics } from './metrics-port.ts';
import { createPages } from './pages.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { discardBody, sendFailure } from './replies.ts';
import { belowBase, createRouting, type Route, type RoutedOperation } from './routing.ts';
import { createHttpEdge } from './server.ts';

/** The limits of one gateway process on its load and on slow clients. */
const boundsConfig = {
  /** Requests that wait for one process of a service: one more is refused. */
  WAITING_REQUESTS_MAX: z.coerce.number().int().min(1).default(512),
  /** Clients' connections: one more is closed. */
  CONNECTIONS_MAX: z.coerce.number().int().min(1).default(10_000),
  /** How long a client may take to send a body that is not a stream. */
  BODY_TIMEOUT_MS: z.coerce.number().int().min(10).default(300_000),
  /** How long none of such a body may come. */
  BODY_SILENCE_MS: z.coerce.number().int().min(10).default(10_000),
};

/** The processes of each service: base URLs, separated by commas. */
const urlConfig = Object.fromEntries(
  serviceNames.map((name) => [urlVariable(name), serviceUrls]),
) as Record<UrlVariable, typeof serviceUrls>;

/** The gateway's environment variables. */
export const gatewayConfig = {
  ...processConfig,
  ...urlConfig,
  /** Requests an organization may send in a minute, to each gateway process. */
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1_200_000),
  /** How long a service may be silent: longer than its own longest question. */
  UPSTREAM_TIMEOUT_MS: z.coerce.number().int().min(10).default(130_000),
  /** Where `/metrics` is served in place of the published port. */
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  ...boundsConfig,
};

type ParsedConfig = z.output<z.ZodObject<typeof gatewayConfig>>;
type Bound = keyof typeof boundsConfig | 'METRICS_PORT';
/** Bounds that are not given have their defaults. */
export type GatewayConfig = Omit<ParsedConfig, Bound | keyof NatsConfig> &
  Partial<Pick<ParsedConfig, Bound>> &
  NatsConfig;

export interface RunningGateway {
  url: string;
  stop(): Promise<void>;
}

/**
 * The one way in: knows who calls, where a request goes, and how much of it is taken. Owns no data.
 */
export async function start(config: GatewayConfig, given?: Log): Promise<RunningGateway> {
  const log =
    given?.child({ name: 'gateway' }) ?? createLog({ name: 'gateway', level: config.LOG_LEVEL });
  const bounds = { ...readConfig(boundsConfig, {}), ...config };
  const secret = config.ASSAY_SECRET;
  const bus = await connectBus({
    urls: config.NATS_URL,
    nats: config,
    name: 'gateway',
    prefix: config.SUBJECT_PREFIX,
    secret,
    log,
  });
  const metrics = createMetrics('gateway');
  const upstreams = createUpstreams(config);
  const closed = metrics.counter(
    'assay_closed_connections_total',
    'Connections that were one too many.',
  );
  const direct = createServiceClient({ contract: identity, urls: config.IDENTITY_URL, secret });
  const keys = createKeys({ bus, direct });
  const edge = createHttpEdge({
    answer: createAnswer({
      secret,
      keys,
      limits: createLimits({ perMinute: config.RATE_LIMIT_PER_MINUTE }),
      admissions: createAdmissions({
        upstreams,
        waitingMax: bounds.WAITING_REQUESTS_MAX,
        metrics,
        log,
      }),
      takeBody: createBodies({
        timeoutMs: bounds.BODY_TIMEOUT_MS,
        silenceMs: bounds.BODY_SILENCE_MS,
      }),
      metrics,
      readiness: createReadiness({ bus, upstreams }),
      hasMetrics: config.METRICS_PORT === undefined,
    }),
    isStillGood: keys.isStillGood,
    silenceMs: config.UPSTREAM_TIMEOUT_MS + 10_000,
    connectionsMax: bounds.CONNECTIONS_MAX,
    closed: () => closed.inc(),
    log,
  });
  metrics.gauge('assay_connections', 'Connections of clients.', edge.connections);
  const closeMetrics =
    config.METRICS_PORT === undefined
      ? undefined
      : await serveMetrics({ metrics, host: config.HOST, port: config.METRICS_PORT });
  const url = await edge.listen({ host: config.HOST, port: config.PORT });
  log.info({ url }, 'ready');

  return {
    url,
    stop: async () => {
      await edge.close();
      await Promise.all(
        upstreams.flatMap((upstream) => upstream.replicas.map(({ pool }) => pool.close())),
      );
      await direct.close();
      await bus.drain();
      await closeMetrics?.();
    },
  };
}

/** Creates an upstream for every service. */
const createUpstreams = (config: GatewayConfig): Upstream[] =>
  serviceNames.map((name) =>
    createUpstream({
      service: name,
      urls: config[urlVariable(name)],
      timeoutMs: config.UPSTREAM_TIMEOUT_MS,
    }),
  );

interface Dependencies {
  secret: string;
  keys: Keys;
  limits: Limits;
  admissions: Map<string, Admission>;
  takeBody: ReturnType<typeof createBodies>;
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  /** Are the metrics among the pages? */
  hasMetrics: boolean;
}

/** The caller of a signed URL, which carries no key. */
const anonymous: Caller = { organizationId: '', userId: '', role: 'anonymous', apiKeyId: null };

/**
 * The organization under which a request's bodies and places are counted, or the client's address
 * for a signed URL.
 */
const shareOf = ({ request }: Exchange, caller: Caller): string =>
  caller === anonymous ? `address ${request.socket.remoteAddress}` : caller.organizationId;

/** The steps of a request: path → key → method → role → rate → room → size → service. */
function createAnswer({
  secret,
  keys,
  limits,
  admissions,
  takeBody,
  metrics,
  readiness,
  hasMetrics,
}: Dependencies): (exchange: Exchange) => Promise<void> {
  const routing = createRouting(contracts);
  const pages = createPages({ metrics: hasMetrics ? metrics : undefined, readiness });
  const timers = new Map<string, ReturnType<Metrics['operation']>>();
  const faults = metrics.counter(
    'assay_upstream_faults_total',
    'Requests that a service did not answer.',
    ['upstream'],
  );

  function timerOf({ name }: RoutedOperation): ReturnType<Metrics['operation']> {
    const timer = timers.get(name) ?? metrics.operation(name);
    timers.set(name, timer);
    return timer;
  }

  const ownerOf = ({ request }: Exchange): KeyOwner | Promise<KeyOwner> =>
    keys.ownerOf(request.headers.authorization, request.socket.remoteAddress ?? '');

  async function callerOf(
    exchange: Exchange,
    operation: RoutedOperation | undefined,
  ): Promise<Caller> {
    if (operation?.access === 'signature') return anonymous;
    const owner = await ownerOf(exchange);
    exchange.admit(owner);
    return owner.caller;
  }

  function admit(
    { headers }: Exchange,
    route: Route,
    operation: RoutedOperation | undefined,
    caller: Caller,
  ): RoutedOperation {
    if (!operation) throw methodNotAllowed(route.allow, headers);
    if (operation.access === 'admin' && caller.role !== 'admin')
      throw new Failure('FORBIDDEN', "This operation needs an admin's API key.");
    if (caller !== anonymous) limits.count(caller.organizationId, headers);
    return operation;
  }

  async function pass(
    exchange: Exchange,
    path: string,
    operation: RoutedOperation,
    caller: Caller,
  ): Promise<number> {
    const { request, response, requestId } = exchange;
    const shareId = shareOf(exchange, caller);
    const body = await takeBody(exchange, operation, shareId);
    // Its key was revoked meanwhile.
    if (response.headersSent) throw new ClientGone('the request is answered');
    const { organizationId, userId, role, apiKeyId } = caller;
    const act = requestAct(request.method!, path);
    const sealed = sealIdentity(
      secret,
      { organizationId, userId, role, apiKeyId, requestId },
      act,
      bodyDigest(body),
    );
    const headers = [identityHeader, sealed];
    for (const name of passedHeaders) {
      const value = request.headers[name];
      if (value !== undefined) headers.push(name, value as string);
    }
    if (body.kind === 'streamed' && body.lengthBytes !== undefined)
      headers.push('content-length', String(body.lengthBytes));
    const outgoing = {
      organizationId: shareId,
      method: request.method!,
      path,
      headers,
      body,
      isRepeatable: isRepeatable(request, body),
    };
    return forward(admissions.get(operation.service)!, outgoing, exchange);
  }

  async function serve(exchange: Exchange, path: string, route: Route): Promise<void> {
    const { request, response } = exchange;
    const asked = route.operations.get(request.method!);
    const caller = await callerOf(exchange, asked);
    const operation = admit(exchange, route, asked, caller);
    const admission = admissions.get(operation.service)!;
    // Sent, not thrown: under load most requests end here, and a throw costs as much as the rest of
    // their handling.
    if (!admission.hasRoom(shareOf(exchange, caller)))
      return sendFailure(request, response, exchange.headers, admission.refuse());
    const done = timerOf(operation)();
    try {
      done(await pass(exchange, path, operation, caller));
      if (hasBody(request) && !request.complete) discardBody(request, []);
    } catch (error) {
      if (error instanceof ClientGone) return void (response.writableEnded || response.destroy());
      if (error instanceof Failure) done(error.status);
      if (
        error instanceof Failure &&
        error.code === 'SERVICE_UNAVAILABLE' &&
        error.cause !== undefined
      )
        faults.inc({ upstream: operation.service });
      throw error;
    }
  }

  return async (exchange) => {
    const target = exchange.request.url!;
    const path = belowBase(target);
    const route = path === undefined ? undefined : routing.find(path);
    if (route) return serve(exchange, path!, route);
    const page = pages.find(target.split('?', 1)[0]!);
    if (!page) throw new Failure('NOT_FOUND', 'There is no such route.');
    if (exchange.request.method !== 'GET' && exchange.request.method !== 'HEAD')
      throw methodNotAllowed('GET, HEAD', exchange.headers);
    return page(exchange);
  };
}

/** The client's headers that a service gets, in addition to the caller's identity. */
const passedHeaders = ['content-type', 'idempotency-key', 'accept', 'last-event-id', 'range'];

/** Of a body that is passed on as it comes in, no digest is known when its head is sent. */
function bodyDigest(body: OutgoingBody): string {
  if (body.kind === 'none') return noBody;
  return body.kind === 'held' ? digestOf(body.bytes) : streamedBody;
}

/**
 * A service that stops closes connections on which something may just be coming. A PUT, or a key,
 * makes a second time harmless.
 */
const isRepeatable = ({ method, headers }: IncomingMessage, { kind }: OutgoingBody): boolean =>
  method === 'GET' ||
  (kind !== 'streamed' && (method === 'PUT' || headers['idempotency-key'] !== undefined));

function methodNotAllowed(allow: string, headers: string[]): Failure {
  headers.push('allow', allow);
  return new Failure('METHOD_NOT_ALLOWED', `This path answers ${allow}.`);
}
