import { catalog } from '@assay/contracts/catalog';
import { Failure } from '@assay/contracts/failure';
import { identity } from '@assay/contracts/identity';
import { metrics } from '@assay/contracts/metrics';
import { results } from '@assay/contracts/results';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { testcases } from '@assay/contracts/testcases';
import { traces } from '@assay/contracts/traces';
import { writeRefusal } from '@assay/otlp/reply';
import { createDueWork } from '@assay/runtime/concurrency/due-work';
import { createWorkers, type StoppedTask } from '@assay/runtime/concurrency/workers';
import { databaseReserveBytesDefault } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http/client';
import { instantOf, newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { createDiskReserve } from '@assay/runtime/mongo/disk-reserve';
import { createOrganizationLimits } from '@assay/runtime/organization-limits';
import { createOrganizationSuspensions } from '@assay/runtime/organization-suspensions';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers, createSubscriptions } from './bus.ts';
import { retentionDaysDefault, type TracesConfig } from './config.ts';
import { isShort, read, type SpanReader, tooMuchToReadCode } from './domain/reading-task.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

/** Traces that systems send by OpenTelemetry. `now` is the clock by which they settle. */
export function start(
  config: TracesConfig,
  log?: Log,
  now: () => Date = () => new Date(),
): Promise<RunningService> {
  return startService({
    contract: traces,
    config,
    migrations,
    ownerships: {
      traces: 'organizationId',
      trace_parts: 'organizationId',
      span_lists: 'organizationId',
      deleted_traces: 'organizationId',
      trace_annotations: 'organizationId',
      daily_bytes: (organizationId) => ({ '_id.organizationId': organizationId }),
      monitors: 'organizationId',
      monitor_days: 'organizationId',
      monitor_hours: 'organizationId',
      record_links: 'organizationId',
      projectLanes: 'organizationId',
    },
    log,
    compose: ({ database, bus, keys, metrics: measured, log }) => {
      const readers = createReaders();
      const store = createStore(database);
      const { bytesOnDisk, oldestId } = store.parts;
      measured.gauge('assay_trace_bytes', 'What spans take on disk, with indexes.', bytesOnDisk);
      measured.gauge('assay_oldest_span_seconds', 'The age of the oldest spans.', async () => {
        const id = await oldestId();
        return id === undefined ? 0 : (Date.now() - instantOf(id).getTime()) / 1000;
      });
      const clients = {
        runRecords: createServiceClient({
          contract: runRecords,
          urls: config.RUN_RECORDS_URL,
          keys,
        }),
        testcases: createServiceClient({ contract: testcases, urls: config.TESTCASES_URL, keys }),
      };
      const limitOf = createOrganizationLimits({ bus, keeper: identity });
      const isSuspended = createOrganizationSuspensions({ bus, keeper: identity });
      const domain = createDomain({
        store,
        ...clients,
        ask: bus.asks(catalog, identity, metrics, results, runRecords, scoring),
        read: readers.read,
        newId,
        now,
        retentionDays: config.TRACE_RETENTION_DAYS ?? retentionDaysDefault,
        checkDisk: createDiskReserve({
          database,
          reserveBytes: config.DATABASE_RESERVE_BYTES ?? databaseReserveBytesDefault,
        }).check,
        bytesPerDayMax: limitOf('traceBytesPerDayMax', config.TRACE_BYTES_PER_DAY_MAX),
      });
      measured.gauge(
        'assay_settle_lag_seconds',
        'How long the trace is due that waits longest to be settled; 0 where none is.',
        domain.settling.lagSeconds,
      );
      const loops = [
        createDueWork({
          organizations: domain.settling.dueOrganizations,
          work: domain.settling.settleDue,
          isSuspended,
          failure: 'traces will be settled later',
          log,
        }),
        createDueWork({
          organizations: domain.settling.outdatedOrganizations,
          work: domain.settling.settleOutdated,
          isSuspended,
          failure: 'traces of an earlier mapping will be settled later',
          log,
          atOnce: 1,
        }),
        createDueWork({
          organizations: domain.monitoring.dueOrganizations,
          work: domain.monitoring.askDue,
          isSuspended,
          failure: 'monitors will be asked later',
          log,
        }),
      ];
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        writeFailure: writeRefusal,
        started: () => {
          for (const loop of loops) loop.start();
        },
        stop: async () => {
          await Promise.all(loops.map((loop) => loop.stop()));
          await domain.drain();
          await readers.close();
          await clients.runRecords.close();
          await clients.testcases.close();
        },
      };
    },
  });
}

/** Reads spans here where they are few, and on other threads where they are many. */
function createReaders(): { read: SpanReader; close: () => Promise<void> } {
  const workers = createWorkers({
    module: import.meta.url,
    name: './reading-worker',
    timeoutMs: 30_000,
    heapMiBMax: 1024,
  });
  return {
    read: (async (task: Parameters<SpanReader>[0]) =>
      isShort(task) ? read(task) : workers.run(task, { refuse: tooMuchToRead })) as SpanReader,
    close: workers.close,
  };
}

const tooMuchToRead = ({ stopped }: StoppedTask): Failure =>
  new Failure(tooMuchToReadCode, `The spans take too much ${stopped} to read.`);
