import { contracts } from '@assay/contracts/all';
import { Failure } from '@assay/contracts/failure';
import { identity } from '@assay/contracts/identity';
import { type Bus, connectBus } from '@assay/runtime/bus';
import { processConfig } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http-client';
import { createLog, type Log } from '@assay/runtime/log';
import { createMetrics, type Metrics } from '@assay/runtime/metrics';
import { identityHeader, sealIdentity } from '@assay/runtime/signature';
import { createUpstream, type Upstream } from '@assay/runtime/upstreams';
import { z } from 'zod';
import { ClientGone, hasBody, takeBody } from './body.ts';
import { forward } from './forward.ts';
import { type Caller, createKeys, type Keys } from './keys.ts';
import { createLimits, type Limits } from './limits.ts';
import { createPages } from './pages.ts';
import { createReadiness } from './readiness.ts';
import { discardBody } from './replies.ts';
import { belowBase, createRouting, type Route, type RoutedOperation } from './routing.ts';
import { createHttpEdge, type Visit } from './server.ts';

const replicas = z.string().refine((value) => value.split(',').every((url) => /^https?:\/\/[^/]+\/?$/.test(url.trim())), {
  message: 'must be base URLs (http://host:port), separated by commas',
});

/** What the gateway is told by its environment. */
export const gatewayConfig = {
  ...processConfig,
  /** The processes of each service that has operations: base URLs, separated by commas. */
  IDENTITY_URL: replicas,
  CATALOG_URL: replicas,
  TESTCASES_URL: replicas,
  SYSTEMS_URL: replicas,
  METRICS_URL: replicas,
  RUN_RECORDS_URL: replicas,
  SCORING_URL: replicas,
  SESSIONS_URL: replicas,
  /** Requests an organization may send in a minute, to each gateway process. */
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1_200_000),
  /** How long a service may be silent: longer than its own longest question. */
  UPSTREAM_TIMEOUT_MS: z.coerce.number().int().min(10).default(130_000),
};

export type GatewayConfig = z.output<z.ZodObject<typeof gatewayConfig>>;

export interface RunningGateway {
  url: string;
  stop(): Promise<void>;
}

/** The one way in: knows who calls, where a request goes, and how much of it is taken. Owns no data. */
export async function start(config: GatewayConfig, given?: Log): Promise<RunningGateway> {
  const log = given?.child({ name: 'gateway' }) ?? createLog({ name: 'gateway', level: config.LOG_LEVEL });
  const secret = config.ASSAY_SECRET;
  const bus = await connectBus({ urls: config.NATS_URL, name: 'gateway', prefix: config.SUBJECT_PREFIX, secret, log });
  const metrics = createMetrics('gateway');
  const upstreams = createUpstreams(config);
  const direct = createServiceClient({ contract: identity, urls: config.IDENTITY_URL, secret });
  const edge = createHttpEdge({
    answer: createAnswer({
      secret,
      keys: createKeys({ bus, direct }),
      limits: createLimits({ perMinute: config.RATE_LIMIT_PER_MINUTE }),
      upstreams,
      metrics,
      bus,
    }),
    silenceMs: config.UPSTREAM_TIMEOUT_MS + 10_000,
    log,
  });
  const url = await edge.listen({ host: config.HOST, port: config.PORT });
  log.info({ url }, 'ready');

  return {
    url,
    stop: async () => {
      await edge.close();
      await Promise.all([...upstreams.values()].flatMap((upstream) => upstream.replicas.map(({ pool }) => pool.close())));
      await direct.close();
      await bus.drain();
    },
  };
}

/** An upstream for every service that has operations; the configuration must name each. */
function createUpstreams(config: GatewayConfig): Map<string, Upstream> {
  const routed = contracts.filter(({ operations }) => Object.keys(operations).length > 0);
  return new Map(
    routed.map(({ name }) => {
      const urls = config[`${name.toUpperCase().replaceAll('-', '_')}_URL` as 'CATALOG_URL'];
      return [name, createUpstream({ service: name, urls, timeoutMs: config.UPSTREAM_TIMEOUT_MS })];
    }),
  );
}

interface Parts {
  secret: string;
  keys: Keys;
  limits: Limits;
  upstreams: Map<string, Upstream>;
  metrics: Metrics;
  bus: Bus;
}

/** Who asks through a signed URL: nobody that the gateway knows. */
const anonymous: Caller = { organizationId: '', userId: '', role: 'service', apiKeyId: null };

/** A request's way: path → key → method → role → rate → size → service. */
function createAnswer({ secret, keys, limits, upstreams, metrics, bus }: Parts): (visit: Visit) => Promise<void> {
  const routing = createRouting(contracts);
  const pages = createPages({ metrics, readiness: createReadiness(bus) });
  const timers = new Map<string, ReturnType<Metrics['operation']>>();
  const faults = metrics.counter('assay_upstream_faults_total', 'Requests that a service did not answer.', ['upstream']);

  function timerOf({ name }: RoutedOperation): ReturnType<Metrics['operation']> {
    const timer = timers.get(name) ?? metrics.operation(name);
    timers.set(name, timer);
    return timer;
  }

  async function admit({ request, headers }: Visit, route: Route): Promise<{ operation: RoutedOperation; caller: Caller }> {
    const operation = route.operations.get(request.method!);
    const caller = operation?.access === 'signature' ? anonymous : await keys.callerOf(request.headers.authorization);
    if (!operation) throw methodNotAllowed(route.allow, headers);
    if (operation.access === 'admin' && caller.role !== 'admin') throw new Failure('FORBIDDEN', "This operation needs an admin's API key.");
    if (caller !== anonymous) limits.count(caller.organizationId, headers);
    return { operation, caller };
  }

  async function pass(visit: Visit, path: string, operation: RoutedOperation, caller: Caller): Promise<number> {
    const { request, response, requestId } = visit;
    const body = await takeBody(request, response, operation);
    const headers = [identityHeader, sealIdentity(secret, { ...caller, requestId })];
    for (const name of passedHeaders) {
      const value = request.headers[name];
      if (value !== undefined) headers.push(name, value as string);
    }
    if (body.kind === 'streamed' && body.lengthBytes !== undefined) headers.push('content-length', String(body.lengthBytes));
    return forward(upstreams.get(operation.service)!, { method: request.method!, path, headers, body }, visit);
  }

  async function serve(visit: Visit, path: string, route: Route): Promise<void> {
    const { operation, caller } = await admit(visit, route);
    const done = timerOf(operation)();
    try {
      done(await pass(visit, path, operation, caller));
      if (hasBody(visit.request) && !visit.request.complete) discardBody(visit.request, []);
    } catch (error) {
      if (error instanceof ClientGone) return void visit.response.destroy();
      if (error instanceof Failure) done(error.status);
      if (error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE') faults.inc({ upstream: operation.service });
      throw error;
    }
  }

  return async (visit) => {
    const target = visit.request.url!;
    const path = belowBase(target);
    const route = path === undefined ? undefined : routing.find(path);
    if (route) return serve(visit, path!, route);
    const page = pages.find(target.split('?', 1)[0]!);
    if (!page) throw new Failure('NOT_FOUND', 'There is no such route.');
    if (visit.request.method !== 'GET' && visit.request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD', visit.headers);
    return page(visit);
  };
}

/** What a service learns of a request besides who sent it. */
const passedHeaders = ['content-type', 'idempotency-key', 'accept', 'last-event-id', 'range'];

function methodNotAllowed(allow: string, headers: string[]): Failure {
  headers.push('allow', allow);
  return new Failure('METHOD_NOT_ALLOWED', `This path answers ${allow}.`);
}
