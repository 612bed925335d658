import { start as startCatalog } from '@assay/catalog/service';
import { start as startGateway } from '@assay/gateway/gateway';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import type { Log } from '@assay/runtime/log';
import type { RunningService } from '@assay/runtime/service';
import { type ScoringSettings, start as startScoring } from '@assay/scoring/service';
import { start as startSessions } from '@assay/sessions/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';

interface ServicesOptions {
  /** Shared by all; each service listens on a port of its own, the gateway on `gateway`. */
  config: ServiceConfig & OperatorConfig;
  gateway: { host: string; port: number; rateLimitPerMinute: number };
  attachmentsFolder: string;
  /** Judges and code. */
  scoring: ScoringSettings;
  /** Done when every service answers, and before the gateway is there for clients. */
  beforeGateway?: () => Promise<void>;
  log: Log;
}

/** Starts every service and the gateway in this process, by the same functions as their own processes use. */
export async function startAllServices(options: ServicesOptions): Promise<RunningService> {
  const { config, gateway, attachmentsFolder, scoring, beforeGateway, log } = options;
  const started: RunningService[] = [];
  const keep = async (starting: Promise<RunningService>): Promise<string> => {
    const running = await starting;
    started.push(running);
    return running.url;
  };
  const stop = async () => {
    for (const running of started.reverse()) await running.stop();
  };
  const publicUrl = `http://${gateway.host}:${gateway.port}/v2`;
  try {
    const { DEFAULT_JUDGE_MODEL, BUBBLEWRAP_PATH, CODE_WITHOUT_WALL } = scoring;
    const metricsSettings = { DEFAULT_JUDGE_MODEL, BUBBLEWRAP_PATH, CODE_WITHOUT_WALL };
    const sessionsConfig = { ...config, STORAGE: 'disk' as const, ATTACHMENTS_FOLDER: attachmentsFolder, PUBLIC_URL: publicUrl };
    const [identity, catalog, testcases, systems, metrics, runRecords, sessions] = await all([
      keep(startIdentity(config, log)),
      keep(startCatalog(config, log)),
      keep(startTestcases(config, log)),
      keep(startSystems(config, log)),
      keep(startMetrics({ ...config, ...metricsSettings }, log)),
      keep(startRunRecords(config, log)),
      keep(startSessions(sessionsConfig, log)),
    ]);
    const scoringUrl = await keep(startScoring({ ...config, ...scoring, RUN_RECORDS_URL: runRecords! }, log));
    await beforeGateway?.();
    const url = await keep(
      startGateway(
        {
          ...config,
          HOST: gateway.host,
          PORT: gateway.port,
          IDENTITY_URL: identity!,
          CATALOG_URL: catalog!,
          TESTCASES_URL: testcases!,
          SYSTEMS_URL: systems!,
          METRICS_URL: metrics!,
          RUN_RECORDS_URL: runRecords!,
          SCORING_URL: scoringUrl,
          SESSIONS_URL: sessions!,
          RATE_LIMIT_PER_MINUTE: gateway.rateLimitPerMinute,
          UPSTREAM_TIMEOUT_MS: 130_000,
        },
        log,
      ),
    );
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** All of them, or the first failure once every one has settled: so that none starts after the rest was stopped. */
async function all(starting: Promise<string>[]): Promise<string[]> {
  const settled = await Promise.allSettled(starting);
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<string>).value);
}
