import { createHash } from 'node:crypto';
import type { Database } from './database.ts';

/**
 * A project's lock is 16 documents: a write changes the one of its key, and the project's deletion
 * changes all of them.
 */
interface LockDocument {
  _id: string;
  organizationId: string;
  /** Set once and kept forever: nothing can be created in the project any more. */
  isGone?: boolean;
  touches: number;
}

const stripes = Array.from({ length: 16 }, (_, stripe) => stripe);
const stripeOf = (key: string): number =>
  createHash('sha256').update(key).digest()[0]! % stripes.length;
const idOf = (organizationId: string, projectId: string, stripe: number) => ({
  _id: `${organizationId}/${projectId}/${stripe}`,
  organizationId,
});

/**
 * Serializes a project's writes with its deletion. Writes with the same key are serialized; most
 * others run in parallel. Call both functions inside a transaction.
 */
export function createProjectLock(database: Database) {
  // The collection has the name that it was released with.
  const locks = database.collection<LockDocument>('projectLanes');
  return {
    /** Locks the key until the transaction ends. Returns false when the project is deleted. */
    async enter(organizationId: string, projectId: string, key: string): Promise<boolean> {
      const filter = idOf(organizationId, projectId, stripeOf(key));
      const lock = await locks.findOneAndUpdate(
        filter,
        { $inc: { touches: 1 } },
        { upsert: true, returnDocument: 'after' },
      );
      return lock?.isGone !== true;
    },
    /** Closes the project: nothing can be created in it from now on. */
    async close(organizationId: string, projectId: string): Promise<void> {
      const update = { $set: { isGone: true }, $inc: { touches: 1 } };
      await locks.bulkWrite(
        stripes.map((stripe) => ({
          updateOne: { filter: idOf(organizationId, projectId, stripe), update, upsert: true },
        })),
      );
    },
  };
}
