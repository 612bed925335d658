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
  'scores.isOutside': 1,
  'scores.isNotApplicable': 1,
};

/** The scores of a record that are missing, and the values of those that are there. */
export interface ReviewOutline
  extends Pick<Envelope, 'id' | 'runId' | 'testcaseId' | 'awaited' | 'assignees'> {
  scores: ScoreValue[];
}

/** The fields of a record that a reviewer sees, and the values of its scores. */
export type ReviewedRecord = ReviewOutline & Payloads;

const outline = { runId: 1, testcaseId: 1, awaited: 1, assignees: 1, ...scoreValues } as const;
const reviewed = { ...outline, kept: 1 } as const;

/** Which records are in the review queue of a reviewer; of all reviewers without one. */
export interface ReviewFilter {
  within: ReviewScope;
  reviewer: Reviewer | undefined;
  /** Only records that lack scores of these metric versions. */
  metricVersionIds: string[] | undefined;
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

  /** The records that a reviewer can see and has not scored, and the index that finds them. */
  async function queueOf(
    organizationId: string,
    { within, reviewer, metricVersionIds }: ReviewFilter,
    ids: { $gte?: string; $gt?: string; $lte?: string; $nin?: string[] },
  ) {
    const scope =
      'runId' in within
        ? { runId: within.runId }
        : await visibleIn(organizationId, within.projectId);
    const place =
      'runId' in within ? ({ runId: 1 } as const) : ({ 'review.projectId': 1 } as const);
    const lacking = reviewer || metricVersionIds ? lacksScores(reviewer, metricVersionIds) : {};
    return {
      filter: {
        organizationId,
        ...scope,
        review: { $exists: true },
        'review.for': { $in: namesOf(reviewer) },
        ...(Object.keys(ids).length > 0 ? { _id: ids } : {}),
        ...lacking,
      },
      // Where much is missing at first, the database would rather read all records in the order
      // of their ids, and never leave it.
      hint: { organizationId: 1, ...place, 'review.for': 1, _id: 1 } as const,
    };
  }

  const toReviewed = ({ kept, ...document }: RecordDocument): ReviewedRecord => ({
    ...toOutline(document),
    ...payloads.open(document._id, kept),
  });

  return {
    /**
     * Lists the records of a project or of a run, from one id on: those that a reviewer can see and
     * has not scored, or all without a reviewer. A page of large records has fewer.
     */
    async list(
      organizationId: string,
      { fromId, limit, ...queue }: ReviewFilter & { fromId: string | undefined; limit: number },
    ): Promise<{ found: ReviewedRecord[]; hasMore: boolean }> {
      const { filter, hint } = await queueOf(organizationId, queue, fromId ? { $gte: fromId } : {});
      const cursor = records
        .find(filter, { projection: reviewed })
        .hint(hint)
        .sort({ _id: 1 })
        .limit(limit + 1);
      const { documents, hasMore } = await takeWithin(cursor, {
        itemsMax: limit,
        bytesOf: recordBytes,
      });
      return { found: documents.map(toReviewed), hasMore };
    },
    /** Lists the same without payloads, from after one id up to another, without some. */
    async listOutlines(
      organizationId: string,
      {
        after,
        through,
        excludedIds,
        limit,
        ...queue
      }: ReviewFilter & {
        after: string | undefined;
        through: string | undefined;
        excludedIds: string[];
        limit: number;
      },
    ): Promise<ReviewOutline[]> {
      const { filter, hint } = await queueOf(organizationId, queue, {
        ...(after === undefined ? {} : { $gt: after }),
        ...(through === undefined ? {} : { $lte: through }),
        ...(excludedIds.length === 0 ? {} : { $nin: excludedIds }),
      });
      const found = await records
        .find(filter, { projection: outline })
        .hint(hint)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(toOutline);
    },
    /** Finds a record of which scores of people are missing. */
    async find(organizationId: string, id: string): Promise<ReviewedRecord | undefined> {
      const document = await records.findOne(
        { _id: id, organizationId, review: { $exists: true } },
        { projection: reviewed },
      );
      return document ? toReviewed(document) : undefined;
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

    /** Lists the newest runs of a project that have human metrics, or one run that has. */
    async listRuns(
      organizationId: string,
      within: ReviewScope,
      limit: number,
    ): Promise<Pick<StoredRun, 'id' | 'metrics'>[]> {
      const found = runs
        .find(
          {
            organizationId,
            ...('runId' in within ? { _id: within.runId } : { projectId: within.projectId }),
            'metrics.evalType': 'human',
            deletedAt: { $exists: false },
          },
          { projection: { metrics: 1 } },
        )
        .hint('runId' in within ? { _id: 1 } : { organizationId: 1, projectId: 1, _id: -1 })
        .sort({ _id: -1 })
        .limit(limit);
      return (await found.toArray()).map(({ _id: id, metrics }) => ({ id, metrics }));
    },
    /**
     * Counts the scores of these metric versions that are missing in some runs, or those that a
     * reviewer can give, in up to `recordsMax` records.
     */
    async countMissing(
      organizationId: string,
      {
        runIds,
        metricVersionIds,
        reviewer,
        recordsMax,
      }: {
        runIds: string[];
        metricVersionIds: string[];
        reviewer: Reviewer | undefined;
        recordsMax: number;
      },
    ): Promise<number> {
      const [sum] = await records
        .aggregate<{ count: number }>(
          [
            {
              $match: {
                organizationId,
                runId: { $in: runIds },
                review: { $exists: true },
                'review.for': { $in: namesOf(reviewer) },
                ...lacksScores(reviewer, metricVersionIds),
              },
            },
            { $limit: recordsMax },
            {
              $group: {
                _id: null,
                count: {
                  $sum: {
                    $size: {
                      $setDifference: [
                        { $setIntersection: ['$awaited', { $literal: metricVersionIds }] },
                        reviewer ? givenBy(reviewer) : [],
                      ],
                    },
                  },
                },
              },
            },
          ],
          { hint: { organizationId: 1, runId: 1, 'review.for': 1, _id: 1 } },
        )
        .toArray();
      return sum?.count ?? 0;
    },
    /**
     * Counts the scores of these metric versions that members have given in some runs, in up to
     * `recordsMax` records; the member with the most is first.
     */
    async countGiven(
      organizationId: string,
      {
        runIds,
        metricVersionIds,
        recordsMax,
      }: { runIds: string[]; metricVersionIds: string[]; recordsMax: number },
    ): Promise<{ userId: string; given: number }[]> {
      const isGiven = {
        $and: [
          { $in: ['$$score.metricVersionId', { $literal: metricVersionIds }] },
          { $ne: ['$$score.isPending', true] },
        ],
      };
      const found = await records
        .aggregate<{ _id: string; given: number }>(
          [
            { $match: { organizationId, runId: { $in: runIds }, 'scores.source': 'human' } },
            { $limit: recordsMax },
            { $project: { score: { $filter: { input: '$scores', as: 'score', cond: isGiven } } } },
            { $unwind: '$score' },
            { $group: { _id: '$score.userId', given: { $sum: 1 } } },
            { $sort: { given: -1, _id: 1 } },
          ],
          { hint: { organizationId: 1, runId: 1, 'scores.source': 1 } },
        )
        .toArray();
      return found.map(({ _id: userId, given }) => ({ userId, given }));
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

const toOutline = ({
  _id: id,
  runId,
  testcaseId,
  awaited,
  assignees,
  scores,
}: Omit<RecordDocument, 'kept'>): ReviewOutline => ({
  id,
  runId,
  testcaseId,
  awaited,
  assignees,
  scores,
});

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
