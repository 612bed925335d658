import { catalog } from '@assay/contracts/catalog';
import { metrics } from '@assay/contracts/metrics';
import { results } from '@assay/contracts/results';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { testcases } from '@assay/contracts/testcases';
import { resultOf } from '@assay/runtime/concurrency/guard-item';
import { createOrganizationQueue } from '@assay/runtime/concurrency/organization-context';
import { workerFile } from '@assay/runtime/concurrency/worker-file';
import { type ProcessConfig, processConfig, serviceUrls } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http/client';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startStatelessService } from '@assay/runtime/service';
import { Piscina } from 'piscina';
import { createAnswers } from './bus.ts';
import { createDomain } from './domain.ts';
import { createRoutes } from './routes.ts';

export const resultsConfig = {
  ...processConfig,
  /** The processes of run-records. */
  RUN_RECORDS_URL: serviceUrls,
};

export type ResultsConfig = ProcessConfig & { RUN_RECORDS_URL: string };

/** Summaries, comparisons and reliability, computed from the scores that run-records has. */
export function start(config: ResultsConfig, log?: Log): Promise<RunningService> {
  return startStatelessService({
    contract: results,
    config,
    log,
    compose: ({ bus }) => {
      const client = createServiceClient({
        contract: runRecords,
        urls: config.RUN_RECORDS_URL,
        secret: config.ASSAY_SECRET,
      });
      const summaries = startWorker('./summary-worker');
      const comparisons = startWorker('./comparison-worker');
      const reliabilities = startWorker('./reliability-worker');
      const [summarizeInTurn, compareInTurn, measureInTurn] = [
        createOrganizationQueue(workerTurns),
        createOrganizationQueue(workerTurns),
        createOrganizationQueue(workerTurns),
      ];
      const domain = createDomain({
        ask: bus.asks(catalog, metrics, scoring, testcases),
        runRecords: client,
        inTurn: createOrganizationQueue(runTurns),
        summarize: (values) => summarizeInTurn(async () => resultOf(await summaries.run(values))),
        compare: (pairs) => compareInTurn(async () => resultOf(await comparisons.run(pairs))),
        measure: (scores) => measureInTurn(async () => resultOf(await reliabilities.run(scores))),
        look: (pairs) =>
          compareInTurn(async () => resultOf(await comparisons.run(pairs, { name: 'look' }))),
      });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        stop: async () => {
          await client.close();
          await summaries.destroy();
          await comparisons.destroy();
          await reliabilities.destroy();
        },
      };
    },
  });
}

/** Whole runs that are gathered at once, of all organizations and of one. */
const runTurns = { permits: 3, permitsEach: 1 };
/** One organization uses one thread, and another is for the others. */
const workerTurns = { permits: 2, permitsEach: 1 };

/** Starts threads for work that would block the event loop for long. Idle threads end. */
const startWorker = (name: string): Piscina =>
  new Piscina({
    ...workerFile({ module: import.meta.url, name }),
    minThreads: 0,
    maxThreads: workerTurns.permits,
    idleTimeout: 10_000,
  });
