import type { catalog } from '@assay/contracts/catalog';
import type { Announcements, Asks } from '@assay/contracts/define';
import type { identity } from '@assay/contracts/identity';
import type { metrics } from '@assay/contracts/metrics';
import type { runRecords } from '@assay/contracts/run-records';
import type { systems } from '@assay/contracts/systems';
import type { testcases } from '@assay/contracts/testcases';
import { createAnnotations } from './domain/annotations.ts';
import { createRecords } from './domain/records.ts';
import { createRescoring } from './domain/rescoring.ts';
import { createRuns } from './domain/runs.ts';
import { createScores } from './domain/scores.ts';
import { createSummaries } from './domain/summary.ts';
import { createTagging } from './domain/tagging.ts';
import { createTestcaseKnowledge } from './domain/testcase-knowledge.ts';
import type { Store } from './store.ts';

/** What the rules of runs and records are given. */
export interface Parts {
  store: Store;
  ask: {
    catalog: Asks<typeof catalog>;
    identity: Asks<typeof identity>;
    testcases: Asks<typeof testcases>;
    systems: Asks<typeof systems>;
    metrics: Asks<typeof metrics>;
  };
  announce: Announcements<typeof runRecords>;
  /** Tells the scoring service which records of a run have something pending. Losing it costs time, never a score: the sweep publishes again. */
  queueScoring: (organizationId: string, runId: string, recordIds: string[]) => void;
  /** Summarizes values off the event loop. */
  summarize: Parameters<typeof createSummaries>[0]['summarize'];
  newId: () => string;
  now: () => Date;
}

export type Domain = ReturnType<typeof createDomain>;

/** The rules of runs, records and scores (contract section 2, and of section 3 a run's accounts and summary). */
export function createDomain(parts: Parts) {
  const runs = createRuns(parts);
  const knownTestcases = createTestcaseKnowledge(parts);
  return {
    runs,
    knownTestcases,
    records: createRecords({ ...parts, runs, knownTestcases }),
    scores: createScores({ ...parts, runs }),
    rescoring: createRescoring({ ...parts, runs }),
    summaries: createSummaries({ ...parts, runs }),
    tagging: createTagging({ ...parts, runs }),
    annotations: createAnnotations({ ...parts, runs }),
  };
}
