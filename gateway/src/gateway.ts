import { fileURLToPath } from 'node:url';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { identity } from '@assay/contracts/identity';
import { connectBus } from '@assay/runtime/bus/bus';
import { createAskers } from '@assay/runtime/concurrency/askers';
import { ConfigurationError, readConfig } from '@assay/runtime/config';
import { readRanges } from '@assay/runtime/http/address';
import { answerMetrics } from '@assay/runtime/http/application';
import { createServiceClient } from '@assay/runtime/http/client';
import { answerHealth, createReadiness } from '@assay/runtime/http/health';
import { createUpstream, type Upstream } from '@assay/runtime/http/upstreams';
import { measureBus } from '@assay/runtime/instruments';
import { openKeys } from '@assay/runtime/keys';
import { type Log, logReady, openLog } from '@assay/runtime/log';
import { createMetrics } from '@assay/runtime/metrics';
import { createOrganizationLimits } from '@assay/runtime/organization-limits';
import { serviceIdentity } from '@assay/runtime/signature';
import { createAccessLog } from './access-log.ts';
import { createAdmissions } from './admission.ts';
import { createBodies } from './body.ts';
import { createClientAddress } from './client-address.ts';
import { type GatewayConfig, gatewaySettings, publicPath } from './config.ts';
import { serveConsole } from './console.ts';
import { dependenciesOf } from './dependencies.ts';
import { serveDocs } from './docs.ts';
import { createKeys } from './keys.ts';
import { createLimits } from './limits.ts';
import { serveMcp } from './mcp.ts';
import { serveMetrics } from './metrics-port.ts';
import { serveOperations } from './operations.ts';
import { servePackages } from './packages.ts';
import { createHttpEdge } from './server.ts';
import { createSessionCookie } from './session-cookie.ts';

/** The folder of the packages for clients: part of the build. */
const packagesFolder = fileURLToPath(new URL('../../sdk/dist', import.meta.url));

/** The folder of the guides, which an image of the gateway has too. */
const guidesFolder = fileURLToPath(new URL('../../docs', import.meta.url));

export interface RunningGateway {
  url: string;
  stop(): Promise<void>;
}

/**
 * The one way in: knows who calls, where a request goes, and how much of it is taken. Owns no data.
 */
