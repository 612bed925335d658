import type { catalog } from '@assay/contracts/catalog';
import type { Asks } from '@assay/contracts/define';
import type { metrics } from '@assay/contracts/metrics';
import type { runRecords } from '@assay/contracts/run-records';
import type { PairwiseResults } from '@assay/contracts/scoring';
import type { UntilSuspended } from '@assay/runtime/concurrency/until-suspended';
import type { ServiceClient } from '@assay/runtime/http/client';
import type { OrganizationLimit } from '@assay/runtime/organization-limits';
import type { Judges } from '../judges.ts';
import type { Store } from '../store.ts';
import type { Evaluate } from './evaluation.ts';
import type { Judge, RenderQuestion } from './judging.ts';
import type { AnsweredPairs } from './pairwise/statistics.ts';

/** The dependencies of the rules for scoring. */
export interface Dependencies {
  store: Store;
  ask: { catalog: Asks<typeof catalog>; metrics: Asks<typeof metrics> };
  /** The records with their payloads, over HTTP; and where the scores go. */
  runRecords: Pick<
    ServiceClient<typeof runRecords>,
    'readForScoring' | 'readForPreview' | 'readForTrial' | 'acceptJudgements'
  >;
  /** The runs and records that are compared pair by pair. */
  comparedRuns: Pick<
    ServiceClient<typeof runRecords>,
    'readRuns' | 'readRecords' | 'streamRatings'
  >;
  evaluate: Evaluate;
  judge: Judge;
  renderQuestion: RenderQuestion;
  judges: Pick<Judges, 'describe' | 'catalogue' | 'nameOf' | 'retry' | 'priceOf' | 'priceOfSpan'>;
  defaultModel: string;
  /** Calls at once for each model. */
  judgeConcurrency: number;
  /** The daily limit for the cost of an organization's judges, in US dollars. */
  judgeBudgetUsdPerDay: OrganizationLimit;
  /** Ends judgements of an organization that is suspended: their scores stay pending. */
  untilSuspended: UntilSuspended;
  /**
   * Publishes the jobs of a pairwise comparison. Losing it costs time, never a judgement: the sweep
   * publishes again.
   */
  queuePairs: (organizationId: string, comparisonId: string, retriedAt?: Date) => void;
  /** Computes the results of a pairwise comparison off the event loop. */
  describePairs: (pairs: AnsweredPairs) => Promise<PairwiseResults>;
  /** Runs work that reads whole runs; organizations take turns. */
  inPlanTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  /** Aborted when the client of the request that is under way disconnects; undefined for jobs. */
  clientSignal: () => AbortSignal | undefined;
  newId: () => string;
  now: () => Date;
}
