import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from './claims.ts';
import {
  type AskedHead,
  type HeadDocument,
  idOf,
  type OpenTrace,
  type StoredHead,
} from './head.ts';

/** A trace about which a monitor was asked. */
export interface ClosedTrace {
  traceId: string;
  /** The run in which its record was counted. */
  runId?: string | undefined;
}

/** What is read of a head that a filter is tried on. */
const triedFields = {
  traceId: 1,
  name: 1,
  serviceName: 1,
  startedAt: 1,
  endedAt: 1,
  models: 1,
  tags: 1,
  metadata: 1,
  numErrors: 1,
  sessionId: 1,
  inputPreview: 1,
  recordedIn: 1,
} as const;

/** A settled trace, as far as a monitor's filter and rate look at it. */
export type TriedHead = Pick<StoredHead, Exclude<keyof typeof triedFields, 'recordedIn'>> & {
  recordedIn: string[];
};

/** The traces about which monitors are still to be asked. */
export function createAskedTraces(database: Database) {
  const heads = database.collection<HeadDocument>('traces');
  const openOf = (organizationId: string, monitorId: string, traceIds: string[]) => ({
    _id: { $in: traceIds.map((id) => idOf(organizationId, id)) },
    organizationId,
    monitorIds: monitorId,
  });

  return {
    /** Returns the organizations whose monitors are to be asked. */
    dueOrganizations: (now: Date): Promise<string[]> =>
      // Read once an organization, where the index of times is read once a trace.
      organizationsWith(heads, { askAt: { $lte: now } }, { hint: { organizationId: 1, askAt: 1 } }),

    /** Claims heads about which monitors of an organization are to be asked, for `claimedMs`. */
    async take(
      organizationId: string,
      {
        now,
        claimedMs,
        claim,
        limit,
      }: { now: Date; claimedMs: number; claim: string; limit: number },
    ): Promise<AskedHead[]> {
      const isDue = { organizationId, askAt: { $lte: now } };
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

    /** Returns those of these traces that a monitor is still to be asked about, by their ids. */
    async findOpen(
      organizationId: string,
      monitorId: string,
      traceIds: string[],
    ): Promise<Map<string, OpenTrace>> {
      const found = heads.find(openOf(organizationId, monitorId, traceIds), {
        projection: { traceId: 1, places: 1, recordedIn: 1 },
      });
      const isOwn = (place: string) => place.startsWith(`${monitorId}/`);
      const open = await found
        .map(({ traceId, places = [], recordedIn = [] }): [string, OpenTrace] => [
          traceId,
          { places: places.filter(isOwn), recordedIn },
        ])
        .toArray();
      return new Map(open);
    },

    /** Notes the place in an hour that these traces have, until they are counted. */
    async holdPlaces(organizationId: string, traceIds: string[], place: string): Promise<void> {
      const ids = traceIds.map((id) => idOf(organizationId, id));
      await heads.updateMany(
        { _id: { $in: ids }, organizationId },
        { $addToSet: { places: place } },
      );
    },

    /** Notes that a monitor was asked about these traces, which hold no places any more. */
    async close(
      organizationId: string,
      monitorId: string,
      closed: ClosedTrace[],
      places: string[] = [],
    ): Promise<void> {
      for (const runId of new Set(closed.flatMap(({ runId }) => runId ?? []))) {
        const own = closed.filter((trace) => trace.runId === runId);
        const traceIds = own.map(({ traceId }) => traceId);
        await heads.updateMany(openOf(organizationId, monitorId, traceIds), {
          $addToSet: { recordedIn: runId },
        });
      }
      const without = (field: string, gone: string[]) => ({
        $setDifference: [{ $ifNull: [`$${field}`, []] }, gone],
      });
      const traceIds = closed.map(({ traceId }) => traceId);
      await heads.updateMany(openOf(organizationId, monitorId, traceIds), [
        {
          $set: {
            monitorIds: without('monitorIds', [monitorId]),
            ...(places.length > 0 ? { places: without('places', places) } : {}),
          },
        },
        { $set: { askAt: { $cond: [{ $eq: ['$monitorIds', []] }, '$$REMOVE', '$askAt'] } } },
      ]);
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

    /** Yields the settled traces of a project that began in a time, the newest first. */
    async *settledBetween(
      organizationId: string,
      projectId: string,
      { from, to, limit }: { from: number; to: number; limit?: number },
    ): AsyncGenerator<TriedHead> {
      const found = heads
        .find(
          { organizationId, projectId, isSettled: true, startedAt: { $gte: from, $lt: to } },
          { projection: triedFields, batchSize: 1000 },
        )
        .sort({ startedAt: -1, traceId: -1 })
        .limit(limit ?? 0);
      for await (const { recordedIn = [], ...head } of found) yield { ...head, recordedIn };
    },
  };
}
