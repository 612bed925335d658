import type { Database } from '@assay/runtime/mongo/database';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import type { ScoreStates, ScoreValue } from '../domain/accounts/score-states.ts';
import type { PayloadStore, Payloads } from './payloads.ts';
import {
  type Envelope,
  type RecordDocument,
  recordBytes,
  type StoredAssignment,
} from './record.ts';
import type { StoredRun } from './runs.ts';

/**
 * Entries of `review.for` in place of a member's id: one for reviewers who see all records, one for
 * records without an assignee.
 */
const everyRecord = 'all';
const anyone = 'anyone';

export type ReviewScope = { projectId: string } | { runId: string };

/**
 * A member who gives scores: to the records that are assigned to this member, and maybe to those
 * that are assigned to nobody.
 */
export interface Reviewer {
  userId: string;
  seesUnassigned: boolean;
}

/** The projection to ScoreValue. */
export const scoreValues = {
  'scores.metricVersionId': 1,
  'scores.userId': 1,
  'scores.source': 1,
  'scores.value': 1,
  'scores.isPending': 1,
};

/** The fields of a record that a reviewer sees, and the values of its scores. */
export interface ReviewedRecord
  extends Pick<Envelope, 'id' | 'runId' | 'testcaseId' | 'awaited' | 'assignees'>,
    Payloads {
  scores: ScoreValue[];
}

/**
 * The `review` field of a record: who can see it in the review queue. Left out if no score of a
 * human metric is missing.
 */
export function reviewOf(
  { projectId, metrics }: Pick<StoredRun, 'projectId' | 'metrics'>,
  { awaited }: Pick<ScoreStates, 'awaited'>,
  assignees: StoredAssignment[],
): Pick<RecordDocument, 'review'> {
  const isMissing = metrics.some(
    ({ metricVersionId, evalType }) => evalType === 'human' && awaited.includes(metricVersionId),
  );
  return isMissing ? { review: { projectId, for: reviewersOf(assignees) } } : {};
}

/** Assignment decides who sees a record; one that is assigned to nobody is anyone's. */
export const reviewersOf = (assignees: StoredAssignment[]): string[] => [
  everyRecord,
  ...(assignees.length === 0 ? [anyone] : assignees.map(({ assigneeUserId }) => assigneeUserId)),
];

/** The records that people have scores to give, oldest first. */
export function createReviewStore({
  database,
  payloads,
}: {
  database: Database;
  payloads: PayloadStore;
}) {
  const records = database.collection<RecordDocument>('records');
  const runs = database.collection<
    Omit<StoredRun, 'id'> & { _id: string; organizationId: string; deletedAt?: Date }
  >('runs');

  /**
   * Excludes deleted runs in the query. If the caller skipped their records instead, it would read
   * page after page of them.
   */
  async function visibleIn(organizationId: string, projectId: string) {
    const hidden = await runs
      .find({ organizationId, projectId, deletedAt: { $exists: true } }, { projection: { _id: 1 } })
      .hint({ deletedAt: 1 })
      .toArray();
    return {
      'review.projectId': projectId,
      ...(hidden.length > 0 ? { runId: { $nin: hidden.map(({ _id }) => _id) } } : {}),
    };
  }

  return {
    /**
     * Lists the records of a project or of a run, from one id on: those that a reviewer can see and
     * has not scored, or all without a reviewer. A page of large records has fewer.
     */
    async list(
      organizationId: string,
      {
        within,
        reviewer,
        metricVersionIds,
        fromId,
        limit,
      }: {
        within: ReviewScope;
        reviewer: Reviewer | undefined;
        /** Only records that lack scores of these metric versions. */
        metricVersionIds: string[] | undefined;
        fromId: string | undefined;
        limit: number;
      },
    ): Promise<{ found: ReviewedRecord[]; hasMore: boolean }> {
      const scope =
        'runId' in within
          ? { runId: within.runId }
          : await visibleIn(organizationId, within.projectId);
      const place =
        'runId' in within ? ({ runId: 1 } as const) : ({ 'review.projectId': 1 } as const);
      const seen = {
        review: { $exists: true },
        'review.for': { $in: namesOf(reviewer) },
        ...(fromId ? { _id: { $gte: fromId } } : {}),
      };
      const lacking = reviewer || metricVersionIds ? lacksScores(reviewer, metricVersionIds) : {};
      const projection = {
        runId: 1,
        testcaseId: 1,
        awaited: 1,
        assignees: 1,
        kept: 1,
        ...scoreValues,
      };
      const cursor = records
        .find({ organizationId, ...scope, ...seen, ...lacking }, { projection })
        // Where much is missing at first, the database would rather read all records in the order
        // of their ids, and never leave it.
        .hint({ organizationId: 1, ...place, 'review.for': 1, _id: 1 })
        .sort({ _id: 1 })
        .limit(limit + 1);
      const { documents, hasMore } = await takeWithin(cursor, {
        itemsMax: limit,
        bytesOf: recordBytes,
      });
      const found = documents.map(
        ({ _id: id, runId, testcaseId, awaited, assignees, scores, kept }) => ({
          ...{ id, runId, testcaseId, awaited, assignees, scores },
          ...payloads.open(id, kept),
        }),
      );
      return { found, hasMore };
    },

    /** The versions of a human metric in a project's runs, or in one run. */
    async listMetricVersionIds(
      organizationId: string,
      within: ReviewScope,
      metricId: string,
    ): Promise<string[]> {
      const scope = 'runId' in within ? { _id: within.runId } : { projectId: within.projectId };
      const found = await runs
        .find(
          { organizationId, ...scope, 'metrics.metricId': metricId },
          { projection: { metrics: 1 } },
        )
        .toArray();
      const versions = found
        .flatMap(({ metrics }) => metrics)
        .filter((metric) => metric.metricId === metricId && metric.evalType === 'human');
      return [...new Set(versions.map(({ metricVersionId }) => metricVersionId))];
    },

    /** Yields the scores and judgements of some records with their reasons, as they are read. */
    async *listReasons(
      organizationId: string,
      runId: string,
      ids: string[],
    ): AsyncIterable<Pick<ScoreStates, 'scores' | 'judged'> & { id: string }> {
      const found = records.find(
        { _id: { $in: ids }, organizationId, runId },
        { projection: { scores: 1, judged: 1 } },
      );
      for await (const { _id: id, scores, judged } of found)
        yield { id, scores, ...(judged ? { judged } : {}) };
    },
  };
}

const namesOf = (reviewer: Reviewer | undefined): string[] =>
  reviewer ? [reviewer.userId, ...(reviewer.seesUnassigned ? [anyone] : [])] : [everyRecord];

/**
 * Asked of the database, so that a reviewer who has done much does not have it all read and thrown
 * away for each page.
 */
function lacksScores(reviewer: Reviewer | undefined, metricVersionIds: string[] | undefined) {
  const wanted = metricVersionIds
    ? { $setIntersection: ['$awaited', { $literal: metricVersionIds }] }
    : '$awaited';
  return { $expr: { $not: [{ $setIsSubset: [wanted, reviewer ? givenBy(reviewer) : []] }] } };
}

/** The metric versions that a member has scored. */
function givenBy({ userId }: Reviewer) {
  const isGiven = {
    $and: [{ $eq: ['$$score.userId', { $literal: userId }] }, { $ne: ['$$score.isPending', true] }],
  };
  return {
    $map: {
      input: { $filter: { input: '$scores', as: 'score', cond: isGiven } },
      as: 'score',
      in: '$$score.metricVersionId',
    },
  };
}
