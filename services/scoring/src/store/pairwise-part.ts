import { type AuthorMove, authorFields } from '@assay/contracts/project-file';
import { pairJudgementsMax } from '@assay/contracts/scoring';
import { isThere, missingOf } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { moveAuthors } from '@assay/runtime/mongo/move-authors';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import {
  type ComparisonDocument,
  type JudgementDocument,
  type StoredComparison,
  type StoredJudgement,
  toComparison,
  toJudgement,
} from './pairwise.ts';

/** `gone`: the import was swept away. `full`: a comparison would have more pairs than one may. */
export type AddOutcome = 'added' | 'gone' | 'full';

/** The pairwise comparisons of whole projects that are exported or imported. */
export function createPairwisePartStore(database: Database) {
  const projectLock = createProjectLock(database);
  const comparisons = database.collection<ComparisonDocument>('pairwise_comparisons');
  const judgements = database.collection<JudgementDocument>('pair_judgements');

  return {
    async *listComparisons(
      organizationId: string,
      projectId: string,
    ): AsyncGenerator<StoredComparison> {
      for await (const document of comparisons
        .find({ organizationId, projectId, ...isThere }, { projection: { results: 0 } })
        .sort({ _id: 1 }))
        yield toComparison(document);
    },
    async *listJudgements(
      organizationId: string,
      comparisonId: string,
    ): AsyncGenerator<StoredJudgement> {
      for await (const document of judgements
        .find({ organizationId, comparisonId })
        .sort({ _id: 1 }))
        yield toJudgement(document);
    },

    /** Stores the comparisons that are not there yet, hidden and without any pair. */
    async addComparisons(
      organizationId: string,
      projectId: string,
      added: StoredComparison[],
    ): Promise<AddOutcome> {
      return database.transaction(async () => {
        if (!(await projectLock.enter(organizationId, projectId, projectId))) return 'gone';
        const missing = await missingOf(comparisons, { organizationId, projectId }, added);
        if (missing.length > 0)
          await comparisons.insertMany(
            missing.map(({ id, ...comparison }) => ({
              _id: id,
              organizationId,
              ...comparison,
              isArriving: true as const,
            })),
          );
        return 'added';
      });
    },

    /** The comparisons of an import among these; undefined unless all are. */
    async arrivingComparisons(
      organizationId: string,
      projectId: string,
      ids: string[],
    ): Promise<Map<string, StoredComparison> | undefined> {
      const wanted = [...new Set(ids)];
      const found = await comparisons
        .find({ _id: { $in: wanted }, organizationId, projectId, isArriving: true })
        .toArray();
      if (found.length < wanted.length) return undefined;
      return new Map(found.map((document) => [document._id, toComparison(document)]));
    },

    /** Stores the pairs that are not there yet, and counts them. */
    async addJudgements(
      organizationId: string,
      projectId: string,
      added: StoredJudgement[],
    ): Promise<AddOutcome> {
      return database.transaction(async () => {
        const missing = await missingOf(judgements, { organizationId }, added);
        for (const comparisonId of new Set(missing.map((pair) => pair.comparisonId))) {
          const own = missing.filter((pair) => pair.comparisonId === comparisonId);
          const judged = own.filter(({ state }) => state === 'judged').length;
          const counted = await comparisons.findOneAndUpdate(
            { _id: comparisonId, organizationId, projectId, isArriving: true },
            { $inc: { expected: own.length, judged, failed: own.length - judged } },
            { returnDocument: 'after', projection: { expected: 1 } },
          );
          if (!counted) return 'gone';
          if (counted.expected > pairJudgementsMax) return 'full';
          await judgements.insertMany(
            own.map(({ id: _id, ...judgement }) => ({ _id, organizationId, ...judgement })),
          );
        }
        return 'added';
      });
    },

    moveAuthor: (organizationId: string, { projectId, ...move }: AuthorMove): Promise<void> =>
      moveAuthors(
        comparisons,
        { organizationId, projectId },
        authorFields.pairwiseComparison,
        move,
      ),

    async reveal(organizationId: string, projectId: string): Promise<void> {
      await comparisons.updateMany(
        { organizationId, projectId, isArriving: true },
        { $unset: { isArriving: '' } },
      );
    },
  };
}
