import { createCodeSandbox } from '@assay/code-sandbox/sandbox';
import { catalog } from '@assay/contracts/catalog';
import { unavailable } from '@assay/contracts/failure';
import { identity } from '@assay/contracts/identity';
import { metrics } from '@assay/contracts/metrics';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { createSchemaChecker } from '@assay/json-schema/schema';
import {
  createOrganizationQueue,
  organizationContext,
} from '@assay/runtime/concurrency/organization-context';
import { createUntilSuspended } from '@assay/runtime/concurrency/until-suspended';
import { createWorkers } from '@assay/runtime/concurrency/workers';
import { type ServiceConfig, serviceConfig, serviceUrls } from '@assay/runtime/config';
import { createServiceClient } from '@assay/runtime/http/client';
import { newId } from '@assay/runtime/ids';
import type { Log } from '@assay/runtime/log';
import { createPurge } from '@assay/runtime/mongo/purge';
import { createOrganizationLimits } from '@assay/runtime/organization-limits';
import { createOrganizationSuspensions } from '@assay/runtime/organization-suspensions';
import { type RunningService, startService } from '@assay/runtime/service';
import { z } from 'zod';
import { createAnswers, createSubscriptions, workOnJobs } from './bus.ts';
import { type ScoringSettings, scoringSettings } from './config.ts';
import { createEvaluate, groupDeadlineMs } from './domain/evaluation.ts';
import { createAnswerCache } from './domain/judging/answer-cache.ts';
import { createRender, promptDeadlineMs } from './domain/judging/rendering.ts';
import { createJudging } from './domain/judging.ts';
import { createRounding, roundingDeadlineMs } from './domain/rounded-numbers.ts';
import { createRunawayCode } from './domain/runaway-code.ts';
import { createDomain } from './domain.ts';
import { createJudges, type OutageListener } from './judges.ts';
import { migrations } from './migrations.ts';
import { createPairwiseJobs } from './pairwise-jobs.ts';
import { createRoutes } from './routes.ts';
import { createStore, type Store } from './store.ts';

const sweepDefaults = { everyMs: 5_000, afterMs: 15_000 };

export const scoringConfig = {
  ...serviceConfig,
  /** Base URLs of the processes of run-records, separated by commas. */
  RUN_RECORDS_URL: serviceUrls,
  /** How often pairwise comparisons whose jobs were lost are looked for. */
  SWEEP_INTERVAL_MS: z.coerce.number().int().min(50).default(sweepDefaults.everyMs),
  /** How long a pairwise comparison waits before its jobs count as lost. */
  SWEEP_AFTER_MS: z.coerce.number().int().min(50).default(sweepDefaults.afterMs),
  ...scoringSettings,
};

export type ScoringConfig = ServiceConfig &
  ScoringSettings & {
    RUN_RECORDS_URL: string;
    SWEEP_INTERVAL_MS?: number;
    SWEEP_AFTER_MS?: number;
  };

