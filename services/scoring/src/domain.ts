import type { Asks } from '@assay/contracts/define';
import type { metrics } from '@assay/contracts/metrics';
import type { runRecords } from '@assay/contracts/run-records';
import type { ServiceClient } from '@assay/runtime/http-client';
import { createDailyBudget } from './domain/daily-budget.ts';
import type { Evaluate } from './domain/evaluation.ts';
import type { Judge } from './domain/judging.ts';
import { createKnownVersions } from './domain/known-versions.ts';
import { createPreviews } from './domain/preview.ts';
import { createRecordScoring } from './domain/record-scoring.ts';
import type { Judges } from './judges.ts';
import type { Store } from './store.ts';

export interface Dependencies {
  store: Store;
  ask: { metrics: Asks<typeof metrics> };
  /** The records with their payloads, over HTTP; and where the scores go. */
  runRecords: Pick<ServiceClient<typeof runRecords>, 'readForScoring' | 'readForPreview' | 'acceptJudgements'>;
  evaluate: Evaluate;
  judge: Judge;
  judges: Pick<Judges, 'describe' | 'catalogue' | 'retry'>;
  defaultModel: string;
  /** Calls at once for each model. */
  judgeConcurrency: number;
  /** The daily limit for the cost of each organization's judges, in US dollars. Undefined: no limit. */
  judgeBudgetUsdPerDay: number | undefined;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  /** Aborted when the client of the request that is under way disconnects; undefined for jobs. */
  clientSignal: () => AbortSignal | undefined;
  newId: () => string;
  now: () => Date;
}

export type Domain = ReturnType<typeof createDomain>;

/** How scores are made, by jobs and in previews (contract section 3). */
export function createDomain(parts: Dependencies) {
  const { judges, defaultModel } = parts;
  const dailyBudget = createDailyBudget(parts);
  const within = { ...parts, judge: dailyBudget.judge };
  return {
    recordScoring: createRecordScoring({ ...within, knownVersions: createKnownVersions(parts.ask) }),
    previews: createPreviews({ ...within, dailyBudget }),
    judges: {
      describe: judges.describe,
      list: () => ({ defaultModel, data: judges.catalogue() }),
    },
  };
}
