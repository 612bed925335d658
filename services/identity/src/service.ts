import { identity } from '@assay/contracts/identity';
import {
  type OperatorConfig,
  operatorConfig,
  type ServiceConfig,
  serviceConfig,
} from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { type RunningService, startService } from '@assay/runtime/service';
import { createAnswers } from './bus.ts';
import { createKeyUse } from './domain/key-use.ts';
import { createOperator } from './domain/operator.ts';
import { createDomain } from './domain.ts';
import { migrations } from './migrations.ts';
import { createRoutes } from './routes.ts';
import { createStore } from './store.ts';

/** The environment variables of identity. */
export const identityConfig = { ...serviceConfig, ...operatorConfig };

/** Organizations, members and API keys. */
export function start(config: ServiceConfig & OperatorConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: identity,
    config,
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    migrations,
    log,
    compose: ({ database, announce, log }) => {
      const clock = () => new Date();
      const store = createStore(database);
      const keyUse = createKeyUse({
        note: store.noteKeyUse,
        failed: (error, apiKeyId) =>
          log.warn({ err: error, apiKeyId }, 'the last use of a key was not noted'),
        clock,
      });
      const domain = createDomain({ store, keyUse, announce, clock, newId });
      const operator = createOperator({ store, announce, clock, newId });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain, operator),
        stop: keyUse.settle,
      };
    },
  });
}
