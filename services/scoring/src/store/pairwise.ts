import type { Page, PageRequest } from '@assay/contracts/page';
import type { PairOutcome, PairwiseResults } from '@assay/contracts/scoring';
import { isThere } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import type { Order, StoredAnswer } from '../domain/pairwise/answers.ts';

/** A pairwise comparison, and the counts of its judgements. */
export interface StoredComparison {
  id: string;
  projectId: string;
  metricId: string;
  metricVersionId: string;
  model: string;
  /** Whether the price of the model was known. */
  hasPrice: boolean;
  runIds: string[];
  testcases: number;
  /** Testcases whose records are of different inputs or another expected. */
  differing: number;
  createdAt: Date;
  createdByUserId: string;
  budgetNanoUsd: number | null;
  expected: number;
  judged: number;
  failed: number;
  spentNanoUsd: number;
  /** Counts the retries, so that results of an earlier state are not kept. */
  round: number;
  /** Null until somebody asked for them after the last judgement. */
  results: PairwiseResults | null;
}

export interface StoredJudgement {
  id: string;
  comparisonId: string;
  testcaseId: string;
  /** The places of the baseline and the candidate among the comparison's runs, and their records. */
  runs: [number, number];
  recordIds: [string, string];
  state: 'pending' | 'judged' | 'failed';
  outcome: PairOutcome | null;
  forward: StoredAnswer | null;
  backward: StoredAnswer | null;
}

type DocumentOf<Value> = Omit<Value, 'id'> & { _id: string; organizationId: string };
export type ComparisonDocument = DocumentOf<StoredComparison> & {
  /** When jobs of it count as lost; left out when nothing is pending. */
  sweepAt?: Date;
  /** Of a project that is being imported. */
  isArriving?: true;
};
export type JudgementDocument = DocumentOf<StoredJudgement>;

/** Judgements that are written in one command. */
const insertMax = 1000;

/**
 * The collections of pairwise comparisons and their judgements, which are the truth about the
 * open questions. Documents of other organizations are never found.
 */
