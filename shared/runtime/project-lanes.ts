import { createHash } from 'node:crypto';
import type { Database } from './mongo.ts';

/**
 * A lane of a project: every write that adds to the project touches the lane of what it adds first, and the project's deletion touches
 * all. So each of them comes before or after the deletion, two that name the same thing one after the other, and the rest side by side.
 */
interface LaneDocument {
  _id: string;
  organizationId: string;
  /** Set once, and kept for ever: nothing can be made in the project any more. */
  isGone?: boolean;
  touches: number;
}

const lanes = Array.from({ length: 16 }, (_, lane) => lane);
const laneOf = (key: string): number => createHash('sha256').update(key).digest()[0]! % lanes.length;
const idOf = (organizationId: string, projectId: string, lane: number) => ({
  _id: `${organizationId}/${projectId}/${lane}`,
  organizationId,
});

/** What keeps the writes of a service and the deletion of a project from passing each other. Both of its functions belong in a transaction. */
export function createProjectLanes(database: Database) {
  const projectLanes = database.collection<LaneDocument>('projectLanes');
  return {
    /** Makes this transaction and every other that enters with the same key come one after the other. False when the project is gone. */
    async enter(organizationId: string, projectId: string, key: string): Promise<boolean> {
      const filter = idOf(organizationId, projectId, laneOf(key));
      const lane = await projectLanes.findOneAndUpdate(filter, { $inc: { touches: 1 } }, { upsert: true, returnDocument: 'after' });
      return lane?.isGone !== true;
    },
    /** Lets nothing be made in the project from now on. */
    async close(organizationId: string, projectId: string): Promise<void> {
      const update = { $set: { isGone: true }, $inc: { touches: 1 } };
      await projectLanes.bulkWrite(
        lanes.map((lane) => ({ updateOne: { filter: idOf(organizationId, projectId, lane), update, upsert: true } })),
      );
    },
  };
}
