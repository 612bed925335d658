import type { Database } from '@assay/runtime/mongo/database';
import { createFirstAnswers } from '@assay/runtime/mongo/first-answers';
import { createAnnotationStore } from './store/annotations.ts';
import { createAssignmentStore } from './store/assignments.ts';
import { createAuthorMoveStore } from './store/author-moves.ts';
import { createCoverageStore } from './store/coverage.ts';
import { createExpiryStore } from './store/expiry.ts';
import { createExportStore } from './store/export.ts';
import { createJudgingStore } from './store/judging.ts';
import { createLabelDrawStore } from './store/label-draws.ts';
import { createLeaseStore } from './store/leases.ts';
import { createLinkedRecordStore } from './store/linked-records.ts';
import { createOverdueRecords } from './store/overdue.ts';
import { createPayloadStore } from './store/payloads.ts';
import { createPartStore } from './store/project-part.ts';
import { createSweepTimes, type RecordDocument } from './store/record.ts';
import type { AnnounceLinks } from './store/record-creation.ts';
import { createRecordSearch } from './store/record-search.ts';
import { createRecordStore } from './store/records.ts';
import { createReviewStore } from './store/review.ts';
import { createRunMeans } from './store/run-means.ts';
import { createRunNames } from './store/run-names.ts';
import { createRunResultsStore } from './store/run-results.ts';
import { createRunStore } from './store/runs.ts';
import { createValueStore } from './store/values.ts';

export type Store = ReturnType<typeof createStore>;

/**
 * The collections of runs and records. A function that takes an organization finds only its
 * documents.
 */
export function createStore(
  database: Database,
  {
    sweepAfterMs,
    announceLinks,
  }: {
    sweepAfterMs: number;
    /** Tells the link ids of new records, in the transaction that stores these. */
    announceLinks: AnnounceLinks;
  },
) {
  const runs = createRunStore(database);
  const payloads = createPayloadStore(database);
  return {
    transaction: database.transaction,
    runs,
    payloads,
    records: createRecordStore({ database, runs, payloads, sweepAfterMs, announceLinks }),
    linkedRecords: createLinkedRecordStore(database),
    coverage: createCoverageStore(database),
    recordSearch: createRecordSearch({
      records: database.collection<RecordDocument>('records'),
      payloads,
    }),
    values: createValueStore({ database, payloads }),
    review: createReviewStore({ database, payloads }),
    assignments: createAssignmentStore(database),
    runResults: createRunResultsStore(database),
    runMeans: createRunMeans(database),
    runNames: createRunNames(database),
    overdue: createOverdueRecords(database, { sweepAfterMs }),
    judging: createJudgingStore({ database, sweepAfterMs }),
    leases: createLeaseStore(database),
    labelDraws: createLabelDrawStore(database),
    annotations: createAnnotationStore(database),
    expiry: createExpiryStore(database),
    // For processes of results before 0.3.0, which have no database.
    answers: createFirstAnswers(database),
    exports: createExportStore({ database, payloads }),
    authorMoves: createAuthorMoveStore(database),
    parts: createPartStore({ database, runs, payloads, sweepOf: createSweepTimes(sweepAfterMs) }),
  };
}