export function createPairwiseStore(
  database: Database,
  { sweepAfterMs }: { sweepAfterMs: number },
) {
  const projectLock = createProjectLock(database);
  const comparisons = database.collection<ComparisonDocument>('pairwise_comparisons');
  const judgements = database.collection<JudgementDocument>('pair_judgements');
  const sweepTime = () => new Date(Date.now() + sweepAfterMs);

  /** Returns false if there is no such comparison. */
  const deleteComparison = (organizationId: string, id: string): Promise<boolean> =>
    database.transaction(async () => {
      const { deletedCount } = await comparisons.deleteOne({ _id: id, organizationId });
      await judgements.deleteMany({ organizationId, comparisonId: id });
      return deletedCount === 1;
    });

  return {
    /** Returns false if the project is deleted. */
    create(
      organizationId: string,
      { id, ...comparison }: StoredComparison,
      pairs: StoredJudgement[],
    ): Promise<boolean> {
      return database.transaction(async () => {
        if (!(await projectLock.enter(organizationId, comparison.projectId, id))) return false;
        await comparisons.insertOne({
          _id: id,
          organizationId,
          ...comparison,
          sweepAt: sweepTime(),
        });
        for (let from = 0; from < pairs.length; from += insertMax)
          await judgements.insertMany(
            pairs
              .slice(from, from + insertMax)
              .map(({ id: _id, ...judgement }) => ({ _id, organizationId, ...judgement })),
          );
        return true;
      });
    },

    async find(organizationId: string, id: string): Promise<StoredComparison | undefined> {
      const document = await comparisons.findOne({ _id: id, organizationId, ...isThere });
      return document ? toComparison(document) : undefined;
    },

    list(
      organizationId: string,
      projectId: string,
      { runId, page }: { runId: string | undefined; page: PageRequest },
    ): Promise<Page<StoredComparison>> {
      return findPage(comparisons, {
        filter: { organizationId, projectId, ...(runId === undefined ? {} : { runIds: runId }) },
        page,
        order: 'newest first',
        projection: { results: 0 },
        hint:
          runId === undefined
            ? { organizationId: 1, projectId: 1, _id: 1 }
            : { organizationId: 1, projectId: 1, runIds: 1, _id: 1 },
        toItem: toComparison,
      });
    },

    /** Returns the latest comparison by a metric version that has a judgement. */
    async findJudged(
      organizationId: string,
      metricVersionId: string,
    ): Promise<StoredComparison | undefined> {
      const document = await comparisons.findOne(
        { organizationId, metricVersionId, judged: { $gt: 0 } },
        { sort: { _id: -1 } },
      );
      return document ? toComparison(document) : undefined;
    },

    listJudgements(
      organizationId: string,
      comparisonId: string,
      {
        runs,
        outcome,
        page,
      }: {
        /** Places of runs, as far as they are wanted. */
        runs: [number | undefined, number | undefined];
        outcome: PairOutcome | undefined;
        page: PageRequest;
      },
    ): Promise<Page<StoredJudgement>> {
      const [baseline, candidate] = runs;
      return findPage(judgements, {
        filter: {
          organizationId,
          comparisonId,
          ...(baseline === undefined ? {} : { 'runs.0': baseline }),
          ...(candidate === undefined ? {} : { 'runs.1': candidate }),
          ...(outcome === undefined ? {} : { outcome }),
        },
        page,
        hint: { organizationId: 1, comparisonId: 1, _id: 1 },
        toItem: toJudgement,
      });
    },

    /** Reads the answers that the results of a comparison are computed from. */
    async listAnswers(
      organizationId: string,
      comparisonId: string,
    ): Promise<Pick<StoredJudgement, 'testcaseId' | 'runs' | 'state' | 'forward' | 'backward'>[]> {
      const projection = {
        testcaseId: 1,
        runs: 1,
        state: 1,
        'forward.preferred': 1,
        'forward.votes': 1,
        'backward.preferred': 1,
      };
      return judgements
        .find({ organizationId, comparisonId }, { projection })
        .sort({ _id: 1 })
        .hint({ organizationId: 1, comparisonId: 1, _id: 1 })
        .toArray() as Promise<never>;
    },

    /** Returns the ids of all that is pending, with the runs of each. */
    async listPending(
      organizationId: string,
      comparisonId: string,
    ): Promise<Pick<StoredJudgement, 'id' | 'runs'>[]> {
      const found = await judgements
        .find({ organizationId, comparisonId, state: 'pending' }, { projection: { runs: 1 } })
        .sort({ _id: 1 })
        .toArray();
      return found.map(({ _id, runs }) => ({ id: _id, runs }));
    },

    /** Returns those of the judgements that are pending. */
    async findPending(
      organizationId: string,
      comparisonId: string,
      ids: string[],
    ): Promise<StoredJudgement[]> {
      const found = await judgements
        .find({ _id: { $in: ids }, organizationId, comparisonId, state: 'pending' })
        .sort({ _id: 1 })
        .toArray();
      return found.map(toJudgement);
    },

    /**
     * Keeps an answer unless there is one, counts it, and returns the comparison's spending after
     * it. Undefined where nothing was kept: another process was first, or the comparison was
     * deleted.
     */
    keepAnswer(
      organizationId: string,
      { comparisonId, id, order, answer }: NewAnswer,
    ): Promise<{ spentNanoUsd: number } | undefined> {
      return database.transaction(async () => {
        const kept = await judgements.findOneAndUpdate(
          { _id: id, organizationId, comparisonId, state: 'pending', [order]: null },
          [{ $set: { [order]: { $literal: answer } } }, { $set: settled }],
          { returnDocument: 'after', projection: { state: 1 } },
        );
        if (!kept) return undefined;
        const counted = await comparisons.findOneAndUpdate(
          { _id: comparisonId, organizationId },
          {
            $inc: {
              spentNanoUsd: answer.nanoUsd,
              judged: kept.state === 'judged' ? 1 : 0,
              failed: kept.state === 'failed' ? 1 : 0,
            },
          },
          {
            returnDocument: 'after',
            projection: { expected: 1, judged: 1, failed: 1, spentNanoUsd: 1 },
          },
        );
        if (counted && counted.judged + counted.failed === counted.expected)
          await comparisons.updateOne(
            { _id: comparisonId, organizationId },
            { $unset: { sweepAt: '' } },
          );
        return counted ? { spentNanoUsd: counted.spentNanoUsd } : undefined;
      });
    },

    /** Keeps results unless a retry has begun since they were computed. */
    async keepResults(
      organizationId: string,
      { id, round, results }: { id: string; round: number; results: PairwiseResults },
    ): Promise<void> {
      await comparisons.updateOne({ _id: id, organizationId, round }, { $set: { results } });
    },

    /**
     * Makes failed judgements pending again; answers that are there stay. Returns how many judgements
     * that are, or undefined if there is no such comparison.
     */
    retry(
      organizationId: string,
      id: string,
      budgetNanoUsd: number | null | undefined,
    ): Promise<number | undefined> {
      return database.transaction(async () => {
        const again = { $inc: { round: 1 } };
        const found = await comparisons.findOneAndUpdate(
          { _id: id, organizationId, ...isThere },
          budgetNanoUsd === undefined ? again : { ...again, $set: { budgetNanoUsd } },
        );
        if (!found) return undefined;
        const { modifiedCount } = await judgements.updateMany(
          { organizationId, comparisonId: id, state: 'failed' },
          [
            { $set: { forward: unlessFailed('forward'), backward: unlessFailed('backward') } },
            { $set: settled },
          ],
        );
        if (modifiedCount > 0)
          await comparisons.updateOne(
            { _id: id, organizationId },
            {
              $inc: { failed: -modifiedCount },
              $set: { results: null, sweepAt: sweepTime() },
            },
          );
        return modifiedCount;
      });
    },

    delete: deleteComparison,

    /** Deletes all that is in a project, and lets nothing be made in it from now on. */
    async forgetProject(organizationId: string, projectId: string): Promise<void> {
      await database.transaction(() => projectLock.close(organizationId, projectId));
      // One after the other: the judgements of all of them might be too many for a transaction.
      for (;;) {
        const found = await comparisons.findOne(
          { organizationId, projectId },
          { projection: { _id: 1 } },
        );
        if (!found) return;
        await deleteComparison(organizationId, found._id);
      }
    },

    /** Organizations with comparisons whose jobs count as lost. */
    overdueOrganizations: ({ before, beyond }: { before: Date; beyond: Date }): Promise<string[]> =>
      organizationsWith(comparisons, { sweepAt: { $lt: before } }, { sweepAt: { $gt: beyond } }),

    /**
     * Takes a comparison of an organization whose jobs count as lost, and puts off the next look at
     * it; undefined if there is none. Those that are put off beyond `beyond` were so before the
     * clock was set back.
     */
    async takeOverdue(
      organizationId: string,
      { before, beyond }: { before: Date; beyond: Date },
    ): Promise<string | undefined> {
      for (const sweepAt of [{ $lt: before }, { $gt: beyond }]) {
        const taken = await comparisons.findOneAndUpdate(
          { organizationId, sweepAt },
          { $set: { sweepAt: sweepTime() } },
          { sort: { sweepAt: 1 }, projection: { _id: 1 } },
        );
        if (taken) return taken._id;
      }
      return undefined;
    },
  };
}

