import { type AuthorMove, authorFields } from '@assay/contracts/project-file';
import type { Database } from '@assay/runtime/mongo/database';
import { moveAuthors } from '@assay/runtime/mongo/move-authors';
import type { StoredAnnotation } from './annotations.ts';
import type { RecordDocument } from './record.ts';
import { inOrder } from './record-list.ts';
import { type RunDocument, type StoredRun, toRun } from './runs.ts';

type Move = Omit<AuthorMove, 'projectId'>;

/** Scores have a rule of their own, where both people scored the same. */
const isOfScore = (field: string): boolean => field.startsWith('scores.');
const fieldsBesideScores = authorFields.record.filter((field) => !isOfScore(field));
const scoreFields = authorFields.record.filter(isOfScore);

/** Gives one person's work in runs to another. */
export function createAuthorMoveStore(database: Database) {
  const runs = database.collection<RunDocument>('runs');
  const records = database.collection<RecordDocument>('records');
  const annotations = database.collection<
    Omit<StoredAnnotation, 'id'> & { _id: string; organizationId: string }
  >('annotations');

  return {
    moveRuns: (organizationId: string, { projectId, ...move }: AuthorMove): Promise<void> =>
      moveAuthors(runs, { organizationId, projectId }, authorFields.run, move),
    /** Finds the oldest run of a project from this id on, or after it. */
    async findRun(
      organizationId: string,
      projectId: string,
      place: { $gte: string } | { $gt: string },
    ): Promise<StoredRun | undefined> {
      const filter = { organizationId, projectId, _id: place, deletedAt: { $exists: false } };
      const found = await runs.findOne(filter, { sort: { _id: 1 } });
      return found ? toRun(found) : undefined;
    },
    /** Reads some records of a run after this id: all of them, and those that have scores of a person. */
    async listSome(
      organizationId: string,
      {
        runId,
        after,
        userId,
        limit,
      }: { runId: string; after: string; userId: string; limit: number },
    ): Promise<{ ids: string[]; scoredIds: string[] }> {
      const projection = Object.fromEntries(scoreFields.map((field) => [field, 1]));
      const found = await records
        .find({ organizationId, runId, _id: { $gt: after } }, { projection })
        .hint(inOrder)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      // Nothing but the authors was read of each score.
      const scored = found.filter(({ scores }) =>
        scores.some((score) => Object.values(score).includes(userId)),
      );
      return { ids: found.map(({ _id }) => _id), scoredIds: scored.map(({ _id }) => _id) };
    },
    /** Moves all of these records and of their annotations but the scores. */
    async moveBesideScores(organizationId: string, ids: string[], move: Move): Promise<void> {
      await moveAuthors(records, { organizationId, _id: { $in: ids } }, fieldsBesideScores, move);
      await moveAuthors(
        annotations,
        { organizationId, recordId: { $in: ids } },
        authorFields.annotation,
        move,
      );
    },
  };
}
