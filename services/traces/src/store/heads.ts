import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import { claimHeads, freeAt, organizationsWith } from './claims.ts';
import {
  type DueHead,
  type HeadDocument,
  idOf,
  type SettledFields,
  type StoredHead,
} from './head.ts';
import { conditionOf, type HeadFilter } from './head-filter.ts';

/** Spans of a trace that have come, and as much of its head as they tell before it is read. */
export interface Arrival {
  traceId: string;
  projectId: string;
  isProjectGuessed: boolean;
  numSpans: number;
  numErrors: number;
  startedAt: number;
  endedAt: number;
  firstName: string;
  rootName: string | undefined;
  serviceName: string | undefined;
  at: Date;
  expiresAt: Date;
  /** Nothing may keep it beyond that. */
  isNeverKept: boolean;
}

/** A head before anything of its spans was read. */
const unread = {
  models: [],
  provider: null,
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  costUsd: null,
  costIsPartial: false,
  sessionId: null,
  userId: null,
  tags: [],
  metadata: [],
  linkIds: [],
  groupId: null,
  evaluations: [],
  inputPreview: null,
  outputPreview: null,
};

/**
 * A head is to be settled where nothing came since `withRoot` and it has a root, and where nothing
 * came since `withoutRoot`.
 */
export interface DueTimes {
  withRoot: Date;
  withoutRoot: Date;
}

const unsettledSince = (hasRoot: boolean, before: Date) => ({
  isSettled: false,
  hasRoot,
  changedAt: { $lte: before },
});

