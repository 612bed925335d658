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
    compose: ({ log }) => {
      const secret = config.ASSAY_SECRET;
      const owners = {
        identity: createServiceClient({ contract: identity, urls: config.IDENTITY_URL, secret }),
        catalog: createServiceClient({ contract: catalog, urls: config.CATALOG_URL, secret }),
        testcases: createServiceClient({ contract: testcases, urls: config.TESTCASES_URL, secret }),
        systems: createServiceClient({ contract: systems, urls: config.SYSTEMS_URL, secret }),
        metrics: createServiceClient({ contract: metrics, urls: config.METRICS_URL, secret }),
        runRecords: createServiceClient({
          contract: runRecords,
          urls: config.RUN_RECORDS_URL,
          secret,
        }),
        scoring: createServiceClient({ contract: scoring, urls: config.SCORING_URL, secret }),
        sessions: createServiceClient({ contract: sessions, urls: config.SESSIONS_URL, secret }),
        traces: createServiceClient({ contract: traces, urls: config.TRACES_URL, secret }),
      };
      const domain = createDomain({
        owners,
        signatures: createFileSignatures(secret),
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
