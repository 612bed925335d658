import type { Database } from '@assay/runtime/mongo/database';

/** The sync of a testset that began last. */
interface SyncDocument {
  _id: string;
  organizationId: string;
  syncId: string;
  writes: number;
  expiresAt: Date;
}

/** A sync may take so long, in ms. */
const syncMaxMs = 24 * 60 * 60 * 1000;

/**
 * The syncs under way: one of each testset, which is the one that began last. Nothing has to be
 * released, so that a sync that was killed keeps nobody waiting.
 */
export function createSyncStore(database: Database) {
  const syncs = database.collection<SyncDocument>('syncs');
  return {
    /** Begins a sync. The one before can write nothing any more. */
    async beginSync(organizationId: string, testsetId: string, syncId: string): Promise<void> {
      await syncs.updateOne(
        { _id: testsetId },
        {
          $set: { organizationId, syncId, writes: 0, expiresAt: new Date(Date.now() + syncMaxMs) },
        },
        { upsert: true },
      );
    },
    /**
     * Says whether no other sync has begun since, and lets none begin before the end of the
     * transaction under way.
     */
    async claimSync(organizationId: string, testsetId: string, syncId: string): Promise<boolean> {
      const { matchedCount } = await syncs.updateOne(
        { _id: testsetId, organizationId, syncId },
        { $inc: { writes: 1 } },
      );
      return matchedCount === 1;
    },
    /** Ends a sync; false if another has begun since. */
    async endSync(organizationId: string, testsetId: string, syncId: string): Promise<boolean> {
      const { deletedCount } = await syncs.deleteOne({ _id: testsetId, organizationId, syncId });
      return deletedCount === 1;
    },
  };
}
