import { migrations as catalog } from '@assay/catalog/migrations';
import { serviceNames } from '@assay/contracts/all';
import { migrations as identity } from '@assay/identity/migrations';
import { migrations as metrics } from '@assay/metrics/migrations';
import { migrations as results } from '@assay/results/migrations';
import { migrations as runRecords } from '@assay/run-records/migrations';
import type { Log } from '@assay/runtime/log';
import { openDatabase } from '@assay/runtime/mongo/database';
import { type Migration, migrate } from '@assay/runtime/mongo/migrations';
import { standardMigrations } from '@assay/runtime/mongo/standard-migrations';
import { migrations as scoring } from '@assay/scoring/migrations';
import { migrations as sessions } from '@assay/sessions/migrations';
import { migrations as systems } from '@assay/systems/migrations';
import { migrations as testcases } from '@assay/testcases/migrations';
import { migrations as traces } from '@assay/traces/migrations';

/** Of each service that has a database. */
const migrationsOf: Partial<Record<(typeof serviceNames)[number], Migration[]>> = {
  identity,
  catalog,
  testcases,
  systems,
  metrics,
  'run-records': runRecords,
  scoring,
  results,
  sessions,
  traces,
};

/**
 * Applies the migrations of every service, as the first process of each would at its start. `tell`
 * hears of each service with the names of those that were applied.
 */
export async function migrateAll({
  uri,
  prefix,
  log,
  tell,
}: {
  uri: string;
  prefix: string;
  log: Log;
  tell: (service: string, applied: string[]) => void;
}): Promise<void> {
  for (const service of serviceNames) {
    const own = migrationsOf[service];
    if (!own) continue;
    const database = await openDatabase({ uri, name: `${prefix}_${service}` });
    try {
      tell(service, await migrate({ database, migrations: [...standardMigrations, ...own], log }));
    } finally {
      await database.close();
    }
  }
}
