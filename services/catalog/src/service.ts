import { catalog } from '@assay/contracts/catalog';
import { metrics } from '@assay/contracts/metrics';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { systems } from '@assay/contracts/systems';
import { testcases } from '@assay/contracts/testcases';
import { traces } from '@assay/contracts/traces';
import { createSchemaChecker } from '@assay/json-schema/schema';
import { createDueWork } from '@assay/runtime/concurrency/due-work';
import type { ServiceConfig } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers } from './bus.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

/** Projects, testsets and saved views. */
export function start(config: ServiceConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: catalog,
    config,
    migrations,
    ownerships: {
      projects: 'organizationId',
      testsets: 'organizationId',
      views: 'organizationId',
      imports: 'organizationId',
      projectLanes: 'organizationId',
    },
    log,
    compose: ({ database, bus, announce, log }) => {
      const schemas = createSchemaChecker();
      const ask = bus.asks(testcases, systems, metrics, runRecords, scoring, traces);
      const domain = createDomain({
        store: createStore(database),
        schemas,
        ask,
        announce,
        newId,
        now: () => new Date(),
      });
      const sweep = createDueWork({
        organizations: domain.imports.expiredOrganizations,
        work: domain.imports.sweep,
        failure: 'imports will be swept away later',
        log,
        everyMs: sweepEveryMs,
      });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        started: sweep.start,
        stop: async () => {
          await sweep.stop();
          await schemas.close();
        },
      };
    },
  });
}

/** How often imports that nobody prolonged are looked for. */
const sweepEveryMs = 60_000;
