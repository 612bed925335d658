import { catalog } from '@assay/contracts/catalog';
import { metrics } from '@assay/contracts/metrics';
import { checkBuiltin } from '@assay/evaluators/check';
import { createSchemaChecker } from '@assay/json-schema/schema';
import { checkTemplate } from '@assay/prompt-template/check';
import { type ServiceConfig, serviceConfig } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { z } from 'zod';
import { createAnswers, createSubscriptions } from './bus.ts';
import { createChecks } from './checks.ts';
import { createDomain } from './domain.ts';
import { createGroups } from './groups.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

const judgeModelDefault = 'gpt-4o';

export const metricsConfig = {
  ...serviceConfig,
  /** The model that judges where a metric names none. */
  DEFAULT_JUDGE_MODEL: z.string().max(256).optional(),
};

/** Metrics, their immutable versions, and groups of metrics. */
export function start(config: ServiceConfig & { DEFAULT_JUDGE_MODEL?: string | undefined }, log?: Log): Promise<RunningService> {
  return startService({
    contract: metrics,
    config,
    migrations,
    log,
    compose: ({ database, bus }) => {
      const schemaChecker = createSchemaChecker();
      const checks = createChecks({ checkTemplate, checkBuiltin: (wanted) => checkBuiltin({ ...wanted, schemaChecker }) });
      const parts = { store: createStore(database), ask: bus.asks(catalog), newId };
      const domain = createDomain({ ...parts, checks, judgeModel: config.DEFAULT_JUDGE_MODEL ?? judgeModelDefault });
      const groups = createGroups({ ...parts, now: () => new Date() });
      return {
        routes: createRoutes({ domain, groups }),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        stop: schemaChecker.close,
      };
    },
  });
}