/** One small document of each trace, which lists read. */
export function createHeadStore(database: Database) {
  const heads = database.collection<HeadDocument>('traces');

  return {
    /** Notes spans that have come; those of several requests at once. */
    async noteArrivals(arrived: { organizationId: string; arrival: Arrival }[]): Promise<void> {
      if (arrived.length === 0) return;
      await heads.bulkWrite(arrived.map(arrivalWrite), { ordered: false });
    },

    /** Returns the organizations that have heads to be settled. */
    async dueOrganizations({ withRoot, withoutRoot }: DueTimes): Promise<string[]> {
      const dueSince = (hasRoot: boolean, before: Date) =>
        organizationsWith(heads, unsettledSince(hasRoot, before));
      return [
        ...new Set([...(await dueSince(true, withRoot)), ...(await dueSince(false, withoutRoot))]),
      ];
    },

    /** For how long the head is due that waits longest for a process, in milliseconds; 0 where none is. */
    async settleLagMs({ now, withRoot, withoutRoot }: DueTimes & { now: Date }): Promise<number> {
      const lagsOf = async (hasRoot: boolean, before: Date): Promise<number[]> => {
        const due = { ...unsettledSince(hasRoot, before), ...freeAt(now) };
        const oldest = await Promise.all(
          (await organizationsWith(heads, due)).map((organizationId) =>
            heads.findOne(
              { ...due, organizationId },
              { sort: { changedAt: 1 }, projection: { changedAt: 1 } },
            ),
          ),
        );
        return oldest.flatMap((head) =>
          head ? [before.getTime() - head.changedAt.getTime()] : [],
        );
      };
      const lags = [...(await lagsOf(true, withRoot)), ...(await lagsOf(false, withoutRoot))];
      return Math.max(0, ...lags);
    },

    /** Claims heads of an organization that are to be settled, the oldest first, for `claimedMs`. */
    async takeDue(
      organizationId: string,
      {
        now,
        withRoot,
        withoutRoot,
        claimedMs,
        claim,
        limit,
      }: DueTimes & { now: Date; claimedMs: number; claim: string; limit: number },
    ): Promise<DueHead[]> {
      const isFree = freeAt(now);
      const dueSince = (hasRoot: boolean, before: Date) =>
        heads
          .find(
            { ...unsettledSince(hasRoot, before), organizationId, ...isFree },
            { projection: { _id: 1 } },
          )
          .sort({ changedAt: 1 })
          .limit(limit)
          .toArray();
      const found = [...(await dueSince(true, withRoot)), ...(await dueSince(false, withoutRoot))];
      if (found.length === 0) return [];
      const ids = found.slice(0, limit).map(({ _id }) => _id);
      return claimHeads(heads, { ids, now, claimedMs, claim });
    },

    /** Keeps the heads of settled traces, but for those of which more spans have come since. */
    async keepSettled(
      organizationId: string,
      settled: {
        traceId: string;
        arrivals: number;
        fields: SettledFields;
        monitorIds: string[];
      }[],
      { mapping, now }: { mapping: number; now: Date },
    ): Promise<void> {
      if (settled.length === 0) return;
      await heads.bulkWrite(
        settled.map(({ traceId, arrivals, fields, monitorIds }) => ({
          updateOne: {
            filter: { _id: idOf(organizationId, traceId), organizationId, arrivals },
            update: {
              $set: {
                ...fields,
                durationMs: fields.endedAt - fields.startedAt,
                isSettled: true,
                mapping,
                ...(monitorIds.length > 0 ? { askAt: now } : {}),
              },
              ...(monitorIds.length > 0
                ? { $addToSet: { monitorIds: { $each: monitorIds } } }
                : {}),
              $unset: { claimedUntil: 1, claimedBy: 1 },
            },
          },
        })),
        { ordered: false },
      );
    },

    /** Lets other processes take those of these traces that the claim still holds. */
    async releaseClaim(
      claim: string,
      claimed: { organizationId: string; traceId: string }[],
    ): Promise<void> {
      if (claimed.length === 0) return;
      const ids = claimed.map(({ organizationId, traceId }) => idOf(organizationId, traceId));
      await heads.updateMany(
        { _id: { $in: ids }, claimedBy: claim },
        { $unset: { claimedUntil: 1, claimedBy: 1 } },
      );
    },

    async find(organizationId: string, traceId: string): Promise<StoredHead | undefined> {
      const found = await heads.findOne({ _id: idOf(organizationId, traceId), organizationId });
      return found ?? undefined;
    },

    /** Which of these traces are there? */
    async findThere(organizationId: string, traceIds: string[]): Promise<Set<string>> {
      const found = heads.find(
        { _id: { $in: traceIds.map((id) => idOf(organizationId, id)) }, organizationId },
        { projection: { traceId: 1 } },
      );
      return new Set(await found.map(({ traceId }) => traceId).toArray());
    },

    /** Returns those of these traces that are there. */
    findEach(organizationId: string, traceIds: string[]): Promise<StoredHead[]> {
      const ids = traceIds.map((id) => idOf(organizationId, id));
      return heads.find({ _id: { $in: ids }, organizationId }).toArray();
    },

    /** Returns the ids of traces that carry a link id, the newest first. */
    findLinked(organizationId: string, linkId: string, limit: number): Promise<string[]> {
      return heads
        .find(
          { organizationId, linkIds: linkId, 'linkIds.0': { $exists: true } },
          { projection: { traceId: 1 }, sort: { startedAt: -1 }, limit },
        )
        .map(({ traceId }) => traceId)
        .toArray();
    },

    /** Notes the link ids of traces that are being settled. */
    async setLinkIds(
      organizationId: string,
      traces: { traceId: string; linkIds: string[] }[],
    ): Promise<void> {
      if (traces.length === 0) return;
      await heads.bulkWrite(
        traces.map(({ traceId, linkIds }) => ({
          updateOne: {
            filter: { _id: idOf(organizationId, traceId), organizationId },
            update: { $set: { linkIds } },
          },
        })),
        { ordered: false },
      );
    },

    /**
     * Returns some traces that have one of these as their id or among their link ids, and expire
     * before a time, of those that may be kept.
     */
    async findNamed(
      organizationId: string,
      names: string[],
      { expiringBefore, limit }: { expiringBefore: Date; limit: number },
    ): Promise<string[]> {
      const some = { projection: { traceId: 1 }, limit };
      const common = {
        organizationId,
        expiresAt: { $lt: expiringBefore },
        isNeverKept: { $ne: true },
      } as const;
      const [own, linked] = await Promise.all([
        heads
          .find({ _id: { $in: names.map((name) => idOf(organizationId, name)) }, ...common }, some)
          .toArray(),
        heads
          .find({ linkIds: { $in: names }, 'linkIds.0': { $exists: true }, ...common }, some)
          .toArray(),
      ]);
      return [...new Set([...own, ...linked].map(({ traceId }) => traceId))].slice(0, limit);
    },

    /**
     * Keeps traces for as long as `expiresAt` says, which no later span shortens. Returns the ids of
     * those that may be kept.
     */
    async keepUntil(
      organizationId: string,
      traceIds: string[],
      expiresAt: Date,
    ): Promise<string[]> {
      const filter = {
        _id: { $in: traceIds.map((id) => idOf(organizationId, id)) },
        organizationId,
        isNeverKept: { $ne: true },
      } as const;
      await heads.updateMany(filter, { $max: { expiresAt } });
      return heads
        .find(filter, { projection: { traceId: 1 } })
        .map(({ traceId }) => traceId)
        .toArray();
    },

    /**
     * Keeps a trace that is being annotated, and counts that. A change of its head even where it is
     * kept already: of two transactions that annotate one trace at once the later is repeated.
     */
    async keepAnnotated(
      organizationId: string,
      traceId: string,
      expiresAt: Date,
    ): Promise<boolean> {
      const { matchedCount } = await heads.updateOne(
        { _id: idOf(organizationId, traceId), organizationId, isNeverKept: { $ne: true } },
        { $max: { expiresAt }, $inc: { timesAnnotated: 1 } },
      );
      return matchedCount === 1;
    },

    /**
     * Keeps what the annotations of a trace rate it, by which it is found. A change of its head even
     * where it is the same: of two transactions that change its annotations at once the later is
     * repeated.
     */
    async setRatings(organizationId: string, traceId: string, ratings: boolean[]): Promise<void> {
      await heads.updateOne(
        { _id: idOf(organizationId, traceId), organizationId },
        { $set: { ratings }, $inc: { timesRated: 1 } },
      );
    },

    listOfProject(
      organizationId: string,
      projectId: string,
      filter: HeadFilter,
      page: PageRequest,
    ): Promise<Page<StoredHead>> {
      return findByStart({ organizationId, projectId, ...conditionOf(filter) }, page, -1);
    },

    listOfSession(
      organizationId: string,
      sessionId: string,
      page: PageRequest,
    ): Promise<Page<StoredHead>> {
      return findByStart({ organizationId, sessionId }, page, 1);
    },

    async delete(organizationId: string, traceId: string): Promise<boolean> {
      const { deletedCount } = await heads.deleteOne({
        _id: idOf(organizationId, traceId),
        organizationId,
      });
      return deletedCount === 1;
    },

    /** Some traces of a project, and no more than `limit`. */
    async someOfProject(
      organizationId: string,
      projectId: string,
      limit: number,
    ): Promise<string[]> {
      const found = heads.find({ organizationId, projectId }, { projection: { traceId: 1 } });
      return found
        .limit(limit)
        .map(({ traceId }) => traceId)
        .toArray();
    },

    async deleteTraces(organizationId: string, traceIds: string[]): Promise<void> {
      const ids = traceIds.map((id) => idOf(organizationId, id));
      await heads.deleteMany({ _id: { $in: ids }, organizationId });
    },
  };

  async function findByStart(
    filter: Filter<HeadDocument>,
    { limit, after }: PageRequest,
    direction: 1 | -1,
  ): Promise<Page<StoredHead>> {
    const found = await heads
      .find(after === undefined ? filter : { $and: [filter, beyond(after, direction)] })
      .sort({ startedAt: direction, traceId: direction })
      .limit(limit + 1)
      .toArray();
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return {
      items,
      next: found.length > limit && last ? `${last.startedAt}/${last.traceId}` : null,
    };
  }
}