export interface NewAnswer {
  comparisonId: string;
  /** Of the judgement. */
  id: string;
  order: Order;
  answer: StoredAnswer;
}

const isFailed = (order: Order) => ({ $eq: [`$${order}.prefers`, 'nobody'] });
const unlessFailed = (order: Order) => ({ $cond: [isFailed(order), null, `$${order}`] });
const isMissing = (order: Order) => ({ $eq: [`$${order}`, null] });

/** Chooses a value by whether an answer is missing or has failed. */
const byAnswers = (values: { missing: unknown; failed: unknown; otherwise: unknown }) => ({
  $cond: [
    { $or: [isMissing('forward'), isMissing('backward')] },
    values.missing,
    {
      $cond: [
        { $or: [isFailed('forward'), isFailed('backward')] },
        values.failed,
        values.otherwise,
      ],
    },
  ],
});

const isSame = { $eq: ['$forward.prefers', '$backward.prefers'] };

/** The state and the outcome of a judgement, which follow from its answers. */
const settled = {
  state: byAnswers({ missing: 'pending', failed: 'failed', otherwise: 'judged' }),
  outcome: byAnswers({
    missing: null,
    failed: 'failed',
    otherwise: { $cond: [isSame, '$forward.prefers', 'contradiction'] },
  }),
};

export function toComparison({
  _id,
  organizationId: _organizationId,
  sweepAt: _sweepAt,
  isArriving: _isArriving,
  ...comparison
}: ComparisonDocument): StoredComparison {
  return { id: _id, ...comparison };
}

export function toJudgement({
  _id,
  organizationId: _organizationId,
  ...judgement
}: JudgementDocument): StoredJudgement {
  return { id: _id, ...judgement };
}
