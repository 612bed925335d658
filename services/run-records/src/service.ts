import { catalog } from '@assay/contracts/catalog';
import { identity } from '@assay/contracts/identity';
import { metrics } from '@assay/contracts/metrics';
import { results } from '@assay/contracts/results';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { systems } from '@assay/contracts/systems';
import { testcases } from '@assay/contracts/testcases';
import { traces } from '@assay/contracts/traces';
import { createDueWork } from '@assay/runtime/concurrency/due-work';
import { createWorkers } from '@assay/runtime/concurrency/workers';
import { databaseReserveBytesDefault } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { createDiskReserve } from '@assay/runtime/mongo/disk-reserve';
import { createPurge, settledMs } from '@assay/runtime/mongo/purge';
import { createOrganizationLimits } from '@assay/runtime/organization-limits';
import { createOrganizationSuspensions } from '@assay/runtime/organization-suspensions';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers, createSubscriptions, forgetDeletedTestcases } from './bus.ts';
import {
  type RunRecordsConfig,
  resultsQuietMsDefault,
  reviewLeaseMsDefault,
  sweepDefaults,
} from './config.ts';
import { memoryOf } from './domain/export/parquet.ts';
import { createLinkAnnouncements } from './domain/records/linked-records.ts';
import { createStopping } from './domain/runs/stopping.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createRunExpiry } from './run-expiry.ts';
import { createScoringJobs } from './scoring-jobs.ts';
import { createStore } from './store.ts';

/** Runs, records and scores. */
export function start(config: RunRecordsConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: runRecords,
    config,
    migrations,
    ownerships: {
      runs: 'organizationId',
      run_counters: 'organizationId',
      run_results: 'organizationId',
      run_means: 'organizationId',
      records: 'organizationId',
      record_chunks: 'organizationId',
      unfinished_payloads: 'organizationId',
      record_keys: 'organizationId',
      annotations: 'organizationId',
      answers: 'organizationId',
      label_draws: 'organizationId',
      review_leases: 'organizationId',
      projectLanes: 'organizationId',
    },
    log,
    compose: ({ database, bus, streams, announce, metrics: measured, log }) => {
      const store = createStore(database, {
        sweepAfterMs: config.SWEEP_AFTER_MS ?? sweepDefaults.afterMs,
        announceLinks: createLinkAnnouncements(announce),
      });
      measured.gauge(
        'assay_pending_oldest_seconds',
        'How long ago the job was published for which a score has waited longest; 0 where none waits long.',
        () => store.overdue.oldestSeconds(new Date()),
      );
      const ask = bus.asks(
        catalog,
        identity,
        testcases,
        systems,
        metrics,
        results,
        scoring,
        traces,
      );
      const limitOf = createOrganizationLimits({ bus, keeper: identity });
      const isSuspended = createOrganizationSuspensions({ bus, keeper: identity });
      const now = () => new Date();
      const jobs = createScoringJobs({
        streams,
        store,
        admit: createStopping({ store, ask, now }).admit,
        isSuspended,
        log,
        sweepAfterMs: config.SWEEP_AFTER_MS ?? sweepDefaults.afterMs,
        sweepEveryMs: config.SWEEP_INTERVAL_MS ?? sweepDefaults.everyMs,
      });
      const parquet = createWorkers({
        module: import.meta.url,
        name: './parquet-worker',
        timeoutMs: 30_000,
        heapMiBMax: 1024,
      });
      const stopping = new AbortController();
      const domain = createDomain({
        signal: stopping.signal,
        disk: createDiskReserve({
          database,
          reserveBytes: config.DATABASE_RESERVE_BYTES ?? databaseReserveBytesDefault,
        }),
        recordsMax: limitOf('recordsMax', config.RECORDS_MAX),
        settledMs,
        resultsQuietMs: config.RESULTS_QUIET_MS ?? resultsQuietMsDefault,
        reviewLeaseMs: config.REVIEW_LEASE_MS ?? reviewLeaseMsDefault,
        store,
        ask,
        announce,
        queueScoring: jobs.queue,
        // An export goes on when its request has been answered, and has no context any more.
        encodeParquet: (organizationId, task) =>
          parquet.run(task, { organizationId, handedOver: memoryOf }),
        newId,
        now,
      });
      const purges = [
        createPurge({
          database,
          collection: 'runs',
          deleteAll: domain.deletion.deleteAll,
          now,
          log,
        }),
        createPurge({
          database,
          collection: 'unfinished_payloads',
          deleteAll: store.payloads.deleteUnfinished,
          now,
          log,
        }),
      ];
      const expiry = createRunExpiry({ expiry: domain.expiry, isSuspended, log });
      const resultsReader = createDueWork({
        ...domain.resultsKeeping,
        isSuspended,
        failure: 'the results of runs will be read again',
        log,
        atOnce: 2,
      });
      forgetDeletedTestcases(bus, domain);
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        started: () => {
          jobs.start();
          for (const purge of purges) purge.start();
          expiry.start();
          resultsReader.start();
        },
        stopping: () => stopping.abort(),
        stop: async () => {
          await Promise.all(purges.map((purge) => purge.stop()));
          await expiry.stop();
          await resultsReader.stop();
          await jobs.stop();
          await store.records.drain();
          await parquet.close();
        },
      };
    },
  });
}