/** The traces beyond the place after which a page begins. */
function beyond(after: string, direction: 1 | -1): Filter<HeadDocument> {
  const [start, traceId] = after.split('/') as [string, string];
  const startedAt = Number(start);
  const [to, beyondIt] = direction === 1 ? ['$gte', '$gt'] : ['$lte', '$lt'];
  // The first condition bounds the index, also a partial one, which an `$or` alone does not.
  return {
    startedAt: { [to!]: startedAt },
    $or: [{ startedAt: { [beyondIt!]: startedAt } }, { traceId: { [beyondIt!]: traceId } }],
  };
}

function arrivalWrite({
  organizationId,
  arrival,
}: {
  organizationId: string;
  arrival: Arrival;
}): AnyBulkWriteOperation<HeadDocument> {
  const { traceId, projectId, isProjectGuessed, rootName, serviceName, isNeverKept, ...come } =
    arrival;
  const project = { projectId, isProjectGuessed };
  const known = {
    isSettled: false,
    // A project that spans name takes the place of one that was guessed.
    ...(isProjectGuessed ? {} : project),
    ...(rootName === undefined ? {} : { hasRoot: true, name: rootName }),
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(isNeverKept ? { isNeverKept } : {}),
  };
  const first = {
    organizationId,
    traceId,
    ...unread,
    ...(isProjectGuessed ? project : {}),
    ...(rootName === undefined ? { hasRoot: false, name: come.firstName } : {}),
    ...(serviceName === undefined ? { serviceName: null } : {}),
  };
  return {
    updateOne: {
      // By the id alone, which has the organization in it: only then does the server itself repeat
      // an upsert that another one was before.
      filter: { _id: idOf(organizationId, traceId) },
      update: {
        $setOnInsert: first,
        $set: known,
        $min: { startedAt: come.startedAt },
        $max: { endedAt: come.endedAt, changedAt: come.at, expiresAt: come.expiresAt },
        $inc: { numSpans: come.numSpans, numErrors: come.numErrors, arrivals: 1 },
      },
      upsert: true,
    },
  };
}
