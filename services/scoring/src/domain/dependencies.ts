import type { Asks } from '@assay/contracts/define';
import type { metrics } from '@assay/contracts/metrics';
import type { runRecords } from '@assay/contracts/run-records';
import type { ServiceClient } from '@assay/runtime/http/client';
import type { Judges } from '../judges.ts';
import type { Store } from '../store.ts';
import type { Evaluate } from './evaluation.ts';
import type { Judge, RenderQuestion } from './judging.ts';

/** The dependencies of the rules for scoring. */
export interface Dependencies {
  store: Store;
  ask: { metrics: Asks<typeof metrics> };
  /** The records with their payloads, over HTTP; and where the scores go. */
  runRecords: Pick<
    ServiceClient<typeof runRecords>,
    'readForScoring' | 'readForPreview' | 'readForTrial' | 'acceptJudgements'
  >;
  evaluate: Evaluate;
  judge: Judge;
  renderQuestion: RenderQuestion;
  judges: Pick<Judges, 'describe' | 'catalogue' | 'retry'>;
  defaultModel: string;
  /** Calls at once for each model. */
  judgeConcurrency: number;
  /**
   * The daily limit for the cost of each organization's judges, in US dollars. Undefined: no limit.
   */
  judgeBudgetUsdPerDay: number | undefined;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  /** Aborted when the client of the request that is under way disconnects; undefined for jobs. */
  clientSignal: () => AbortSignal | undefined;
  newId: () => string;
  now: () => Date;
}
