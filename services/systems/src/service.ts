import { catalog } from '@assay/contracts/catalog';
import { systems } from '@assay/contracts/systems';
import type { ServiceConfig } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers, createSubscriptions } from './bus.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

/** Systems under test and their immutable versions. */
export function start(config: ServiceConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: systems,
    config,
    migrations,
    ownerships: {
      systems: 'organizationId',
      versions: 'organizationId',
      projectLanes: 'organizationId',
    },
    log,
    compose: ({ database, bus }) => {
      const domain = createDomain({ store: createStore(database), ask: bus.asks(catalog), newId });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
      };
    },
  });
}
