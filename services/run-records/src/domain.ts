import { createAnnotations } from './domain/annotations.ts';
import { createBulk } from './domain/bulk.ts';
import { createComparisons } from './domain/comparison.ts';
import { createDeletion } from './domain/deletion.ts';
import { createRunEvents } from './domain/events.ts';
import { createExports } from './domain/export.ts';
import { createNewRecords } from './domain/new-records.ts';
import type { Parts } from './domain/parts.ts';
import { createRecordQuota } from './domain/record-quota.ts';
import { createRecords } from './domain/records.ts';
import { createReliability } from './domain/reliability.ts';
import { createRescoring } from './domain/rescoring.ts';
import { createReview } from './domain/review.ts';
import { createRuns } from './domain/runs.ts';
import { createScores } from './domain/scores.ts';
import { createScoringInput } from './domain/scoring-input.ts';
import { createSummaries } from './domain/summary.ts';
import { createTagging } from './domain/tagging.ts';
import { createTestcaseKnowledge } from './domain/testcase-knowledge.ts';

export type Domain = ReturnType<typeof createDomain>;

/** The rules of runs, records and scores (contract section 2, and of section 3 a run's accounts and summary). */
export function createDomain(parts: Parts) {
  const runs = createRuns(parts);
  const knownTestcases = createTestcaseKnowledge(parts);
  const newRecords = createNewRecords({ ...parts, runs, knownTestcases, quota: createRecordQuota(parts) });
  const rescoring = createRescoring({ ...parts, runs });
  return {
    runs,
    events: createRunEvents({ ...parts, runs }),
    knownTestcases,
    records: createRecords({ ...parts, runs, newRecords }),
    scores: createScores({ ...parts, runs }),
    rescoring,
    scoringInput: createScoringInput({ ...parts, runs, rescoring }),
    summaries: createSummaries({ ...parts, runs }),
    comparisons: createComparisons(parts),
    tagging: createTagging({ ...parts, runs }),
    annotations: createAnnotations({ ...parts, runs }),
    review: createReview(parts),
    reliability: createReliability(parts),
    bulk: createBulk({ ...parts, runs, newRecords }),
    deletion: createDeletion(parts),
    exports: createExports({ ...parts, runs }),
  };
}
