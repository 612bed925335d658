import { metrics } from '@assay/contracts/metrics';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { createSchemaChecker } from '@assay/json-schema/schema';
import { type ServiceConfig, serviceConfig } from '@assay/runtime/config';
import { createDeadlineWorkers } from '@assay/runtime/deadline-workers';
import { createServiceClient } from '@assay/runtime/http-client';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { z } from 'zod';
import { createAnswers, workOnJobs } from './bus.ts';
import { createEvaluate } from './domain/evaluation.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

export const scoringConfig = {
  ...serviceConfig,
  /** Base URLs of the processes of run-records, separated by commas. */
  RUN_RECORDS_URL: z.string().regex(/^https?:\/\//, 'must be base URLs (http://host:port), separated by commas'),
  /** Jobs that one process works on at once. */
  SCORING_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(4),
};

export type ScoringConfig = ServiceConfig & { RUN_RECORDS_URL: string; SCORING_CONCURRENCY?: number };

/** Makes the scores of metrics that the service evaluates. */
export function start(config: ScoringConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: scoring,
    config,
    migrations,
    log,
    compose: ({ database, bus, streams }) => {
      const client = createServiceClient({ contract: runRecords, urls: config.RUN_RECORDS_URL, secret: config.ASSAY_SECRET });
      const schemaChecker = createSchemaChecker();
      const evaluators = createDeadlineWorkers({ module: import.meta.url, name: './evaluation-worker', threads: 2, heapMiBMax: 512 });
      const domain = createDomain({
        store: createStore(database),
        ask: bus.asks(metrics),
        runRecords: client,
        evaluate: createEvaluate({ inWorker: evaluators.run, schemaChecker }),
        newId,
        now: () => new Date(),
      });
      return {
        routes: createRoutes(),
        answers: createAnswers(),
        started: () => workOnJobs({ streams, domain, concurrency: config.SCORING_CONCURRENCY ?? 4 }),
        stop: async () => {
          await client.close();
          await evaluators.close();
          await schemaChecker.close();
        },
      };
    },
  });
}
