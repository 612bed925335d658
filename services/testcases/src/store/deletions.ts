import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import type { DeletedTestcaseDocument } from './testcase.ts';
import type { VersionDocument } from './versions.ts';

/** Days that a deleted testcase can be restored where nothing else is said. */
export const deletedDaysDefault = 30;

/** Testcases that go in one transaction, each with all its versions. */
const batchItemsMax = 100;

/** Removes testcases for good that were deleted long ago. */
export function createDeletionStore(database: Database) {
  const testcases = database.collection<DeletedTestcaseDocument>('testcases');
  const versions = database.collection<VersionDocument>('testcaseVersions');

  const deletedBefore = (time: Date) => ({ 'deleted.at': { $lt: time } });

  return {
    /** The organizations that deleted testcases before this time. */
    organizationsWithDeletions: (before: Date): Promise<string[]> =>
      organizationsWith(testcases, deletedBefore(before)),
    /**
     * Removes some testcases that were deleted before this time, with their versions, the oldest
     * deletions first. Says whether there may be more.
     */
    async removeDeleted(organizationId: string, before: Date): Promise<boolean> {
      const found = await testcases
        .find({ organizationId, ...deletedBefore(before) }, { projection: { _id: 1 } })
        .sort({ 'deleted.at': 1, _id: 1 })
        .limit(batchItemsMax)
        .toArray();
      await database.transaction(
        async () => {
          // Somebody may have restored some of them since.
          const deleted = await testcases
            .find(
              {
                _id: { $in: found.map(({ _id }) => _id) },
                organizationId,
                ...deletedBefore(before),
              },
              { projection: { _id: 1 } },
            )
            .toArray();
          const ids = deleted.map(({ _id }) => _id);
          await testcases.deleteMany({ _id: { $in: ids }, organizationId });
          await versions.deleteMany({ organizationId, testcaseId: { $in: ids } });
        },
        { documents: found.length },
      );
      return found.length === batchItemsMax;
    },
  };
}