export async function start(given: GatewayConfig, shared?: Log): Promise<RunningGateway> {
  const config = withDefaults(given);
  const log = openLog({ name: 'gateway', config, shared });
  const publicPath = publicPathOf(config);
  const keys = openKeys(config, 'gateway', log);
  const bus = await connectBus({
    urls: config.NATS_URL,
    nats: config,
    name: 'gateway',
    prefix: config.SUBJECT_PREFIX,
    keys,
    log,
  });
  const metrics = createMetrics({ service: 'gateway', revision: config.ASSAY_REVISION });
  const mcpUpstreams = createMcpUpstreams(config);
  const upstreams = [...createUpstreams(config), ...mcpUpstreams];
  const closed = metrics.counter(
    'assay_closed_connections_total',
    'Connections that were one too many.',
  );
  const direct = createServiceClient({ contract: identity, urls: config.IDENTITY_URL, keys });
  const clientKeys = createKeys({ bus, direct });
  const clientAddress = createClientAddress(readRanges(config.TRUSTED_PROXIES ?? ''));
  const edge = createHttpEdge({
    faultOf: clientKeys.faultOf,
    silenceMs: config.UPSTREAM_TIMEOUT_MS + 10_000,
    connectionsMax: config.CONNECTIONS_MAX,
    closed: () => closed.inc(),
    accessLog: config.ACCESS_LOG ? createAccessLog({ log, clientAddress }) : undefined,
    publicPath,
    log,
  });
  const { app } = edge;
  const readiness = createReadiness();
  answerHealth(app, { readiness, dependencies: dependenciesOf(bus, upstreams), metrics });
  measureBus(bus, metrics);
  if (config.METRICS_PORT === undefined) answerMetrics(app, metrics);
  serveDocs(app, { publicPath, publicUrl: config.PUBLIC_URL, folder: guidesFolder });
  servePackages(app, { folder: packagesFolder });
  serveConsole(app, { folder: config.CONSOLE ? config.CONSOLE_FOLDER : undefined, publicPath });
  const limitOf = createOrganizationLimits({ bus, keeper: identity });
  const perMinute = limitOf('requestsPerMinute', config.RATE_LIMIT_PER_MINUTE);
  // No request waits for its organization's limit: the next one goes by it.
  const { takeRequests } = bus.asks(identity).identity;
  const limits = createLimits({
    perMinute: perMinute.now,
    take: (organizationId, wish) => takeRequests(serviceIdentity(organizationId), wish),
  });
  const askers = createAskers();
  const admissions = createAdmissions({
    upstreams,
    waitingMax: config.WAITING_REQUESTS_MAX,
    expensive: {
      besideOthers: config.EXPENSIVE_REQUESTS_MAX,
      turnMaxMs: config.EXPENSIVE_TURN_MS,
      askers,
    },
    metrics,
    log,
  });
  const takeBody = createBodies({
    timeoutMs: config.BODY_TIMEOUT_MS,
    silenceMs: config.BODY_SILENCE_MS,
  });
  serveMcp(app, {
    keys: clientKeys,
    clientAddress,
    limits,
    admission: mcpUpstreams.length > 0 ? admissions.get('mcp') : undefined,
    takeBody,
    hosts: [
      ...(config.MCP_HOSTS?.split(',') ?? []),
      ...(config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname]),
    ],
    metrics,
  });
  serveOperations(app, {
    processKeys: keys,
    keys: clientKeys,
    clientAddress,
    sessionCookie: createSessionCookie({
      publicUrl: config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL),
      publicPath,
    }),
    limits,
    admissions,
    askers,
    takeBody,
    metrics,
  });
  metrics.gauge('assay_connections', 'Connections of clients.', edge.connections);
  const closeMetrics =
    config.METRICS_PORT === undefined
      ? undefined
      : await serveMetrics({ metrics, host: config.HOST, port: config.METRICS_PORT });
  const url = await edge.listen({ host: config.HOST, port: config.PORT });
  readiness.become('ready');
  logReady(log, { url, config });

  return {
    url,
    stop: async () => {
      readiness.become('stopping');
      await edge.close();
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      await direct.close();
      await bus.drain();
      await closeMetrics?.();
    },
  };
}

type WholeConfig = ReturnType<typeof withDefaults>;

const withDefaults = (given: GatewayConfig) => ({ ...readConfig(gatewaySettings, {}), ...given });

/**
 * Returns the path below which clients reach the gateway: an empty text, or one without a slash at
 * its end.
 * @throws ConfigurationError where the two settings contradict each other.
 */
function publicPathOf({ PUBLIC_PATH: path, PUBLIC_URL: url }: WholeConfig): string {
  const pathOfUrl = url && new URL(url).pathname.replace(/\/$|(\/api)?\/v2$/, '');
  if (pathOfUrl && !publicPath.safeParse(pathOfUrl).success)
    throw new ConfigurationError(
      `PUBLIC_URL leads to ${pathOfUrl}: its path must be /v2, or one such as /assay/v2.`,
    );
  if (path !== undefined && pathOfUrl !== undefined && path !== pathOfUrl)
    throw new ConfigurationError(
      `PUBLIC_PATH is ${path}, and PUBLIC_URL leads to another path: it must end with ${path}/v2.`,
    );
  return path ?? pathOfUrl ?? '';
}

/** Creates an upstream for every service. */
const createUpstreams = (config: WholeConfig): Upstream[] =>
  serviceNames.map((name) =>
    createUpstream({
      service: name,
      urls: config[urlVariable(name)],
      timeoutMs: config.UPSTREAM_TIMEOUT_MS,
    }),
  );

const createMcpUpstreams = ({ MCP_URL: urls, UPSTREAM_TIMEOUT_MS: timeoutMs }: WholeConfig) =>
  urls === undefined ? [] : [createUpstream({ service: 'mcp', urls, timeoutMs })];
