import type { Database } from '@assay/runtime/mongo/database';
import { type AskedHead, type HeadDocument, idOf } from './head.ts';

/** The traces about which monitors are still to be asked. */
export function createAskedTraces(database: Database) {
  const heads = database.collection<HeadDocument>('traces');

  return {
    /** Claims heads of all organizations about which monitors are to be asked, for `claimedMs`. */
    async take({
      now,
      claimedMs,
      claim,
      limit,
    }: {
      now: Date;
      claimedMs: number;
      claim: string;
      limit: number;
    }): Promise<AskedHead[]> {
      const isDue = { askAt: { $lte: now } };
      const found = await heads
        .find(isDue, { projection: { _id: 1 }, sort: { askAt: 1 }, limit })
        .toArray();
      if (found.length === 0) return [];
      const ids = { _id: { $in: found.map(({ _id }) => _id) } };
      const askAt = new Date(now.getTime() + claimedMs);
      await heads.updateMany({ ...ids, ...isDue }, { $set: { askAt, askedBy: claim } });
      return heads
        .find({ ...ids, askedBy: claim })
        .map((head) => ({ ...head, monitorIds: head.monitorIds ?? [] }))
        .toArray();
    },

    /** Returns those of these traces that a monitor is still to be asked about. */
    async stillOpen(
      organizationId: string,
      monitorId: string,
      traceIds: string[],
    ): Promise<Set<string>> {
      const found = heads.find(
        {
          _id: { $in: traceIds.map((id) => idOf(organizationId, id)) },
          organizationId,
          monitorIds: monitorId,
        },
        { projection: { traceId: 1 } },
      );
      return new Set(await found.map(({ traceId }) => traceId).toArray());
    },

    /** Notes that a monitor was asked about these traces. */
    async close(organizationId: string, monitorId: string, traceIds: string[]): Promise<void> {
      const others = { $setDifference: ['$monitorIds', [monitorId]] };
      await heads.updateMany(
        {
          _id: { $in: traceIds.map((id) => idOf(organizationId, id)) },
          organizationId,
          monitorIds: monitorId,
        },
        [
          { $set: { monitorIds: others } },
          { $set: { askAt: { $cond: [{ $eq: ['$monitorIds', []] }, '$$REMOVE', '$askAt'] } } },
        ],
      );
    },

    /** Lets a monitor be asked about the settled traces of a project; returns how many. */
    async openAgain(
      organizationId: string,
      projectId: string,
      { monitorId, from, to, now }: { monitorId: string; from: number; to: number; now: Date },
    ): Promise<number> {
      const { matchedCount } = await heads.updateMany(
        { organizationId, projectId, isSettled: true, startedAt: { $gte: from, $lt: to } },
        { $set: { askAt: now }, $addToSet: { monitorIds: monitorId } },
      );
      return matchedCount;
    },
  };
}