/** Makes the scores of metrics that the service evaluates. */
export function start(config: ScoringConfig, log?: Log): Promise<RunningService> {
  return startService({
    contract: scoring,
    config,
    migrations,
    ownerships: {
      judgements: 'organizationId',
      spending: 'organizationId',
      answers: 'organizationId',
      deleted_projects: 'organizationId',
      pairwise_comparisons: 'organizationId',
      pair_judgements: 'organizationId',
      projectLanes: 'organizationId',
      // Of the installation: models that do not answer, and calls that may be under way.
      outages: 'nobody',
      modelPermits: 'nobody',
    },
    log,
    compose: ({ database, bus, keys, streams, metrics: measured, log }) => {
      const settings = { ...z.object(scoringSettings).parse({}), ...config };
      const client = createServiceClient({
        contract: runRecords,
        urls: config.RUN_RECORDS_URL,
        keys,
      });
      const schemaChecker = createSchemaChecker();
      const evaluators = createWorkers({
        module: import.meta.url,
        name: './evaluation-worker',
        threads: 3,
        timeoutMs: groupDeadlineMs,
        heapMiBMax: 512,
      });
      const rendering = createWorkers({
        module: import.meta.url,
        name: './rendering-worker',
        timeoutMs: promptDeadlineMs,
        heapMiBMax: 512,
      });
      const rounding = createWorkers({
        module: import.meta.url,
        name: './rounding-worker',
        timeoutMs: roundingDeadlineMs,
        heapMiBMax: 512,
      });
      const codeSandbox = createCodeSandbox({
        timeoutMs: settings.CODE_TIMEOUT_MS,
        memoryBytesMax: settings.CODE_MEMORY_MIB * 1024 * 1024,
        children: settings.CODE_CONCURRENCY,
        bubblewrapPath: settings.BUBBLEWRAP_PATH,
        withoutWall: settings.CODE_WITHOUT_WALL,
        log: (sentence) => log.warn(sentence),
      });
      const inSandboxTurn = createOrganizationQueue({
        permits: settings.CODE_CONCURRENCY + 1,
        permitsEach: settings.CODE_CONCURRENCY,
      });
      const isSuspended = createOrganizationSuspensions({ bus, keeper: identity });
      const store = createStore(database, {
        sweepAfterMs: config.SWEEP_AFTER_MS ?? sweepDefaults.afterMs,
      });
      const judges = createJudges({
        config: settings,
        log,
        permits: store.permits,
        metrics: measured,
        outages: keptOutages(store, log),
      });
      const pairwiseJobs = createPairwiseJobs({
        streams,
        store,
        isSuspended,
        log,
        sweepEveryMs: config.SWEEP_INTERVAL_MS ?? sweepDefaults.everyMs,
      });
      const pairwise = createWorkers({
        module: import.meta.url,
        name: './pairwise-worker',
        timeoutMs: 120_000,
        heapMiBMax: 2048,
      });
      const stopping = new AbortController();
      const now = () => new Date();
      const cachedAnswers = measured.counter(
        'assay_cached_answers_total',
        'Answers of judges that came from the cache.',
      );
      const answerCache = createAnswerCache({
        store: store.answers,
        addressOf: judges.addressOf,
        days: settings.JUDGE_CACHE_DAYS,
        onCachedAnswers: (count) => cachedAnswers.inc(count),
        onAway: (error) => log.warn({ err: error }, 'the answer cache fails, and judges are asked'),
        now,
      });
      const limitOf = createOrganizationLimits({ bus, keeper: identity });
      const domain = createDomain({
        store,
        ask: bus.asks(catalog, metrics),
        runRecords: client,
        comparedRuns: client,
        evaluate: createEvaluate({
          inWorker: evaluators.attempt,
          schemaChecker,
          codeSandbox,
          inSandboxTurn: (work) =>
            inSandboxTurn(() => {
              if (stopping.signal.aborted) throw unavailable('The service is stopping: try again.');
              return work();
            }),
          runawayCode: createRunawayCode(now),
          findRounded: createRounding({ inWorker: rounding.attempt }),
        }),
        ...createJudging({
          judges,
          render: createRender({ inWorker: rendering.attempt }),
          answerCache,
        }),
        judges,
        defaultModel: settings.DEFAULT_JUDGE_MODEL,
        judgeConcurrency: settings.JUDGE_CONCURRENCY,
        judgeBudgetUsdPerDay: limitOf('judgeBudgetUsdPerDay', settings.JUDGE_BUDGET_USD_PER_DAY),
        untilSuspended: createUntilSuspended(isSuspended),
        queuePairs: pairwiseJobs.queue,
        describePairs: pairwise.run,
        inPlanTurn: createOrganizationQueue({ permits: 2, permitsEach: 1 }),
        signal: stopping.signal,
        clientSignal: () => organizationContext()?.signal,
        newId,
        now,
      });
      const purge = createPurge({
        database,
        collection: 'deleted_projects',
        deleteAll: domain.deletion.deleteAll,
        now,
        log,
      });
      return {
        routes: createRoutes(domain),
        answers: createAnswers(domain),
        subscriptions: createSubscriptions(domain),
        started: () => {
          workOnJobs({ streams, domain, isSuspended, concurrency: settings.SCORING_CONCURRENCY });
          purge.start();
          pairwiseJobs.start();
        },
        stopping: () => {
          stopping.abort();
          judges.close();
        },
        stop: async () => {
          await purge.stop();
          await pairwiseJobs.stop();
          await pairwise.close();
          await client.close();
          await evaluators.close();
          await rounding.close();
          await rendering.close();
          await codeSandbox.close();
          await schemaChecker.close();
        },
      };
    },
  });
}

/** Outages are told from the database, so that every process tells those of the others. */
function keptOutages({ outages }: Store, log: Log): OutageListener {
  let written = Promise.resolve();
  // One after the other: an end must not come before its beginning.
  const write = (work: () => Promise<void>) => {
    written = written
      .then(work)
      .catch((error) => log.warn({ err: error }, 'an outage of a judge was not stored'));
  };
  return {
    began: (model, outage) => write(() => outages.keep({ model, ...outage })),
    ended: (model) => write(() => outages.end(model)),
  };
}
