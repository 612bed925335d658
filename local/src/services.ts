import { start as startCatalog } from '@assay/catalog/service';
import {
  type ServiceName,
  serviceNames,
  type UrlVariable,
  urlVariable,
} from '@assay/contracts/all';
import { start as startGateway } from '@assay/gateway/gateway';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMcp } from '@assay/mcp/server';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import type { Log } from '@assay/runtime/log';
import type { RunningService } from '@assay/runtime/service';
import { start as startScoring } from '@assay/scoring/service';
import type { SessionsConfig } from '@assay/sessions/config';
import { start as startSessions } from '@assay/sessions/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import { start as startTraces } from '@assay/traces/service';
import { start as startTransfers } from '@assay/transfers/service';
import type { PartSettings } from './environment.ts';

interface ServicesOptions {
  /** Shared by all; each service listens on a port of its own, the gateway at `address`. */
  config: ServiceConfig & OperatorConfig;
  /** Where the gateway listens, and whether it serves agents at /mcp. */
  address: { host: string; port: number; hasMcp: boolean };
  attachmentsFolder: string;
  /** Those that are left out have their defaults. */
  settings: Partial<PartSettings>;
  /** Done when every service answers, and before the gateway is there for clients. */
  beforeGateway?: () => Promise<void>;
  log: Log;
}

/**
 * Starts every service and the gateway in this process, by the same functions as their own
 * processes use.
 */
export async function startAllServices(
  options: ServicesOptions,
): Promise<RunningService & { serviceUrls: string[] }> {
  const { config, address, settings, beforeGateway, log } = options;
  const { gateway = {}, runRecords = {}, testcases = {}, scoring = {}, traces = {} } = settings;
  const started: RunningService[] = [];
  const keep = async (starting: Promise<RunningService>): Promise<string> => {
    const running = await starting;
    started.push(running);
    return running.url;
  };
  const stop = async () => {
    for (const running of started.reverse()) await running.stop();
  };
  const { DEFAULT_JUDGE_MODEL, BUBBLEWRAP_PATH, CODE_WITHOUT_WALL } = scoring;
  const starts: Record<ServiceName, () => Promise<RunningService>> = {
    identity: () =>
      startIdentity(
        {
          ...config,
          RATE_LIMIT_PER_MINUTE: gateway.RATE_LIMIT_PER_MINUTE,
          PUBLIC_URL: publicUrlOf(options),
        },
        log,
      ),
    catalog: () => startCatalog(config, log),
    testcases: () => startTestcases({ ...config, ...testcases }, log),
    systems: () => startSystems(config, log),
    metrics: () =>
      startMetrics({ ...config, DEFAULT_JUDGE_MODEL, BUBBLEWRAP_PATH, CODE_WITHOUT_WALL }, log),
    'run-records': () => startRunRecords({ ...config, ...runRecords }, log),
    scoring: async () =>
      startScoring({ ...config, ...scoring, RUN_RECORDS_URL: await urlOf('run-records') }, log),
    results: async () =>
      startResults({ ...config, RUN_RECORDS_URL: await urlOf('run-records') }, log),
    sessions: () => startSessions(sessionsConfigOf(options), log),
    transfers: async () =>
      startTransfers(
        {
          ...config,
          IDENTITY_URL: await urlOf('identity'),
          CATALOG_URL: await urlOf('catalog'),
          TESTCASES_URL: await urlOf('testcases'),
          SYSTEMS_URL: await urlOf('systems'),
          METRICS_URL: await urlOf('metrics'),
          RUN_RECORDS_URL: await urlOf('run-records'),
          SCORING_URL: await urlOf('scoring'),
          SESSIONS_URL: await urlOf('sessions'),
          TRACES_URL: await urlOf('traces'),
        },
        log,
      ),
    traces: async () =>
      startTraces(
        {
          ...config,
          RUN_RECORDS_URL: await urlOf('run-records'),
          TESTCASES_URL: await urlOf('testcases'),
          ...traces,
        },
        log,
      ),
  };
  const urls = new Map<ServiceName, Promise<string>>();
  /** Returns the URL of a service, which starts when it is asked for first. */
  function urlOf(name: ServiceName): Promise<string> {
    const url = urls.get(name) ?? keep(starts[name]());
    urls.set(name, url);
    return url;
  }
  try {
    const started = await all(
      serviceNames.map(async (name) => [urlVariable(name), await urlOf(name)] as const),
    );
    await beforeGateway?.();
    const mcpUrl = address.hasMcp ? await keep(startMcp(mcpConfigOf(options), log)) : undefined;
    const gatewayConfig = {
      ...config,
      ...gateway,
      HOST: address.host,
      PORT: address.port,
      ...(mcpUrl === undefined ? {} : { MCP_URL: mcpUrl }),
      ...(Object.fromEntries(started) as Record<UrlVariable, string>),
    };
    const url = await keep(startGateway(gatewayConfig, log));
    return { url, serviceUrls: started.map(([, own]) => own), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function sessionsConfigOf(options: ServicesOptions): SessionsConfig {
  const { config, attachmentsFolder, settings } = options;
  const { storage = { STORAGE: 'disk' } } = settings;
  if (storage.STORAGE === 's3') return { ...config, ...storage };
  const PUBLIC_URL = publicUrlOf(options);
  return { ...config, ...storage, ATTACHMENTS_FOLDER: attachmentsFolder, PUBLIC_URL };
}

/** The base path of the API as clients reach it: where nothing is said, that of the address. */
const publicUrlOf = ({ address: { host, port }, settings }: ServicesOptions): string =>
  settings.gateway?.PUBLIC_URL ?? `http://${host}:${port}${settings.gateway?.PUBLIC_PATH ?? ''}/v2`;

/** The process for agents calls the gateway as a client, by an address of this machine. */
function mcpConfigOf(options: ServicesOptions) {
  const { config, address } = options;
  const { host, port } = address;
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  return {
    HOST: config.HOST,
    PORT: 0,
    LOG_LEVEL: config.LOG_LEVEL,
    ASSAY_REVISION: config.ASSAY_REVISION,
    GATEWAY_URL: `http://${reachable}:${port}`,
    PUBLIC_URL: publicUrlOf(options),
  };
}

/**
 * All of them, or the first failure once every one has settled: so that none starts after the rest
 * was stopped.
 */
async function all<Result>(starting: Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(starting);
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<Result>).value);
}
