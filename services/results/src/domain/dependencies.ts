import type { catalog } from '@assay/contracts/catalog';
import type { Asks } from '@assay/contracts/define';
import type { metrics } from '@assay/contracts/metrics';
import type { runRecords } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { testcases } from '@assay/contracts/testcases';
import type { ServiceClient } from '@assay/runtime/http/client';
import type { Store } from '../store.ts';
import type { PairsLook, PairsSoFar } from './comparison/look-statistics.ts';
import type { MetricPairs, PairStatistics } from './comparison/pairs.ts';
import type { JudgeAgreement, LabelledScores } from './judge-agreement.ts';
import type { MetricStatistics, MetricValues } from './metric-statistics.ts';

/** The dependencies of the rules for results. */
export interface Dependencies {
  store: Store;
  /** Of the program: another one may compute otherwise. */
  revision: string;
  ask: {
    catalog: Asks<typeof catalog>;
    metrics: Asks<typeof metrics>;
    scoring: Asks<typeof scoring>;
    testcases: Asks<typeof testcases>;
  };
  /** The runs, and their scores as streams, over HTTP. */
  runRecords: ServiceClient<typeof runRecords>;
  /** Runs work that reads a whole run; organizations take turns. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Summarizes values off the event loop. */
  summarize: (values: MetricValues) => Promise<MetricStatistics>;
  /** Compares the pairs of one metric off the event loop. */
  compare: (pairs: MetricPairs) => Promise<PairStatistics>;
  /** Measures a judge beside people off the event loop. */
  measure: (scores: LabelledScores) => Promise<JudgeAgreement>;
  /** Looks at the pairs of one metric so far, off the event loop. */
  look: (pairs: PairsSoFar) => Promise<PairsLook>;
}
