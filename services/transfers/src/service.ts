import { catalog } from '@assay/contracts/catalog';
import { identity } from '@assay/contracts/identity';
import { metrics } from '@assay/contracts/metrics';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { sessions } from '@assay/contracts/sessions';
import { systems } from '@assay/contracts/systems';
import { testcases } from '@assay/contracts/testcases';
import { traces } from '@assay/contracts/traces';
import { transfers } from '@assay/contracts/transfers';
import { type ProcessConfig, processConfig, serviceUrls } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http/client';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startStatelessService } from '@assay/runtime/service';
import { ownKeys } from '@assay/runtime/signature';
import { createAnswers } from './bus.ts';
import { createFileSignatures } from './domain/file-signatures.ts';
import { createDomain } from './domain.ts';
import { createRoutes } from './routes.ts';

/** The processes of the services that own the parts of a project. */
const ownerUrls = {
  IDENTITY_URL: serviceUrls,
  CATALOG_URL: serviceUrls,
  TESTCASES_URL: serviceUrls,
  SYSTEMS_URL: serviceUrls,
  METRICS_URL: serviceUrls,
  RUN_RECORDS_URL: serviceUrls,
  SCORING_URL: serviceUrls,
  SESSIONS_URL: serviceUrls,
  TRACES_URL: serviceUrls,
};

export const transfersConfig = { ...processConfig, ...ownerUrls };

export type TransfersConfig = ProcessConfig & Record<keyof typeof ownerUrls, string>;

/** Whole projects, exported and imported through the services that own their parts. */
export function start(config: TransfersConfig, log?: Log): Promise<RunningService> {
  return startStatelessService({
    contract: transfers,
    config,
    log,
    compose: ({ keys, log }) => {
      const owners = {
        identity: createServiceClient({ contract: identity, urls: config.IDENTITY_URL, keys }),
        catalog: createServiceClient({ contract: catalog, urls: config.CATALOG_URL, keys }),
        testcases: createServiceClient({ contract: testcases, urls: config.TESTCASES_URL, keys }),
        systems: createServiceClient({ contract: systems, urls: config.SYSTEMS_URL, keys }),
        metrics: createServiceClient({ contract: metrics, urls: config.METRICS_URL, keys }),
        runRecords: createServiceClient({
          contract: runRecords,
          urls: config.RUN_RECORDS_URL,
          keys,
        }),
        scoring: createServiceClient({ contract: scoring, urls: config.SCORING_URL, keys }),
        sessions: createServiceClient({ contract: sessions, urls: config.SESSIONS_URL, keys }),
        traces: createServiceClient({ contract: traces, urls: config.TRACES_URL, keys }),
      };
      const domain = createDomain({
        owners,
        signatures: createFileSignatures(() => ownKeys(keys)),
        newId,
        now: () => new Date(),
        warn: (error, sentence) => log.warn({ err: error }, sentence),
      });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(),
        stop: async () => {
          await Promise.all(Object.values(owners).map((owner) => owner.close()));
        },
      };
    },
  });
}
