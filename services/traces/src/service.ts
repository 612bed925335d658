import { catalog } from '@assay/contracts/catalog';
import { scoring } from '@assay/contracts/scoring';
import { traces } from '@assay/contracts/traces';
import { workerFile } from '@assay/runtime/concurrency/worker-file';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { Piscina } from 'piscina';
import { createAnswers, createSubscriptions } from './bus.ts';
import { retentionDaysDefault, type TracesConfig } from './config.ts';
import { isShort, read, type SpanReader } from './domain/reading-task.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createSettleLoop } from './settle-loop.ts';
import { createStore } from './store.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Traces that systems send by OpenTelemetry. */
export function start(config: TracesConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: traces,
    config,
    migrations,
    log,
    compose: ({ database, bus, log }) => {
      const readers = createReaders();
      const domain = createDomain({
        store: createStore(database),
        ask: bus.asks(catalog, scoring),
        read: readers.read,
        newId,
        now: () => new Date(),
        retentionMs: (config.TRACE_RETENTION_DAYS ?? retentionDaysDefault) * dayMs,
      });
      const settleLoop = createSettleLoop({ settling: domain.settling, log });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        started: settleLoop.start,
        stop: async () => {
          await settleLoop.stop();
          await domain.drain();
          await readers.close();
        },
      };
    },
  });
}

/** Reads spans here where they are few, and on other threads where they are many. */
function createReaders(): { read: SpanReader; close: () => Promise<void> } {
  const workers = new Piscina({
    ...workerFile({ module: import.meta.url, name: './reading-worker' }),
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 60_000,
  });
  return {
    read: (async (task: Parameters<SpanReader>[0]) =>
      isShort(task) ? read(task) : workers.run(task)) as SpanReader,
    close: () => workers.destroy(),
  };
}
