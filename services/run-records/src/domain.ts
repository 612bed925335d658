import { createAnnotations } from './domain/annotations.ts';
import { createBulk } from './domain/bulk.ts';
import { createComparisons } from './domain/comparison.ts';
import { createDeletion } from './domain/deletion.ts';
import type { Dependencies } from './domain/dependencies.ts';
import { createRunEvents } from './domain/events.ts';
import { createExports } from './domain/export.ts';
import { createNewRecords } from './domain/new-records.ts';
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
export function createDomain(parts: Dependencies) {
  const runs = createRuns(parts);
  const knownTestcases = createTestcaseKnowledge(parts);
  const newRecords = createNewRecords({ ...parts, runs, knownTestcases, quota: createRecordQuota(parts) });
  const rescoring = createRescoring({ ...parts, runs });
  const summaries = createSummaries({ ...parts, runs });
  const comparisons = createComparisons(parts);
  const reliability = createReliability(parts);
  const inTurn =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      parts.inTurn(() => work(...given));
  return {
    runs,
    events: createRunEvents({ ...parts, runs }),
    knownTestcases,
    records: createRecords({ ...parts, runs, newRecords }),
    scores: createScores({ ...parts, runs }),
    rescoring,
    scoringInput: createScoringInput({ ...parts, runs, rescoring }),
    summaries: { summary: inTurn(summaries.summary) },
    comparisons: { compare: inTurn(comparisons.compare), flips: inTurn(comparisons.flips) },
    tagging: createTagging({ ...parts, runs }),
    annotations: createAnnotations({ ...parts, runs }),
    review: createReview(parts),
    reliability: { get: inTurn(reliability.get) },
    bulk: createBulk({ ...parts, runs, newRecords }),
    deletion: createDeletion(parts),
    exports: createExports({ ...parts, runs }),
  };
}
