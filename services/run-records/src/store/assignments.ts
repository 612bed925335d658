import type { Database } from '@assay/runtime/mongo/database';
import type { RecordDocument, StoredAssignment } from './record.ts';
import { reviewersOf } from './review.ts';

/** Assigns several records of a run at once. */
export function createAssignmentStore(database: Database) {
  const records = database.collection<RecordDocument>('records');
  return {
    /** Assigns the records whose assignees change. Inside a transaction. */
    async assign(
      organizationId: string,
      {
        runId,
        ids,
        change,
      }: {
        runId: string;
        ids: string[];
        /** Returns the assignees that a record is to have, or none to leave it as it is. */
        change: (assignees: StoredAssignment[]) => StoredAssignment[] | undefined;
      },
    ): Promise<void> {
      const found = await records
        .find(
          { _id: { $in: ids }, organizationId, runId },
          { projection: { assignees: 1, review: 1 } },
        )
        .toArray();
      const updates = found.flatMap(({ _id, assignees: before, review }) => {
        const assignees = change(before);
        if (!assignees) return [];
        const seen = review ? { 'review.for': reviewersOf(assignees) } : {};
        return [
          {
            updateOne: {
              filter: { _id, organizationId },
              update: { $set: { assignees, ...seen } },
            },
          },
        ];
      });
      if (updates.length > 0) await records.bulkWrite(updates as never);
    },
  };
}
