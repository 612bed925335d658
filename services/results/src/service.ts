import { catalog } from '@assay/contracts/catalog';
import { metrics } from '@assay/contracts/metrics';
import { results } from '@assay/contracts/results';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { testcases } from '@assay/contracts/testcases';
import { createOrganizationQueue } from '@assay/runtime/concurrency/organization-context';
import { createWorkers, type Workers } from '@assay/runtime/concurrency/workers';
import { type ServiceConfig, serviceConfig, serviceUrls } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http/client';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers } from './bus.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

export const resultsConfig = {
  ...serviceConfig,
  /** The processes of run-records. */
  RUN_RECORDS_URL: serviceUrls,
};

export type ResultsConfig = ServiceConfig & { RUN_RECORDS_URL: string };

/** Summaries, comparisons and reliability, computed from the scores that run-records has. */
export function start(config: ResultsConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: results,
    config,
    migrations,
    ownerships: {
      answers: 'organizationId',
      kept_results: 'organizationId',
    },
    log,
    compose: ({ database, bus, keys }) => {
      const client = createServiceClient({
        contract: runRecords,
        urls: config.RUN_RECORDS_URL,
        keys,
      });
      const summaries = createStatisticsWorkers('./summary-worker');
      const comparisons = createStatisticsWorkers('./comparison-worker');
      const reliabilities = createStatisticsWorkers('./reliability-worker');
      const domain = createDomain({
        store: createStore(database),
        revision: config.ASSAY_REVISION,
        ask: bus.asks(catalog, metrics, scoring, testcases),
        runRecords: client,
        inTurn: createOrganizationQueue(runTurns),
        summarize: summaries.run,
        compare: comparisons.run,
        measure: reliabilities.run,
        look: (pairs) => comparisons.run(pairs, { name: 'look' }),
      });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        stop: async () => {
          await client.close();
          await summaries.close();
          await comparisons.close();
          await reliabilities.close();
        },
      };
    },
  });
}

/** Whole runs that are gathered at once, of all organizations and of one. */
const runTurns = { permits: 3, permitsEach: 1 };
/** Ten times the time of the statistics of the largest runs. */
const createStatisticsWorkers = (name: string): Workers =>
  createWorkers({ module: import.meta.url, name, timeoutMs: 120_000, heapMiBMax: 2048 });
