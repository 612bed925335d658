import { type CodeSandbox, createCodeSandbox } from '@assay/code-sandbox/sandbox';
import { catalog } from '@assay/contracts/catalog';
import { Failure, unavailable } from '@assay/contracts/failure';
import { type Code, metrics } from '@assay/contracts/metrics';
import { scoring } from '@assay/contracts/scoring';
import { checkBuiltin } from '@assay/evaluators/check';
import { describeEvaluators } from '@assay/evaluators/describe';
import { readOptions } from '@assay/evaluators/evaluate';
import { createSchemaChecker } from '@assay/json-schema/schema';
import { describeJudgeTemplates } from '@assay/judge-templates/describe';
import {
  checkTemplate,
  findUnknownFields,
  readsRecord,
  unknownField,
} from '@assay/prompt-template/check';
import { QueueFull } from '@assay/runtime/concurrency/fair-semaphore';
import { createOrganizationQueue } from '@assay/runtime/concurrency/organization-context';
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
import { createWarnings } from './warnings.ts';

const judgeModelDefault = 'gpt-4o';

/**
 * The time that code may take before `evaluate` is called, in ms: more than honest code takes on a
 * busy machine.
 */
const codeTimeoutMsDefault = 3000;
/**
 * One that never ends keeps its organization's others waiting for its time; more than so many are
 * sent away.
 */
const codeWaitingMax = 20;
/**
 * Code that still waits after so many ms is sent away with the reason: a check after it, on a busy
 * machine too, ends before whoever asked for it has given up (25 s, the contract's `timeoutMs`).
 */
const codeWaitMsDefault = 9000;

export const metricsConfig = {
  ...serviceConfig,
  /** The model that judges where a metric names none. */
  DEFAULT_JUDGE_MODEL: z.string().max(256).optional(),
  /**
   * The program that walls users' code in, and whether code is checked without it, as for scoring.
   */
  BUBBLEWRAP_PATH: z.string().optional(),
  CODE_WITHOUT_WALL: z.stringbool().default(false),
};

type MetricsSettings = Omit<z.output<z.ZodObject<typeof metricsConfig>>, keyof ServiceConfig>;
export type MetricsConfig = ServiceConfig &
  Partial<MetricsSettings> & {
    /** Shorter for tests, which wait for it. */
    CODE_CHECK_TIMEOUT_MS?: number;
    /** Likewise. */
    CODE_CHECK_WAIT_MS?: number;
  };

/** Metrics, their immutable versions, and groups of metrics. */
export function start(config: MetricsConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: metrics,
    config,
    migrations,
    ownerships: {
      metrics: 'organizationId',
      versions: 'organizationId',
      groups: 'organizationId',
      projectLanes: 'organizationId',
    },
    log,
    compose: ({ database, bus, log }) => {
      const schemaChecker = createSchemaChecker();
      const codeSandbox = createCodeSandbox({
        timeoutMs: config.CODE_CHECK_TIMEOUT_MS ?? codeTimeoutMsDefault,
        children: 1,
        bubblewrapPath: config.BUBBLEWRAP_PATH,
        withoutWall: config.CODE_WITHOUT_WALL,
        log: (sentence) => log.info(sentence),
      });
      const checks = createChecks({
        checkTemplate,
        checkBuiltin: ({ builtin: { name, options }, outputType }) =>
          checkBuiltin({
            builtin: { name, options: readOptions(String(options ?? '{}')) },
            outputType,
            schemaChecker,
          }),
        checkCode: createCodeCheck({
          codeSandbox,
          waitMaxMs: config.CODE_CHECK_WAIT_MS ?? codeWaitMsDefault,
          log,
        }),
      });
      const ask = bus.asks(catalog, scoring);
      const parts = { store: createStore(database), ask, newId };
      const domain = createDomain({
        ...parts,
        checks,
        warningsFor: createWarnings({ ask }),
        reading: { findUnknownFields, readsRecord, unknownField },
        judgeModel: config.DEFAULT_JUDGE_MODEL ?? judgeModelDefault,
      });
      const groups = createGroups({ ...parts, now: () => new Date() });
      return {
        routes: createRoutes({ domain, groups, describeEvaluators, describeJudgeTemplates }),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        stop: async () => {
          await codeSandbox.close();
          await schemaChecker.close();
        },
      };
    },
  });
}

/**
 * Accepts code that cannot be checked on this machine: scoring may run on another machine, and
 * reports the code's faults.
 * @throws SERVICE_UNAVAILABLE when more code waits for its check than may, or longer than it may,
 * the client goes while its code waits, or the machine is too busy.
 */
function createCodeCheck({
  codeSandbox,
  waitMaxMs,
  log,
}: {
  codeSandbox: Pick<CodeSandbox, 'availability' | 'check'>;
  waitMaxMs: number;
  log: Log;
}) {
  const inTurn = createOrganizationQueue({
    permits: 2,
    permitsEach: 1,
    waitingEach: codeWaitingMax,
    waitMaxMs,
  });
  return async (code: Code) => {
    try {
      return await inTurn(async () => {
        const { [code.language]: here } = await codeSandbox.availability();
        return here.available ? await codeSandbox.check(code) : [];
      });
    } catch (error) {
      if (error instanceof QueueFull)
        throw unavailable('Too much code of your organization is being checked at the moment.');
      if (error instanceof Failure) throw error;
      log.warn({ err: error }, 'code could not be checked');
      return [];
    }
  };
}
