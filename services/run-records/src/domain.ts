import type { Dependencies } from './domain/dependencies.ts';
import { createExpiry } from './domain/expiry/expiry.ts';
import { createKeptRuns } from './domain/expiry/kept-runs.ts';
import { createRunRetention } from './domain/expiry/run-retention.ts';
import { createExports } from './domain/export/export.ts';
import { createExportPart } from './domain/project-part/export-part.ts';
import { createMoveAuthor } from './domain/project-part/move-author.ts';
import { createRestorePart } from './domain/project-part/restore-part.ts';
import { createAnnotations } from './domain/records/annotations.ts';
import { createAssignees } from './domain/records/assignees.ts';
import { createBulk } from './domain/records/bulk.ts';
import { createKnownTestcases } from './domain/records/known-testcases.ts';
import { createLinkedRecords } from './domain/records/linked-records.ts';
import { createMentionList } from './domain/records/mentions.ts';
import { createNewRecords } from './domain/records/new-records.ts';
import { createRecordQuota } from './domain/records/record-quota.ts';
import { createRecordSearch } from './domain/records/record-search.ts';
import { createRecords } from './domain/records/records.ts';
import { createTags } from './domain/records/tags.ts';
import { createTracedRecords } from './domain/records/traced-records.ts';
import { createLabelDraws } from './domain/review/label-draws.ts';
import { createReviewLeases } from './domain/review/leases.ts';
import { createReviewProgress } from './domain/review/progress.ts';
import { createReviewQueue } from './domain/review/review-queue.ts';
import { createBudget } from './domain/runs/budget.ts';
import { createDeletion } from './domain/runs/deletion.ts';
import { createRunEvents } from './domain/runs/events.ts';
import { createFailures } from './domain/runs/failures.ts';
import { createNewestRun } from './domain/runs/newest-run.ts';
import { createPause } from './domain/runs/pause.ts';
import { createRequeue } from './domain/runs/requeue.ts';
import { createResultsInput } from './domain/runs/results-input.ts';
import { createResultsKeeping } from './domain/runs/results-keeping.ts';
import { createRunChanges } from './domain/runs/run-changes.ts';
import { createRunList } from './domain/runs/run-list.ts';
import { createRuns } from './domain/runs/runs.ts';
import { createTrends } from './domain/runs/trends.ts';
import { createBulkScores } from './domain/scores/bulk-scores.ts';
import { createRescoreEstimate } from './domain/scores/rescore-estimate.ts';
import { createRescoredMetrics } from './domain/scores/rescored-metrics.ts';
import { createRescoring } from './domain/scores/rescoring.ts';
import { createScoredMetrics } from './domain/scores/scored-metrics.ts';
import { createScores } from './domain/scores/scores.ts';
import { createScoringInput } from './domain/scores/scoring-input.ts';

export type Domain = ReturnType<typeof createDomain>;

/**
 * The rules of runs, records and scores (contract section 2, and of section 3 a run's accounts).
 */
export function createDomain(dependencies: Dependencies) {
  const runs = createRuns(dependencies);
  const requeue = createRequeue(dependencies);
  const ofRuns = { ...dependencies, runs, requeue };
  const budget = createBudget(ofRuns);
  const knownTestcases = createKnownTestcases(dependencies);
  const scoredMetrics = createScoredMetrics(dependencies);
  const quota = createRecordQuota(dependencies);
  const newRecords = createNewRecords({
    ...ofRuns,
    scoredMetrics,
    knownTestcases,
    quota,
  });
  const reviewQueue = createReviewQueue(dependencies);
  const records = createRecords({ ...ofRuns, newRecords });
  const deletion = createDeletion(dependencies);
  const keptRuns = createKeptRuns(dependencies);
  const runList = createRunList(ofRuns);
  const rescoredMetrics = createRescoredMetrics(ofRuns);
  return {
    runs,
    budget,
    quota,
    exportPart: createExportPart(ofRuns),
    authors: createMoveAuthor(dependencies),
    restorePart: createRestorePart({ ...dependencies, quota }),
    runList,
    trends: createTrends(ofRuns),
    newestRun: createNewestRun({ ...ofRuns, runList }),
    runChanges: createRunChanges({ ...ofRuns, budget }),
    pause: createPause(ofRuns),
    failures: createFailures(ofRuns),
    deletion,
    expiry: createExpiry({ ...dependencies, keptRuns, deletion }),
    runRetention: createRunRetention({ ...dependencies, keptRuns }),
    events: createRunEvents(ofRuns),
    records,
    linkedRecords: createLinkedRecords(dependencies),
    tracedRecords: createTracedRecords({ ...ofRuns, records }),
    recordSearch: createRecordSearch(ofRuns),
    bulk: createBulk({ ...ofRuns, newRecords }),
    tags: createTags(ofRuns),
    assignees: createAssignees(ofRuns),
    annotations: createAnnotations(ofRuns),
    mentions: createMentionList(dependencies),
    knownTestcases,
    scores: createScores({ ...ofRuns, budget, scoredMetrics }),
    bulkScores: createBulkScores({ ...ofRuns, scoredMetrics }),
    rescoring: createRescoring({ ...ofRuns, rescoredMetrics }),
    rescoreEstimate: createRescoreEstimate({ ...dependencies, rescoredMetrics }),
    scoringInput: createScoringInput({ ...ofRuns, budget }),
    reviewQueue,
    reviewLeases: createReviewLeases({ ...dependencies, reviewQueue }),
    labelDraws: createLabelDraws(ofRuns),
    reviewProgress: createReviewProgress({ ...dependencies, reviewQueue }),
    resultsInput: createResultsInput(dependencies),
    resultsKeeping: createResultsKeeping(dependencies),
    exports: createExports(ofRuns),
  };
}
