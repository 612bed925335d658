import { catalog } from '@assay/contracts/catalog';
import { identity } from '@assay/contracts/identity';
import { testcases } from '@assay/contracts/testcases';
import { createSchemaChecker } from '@assay/json-schema/schema';
import {
  type DatabaseReserveConfig,
  databaseReserveBytesDefault,
  databaseReserveConfig,
  type ServiceConfig,
  serviceConfig,
} from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { createDiskReserve } from '@assay/runtime/mongo/disk-reserve';
import { createPurge } from '@assay/runtime/mongo/purge';
import { type RunningService, startService } from '@assay/runtime/service';
import { z } from 'zod';
import { createAnswers, createSubscriptions } from './bus.ts';
import { createDeletions } from './deletions.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore, deletedDaysDefault, versionsMaxDefault } from './store.ts';

export const testcasesConfig = {
  ...serviceConfig,
  ...databaseReserveConfig,
  /** Versions of a testcase that are kept, besides its data of now; 0 keeps none. */
  TESTCASE_VERSIONS_MAX: z.coerce.number().int().min(0).max(1000).default(versionsMaxDefault),
  /** Days that a deleted testcase can be restored. */
  TESTCASE_DELETED_DAYS: z.coerce.number().int().min(0).max(36_500).default(deletedDaysDefault),
};

/** Settings that are left out have their defaults. */
export type TestcasesConfig = ServiceConfig &
  Partial<DatabaseReserveConfig> & {
    TESTCASE_VERSIONS_MAX?: number;
    TESTCASE_DELETED_DAYS?: number;
  };

/** Testcases, checked against the schema of their testset. */
export function start(config: TestcasesConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: testcases,
    config,
    migrations,
    ownerships: {
      testcases: 'organizationId',
      testcase_annotations: 'organizationId',
      testcaseVersions: 'organizationId',
      deletedTestsets: 'organizationId',
      imports: 'organizationId',
      syncs: 'organizationId',
      projectLanes: 'organizationId',
    },
    log,
    compose: ({ database, bus, announce, log }) => {
      const schemas = createSchemaChecker();
      const store = createStore(database, { versionsMax: config.TESTCASE_VERSIONS_MAX });
      const now = () => new Date();
      const deletedDays = config.TESTCASE_DELETED_DAYS ?? deletedDaysDefault;
      const domain = createDomain({
        store,
        checkDisk: createDiskReserve({
          database,
          reserveBytes: config.DATABASE_RESERVE_BYTES ?? databaseReserveBytesDefault,
        }).check,
        schemas,
        ask: bus.asks(catalog, identity),
        announce,
        newId,
        now,
        deletedDays,
      });
      const deletions = createDeletions({ store, days: deletedDays, now, log });
      const purge = createPurge({
        database,
        collection: 'deletedTestsets',
        deleteAll: store.deleteTestcasesOf,
        now,
        log,
      });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        started: () => {
          purge.start();
          deletions.start();
        },
        stop: async () => {
          await Promise.all([purge.stop(), deletions.stop()]);
          await schemas.close();
        },
      };
    },
  });
}
