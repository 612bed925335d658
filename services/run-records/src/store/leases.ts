import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import type { Document } from 'mongodb';
import type { ReviewScope } from './review.ts';

/** A member's claim on a record until an instant: the member gives its scores of these versions. */
export interface Lease {
  userId: string;
  metricVersionIds: string[];
  until: Date;
}

/** How many members may hold a metric version of a record at once. */
export interface Room {
  metricVersionId: string;
  members: number;
}

/**
 * When a lease holds: its end is in the future, but not so far that a clock was set back since.
 */
export interface LeaseTime {
  now: Date;
  until: Date;
  beyond: Date;
}

interface LeaseDocument {
  /** The record. */
  _id: string;
  organizationId: string;
  projectId: string;
  runId: string;
  leases: Lease[];
  /** The metric versions that another member may hold. A hint: only a take is exact. */
  open: string[];
  /** The end of the first lease: then `open` is no longer right. */
  firstEndsAt: Date;
  /** The end of the last lease: then the database removes the document. */
  expiresAt: Date;
}

/** Leases of records in review: a document for each record that somebody holds. */
export function createLeaseStore(database: Database) {
  const leases = database.collection<LeaseDocument>('review_leases');

  return {
    /**
     * Gives a record to a member, or prolongs what the member holds of it, as far as others have
     * left room. Atomic. Returns the leases that hold now; the member's is among them unless others
     * hold all that is wanted.
     */
    async take(
      organizationId: string,
      {
        record: { id, projectId, runId },
        userId,
        wanted,
        rooms,
        time: { now, until, beyond },
      }: {
        record: { id: string; projectId: string; runId: string };
        userId: string;
        wanted: string[];
        rooms: Room[];
        time: LeaseTime;
      },
    ): Promise<Lease[]> {
      const holds = (lease: string) => ({
        $and: [{ $gt: [`${lease}.until`, now] }, { $lt: [`${lease}.until`, beyond] }],
      });
      const live = filtered({ $ifNull: ['$leases', []] }, holds('$$this'));
      const isOwn = { $eq: ['$$this.userId', { $literal: userId }] };
      const update: Document[] = [
        { $set: { projectId: { $literal: projectId }, runId: { $literal: runId }, live } },
        {
          $set: {
            leases: filtered('$live', { $not: isOwn }),
            own: { $first: filtered('$live', isOwn) },
          },
        },
        {
          $set: {
            taken: versionsOf(rooms, {
              $and: [
                {
                  $in: [
                    '$$this.metricVersionId',
                    {
                      $setUnion: [{ $literal: wanted }, { $ifNull: ['$own.metricVersionIds', []] }],
                    },
                  ],
                },
                hasRoom,
              ],
            }),
          },
        },
        {
          $set: {
            leases: {
              $concatArrays: [
                '$leases',
                {
                  $cond: [
                    { $gt: [{ $size: '$taken' }, 0] },
                    [{ userId: { $literal: userId }, metricVersionIds: '$taken', until }],
                    [],
                  ],
                },
              ],
            },
          },
        },
        { $set: { open: versionsOf(rooms, hasRoom), ...ends(now) } },
        { $unset: ['live', 'own', 'taken'] },
      ];
      for (;;) {
        try {
          const document = await leases.findOneAndUpdate({ _id: id, organizationId }, update, {
            upsert: true,
            returnDocument: 'after',
          });
          return document!.leases;
        } catch (error) {
          // Somebody else has taken it for the first time at the same moment.
          if (!isDuplicateKey(error)) throw error;
        }
      }
    },

    /** Ends a member's lease of a record, for some metric versions or for all. */
    async release(
      organizationId: string,
      id: string,
      { userId, metricVersionIds, now }: { userId: string; metricVersionIds?: string[]; now: Date },
    ): Promise<void> {
      const remaining = metricVersionIds
        ? { $setDifference: ['$$this.metricVersionIds', { $literal: metricVersionIds }] }
        : [];
      const released = {
        $map: {
          input: '$leases',
          in: {
            $cond: [
              { $eq: ['$$this.userId', { $literal: userId }] },
              { $mergeObjects: ['$$this', { metricVersionIds: remaining }] },
              '$$this',
            ],
          },
        },
      };
      await leases.updateOne({ _id: id, organizationId, 'leases.userId': userId }, [
        {
          $set: {
            open: {
              $setUnion: [
                '$open',
                ...(metricVersionIds ? [{ $literal: metricVersionIds }] : [allHeld]),
              ],
            },
            leases: filtered(released, { $gt: [{ $size: '$$this.metricVersionIds' }, 0] }),
          },
        },
        { $set: ends(now) },
      ]);
    },

    /** Which of these records somebody holds. */
    async findHeld(organizationId: string, ids: string[]): Promise<string[]> {
      const found = await leases
        .find({ _id: { $in: ids }, organizationId }, { projection: { _id: 1 } })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /**
     * Says that another member may hold these metric versions of some records: their scores are
     * missing from now on.
     */
    async open(organizationId: string, ids: string[], metricVersionIds: string[]): Promise<void> {
      await leases.updateMany(
        { _id: { $in: ids }, organizationId },
        { $addToSet: { open: { $each: metricVersionIds } } },
      );
    },

    /**
     * Lists records of a project or a run, in the order of their ids, of which others hold all that
     * a member could give.
     */
    async listFull(
      organizationId: string,
      {
        within,
        userId,
        metricVersionIds,
        after,
        limit,
        time: { now, beyond },
      }: {
        within: ReviewScope;
        userId: string;
        metricVersionIds: string[] | undefined;
        after: string | undefined;
        limit: number;
        time: LeaseTime;
      },
    ): Promise<string[]> {
      const found = await leases
        .find(
          {
            organizationId,
            ...within,
            ...(after === undefined ? {} : { _id: { $gt: after } }),
            firstEndsAt: { $gt: now, $lt: beyond },
            open: metricVersionIds ? { $nin: metricVersionIds } : { $size: 0 },
            'leases.userId': { $ne: userId },
          },
          { projection: { _id: 1 } },
        )
        .hint({
          organizationId: 1,
          ...('runId' in within ? { runId: 1 as const } : { projectId: 1 as const }),
          _id: 1,
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Lists the records that a member holds, the lease that ends last first. */
    async listHeld(
      organizationId: string,
      userId: string,
      { now, beyond }: LeaseTime,
    ): Promise<string[]> {
      const found = await leases
        .find(
          { organizationId, 'leases.userId': userId, expiresAt: { $gt: now } },
          { projection: { leases: 1 } },
        )
        .hint({ organizationId: 1, 'leases.userId': 1 })
        .toArray();
      return found
        .flatMap(({ _id: id, leases }) =>
          leases
            .filter((lease) => lease.userId === userId)
            .map(({ until }) => ({ id, until: until.getTime() })),
        )
        .filter(({ until }) => until > now.getTime() && until < beyond.getTime())
        .sort((a, b) => b.until - a.until)
        .map(({ id }) => id);
    },
  };
}

const filtered = (input: Document | string, cond: Document) => ({
  $filter: { input, as: 'this', cond },
});

/** The metric versions among these for which the condition holds. */
const versionsOf = (rooms: Room[], cond: Document) => ({
  $map: { input: filtered({ $literal: rooms }, cond), in: '$$this.metricVersionId' },
});

/** Do fewer members than may hold a metric version? */
const hasRoom = {
  $lt: [
    {
      $size: {
        $filter: {
          input: '$leases',
          as: 'lease',
          cond: { $in: ['$$this.metricVersionId', '$$lease.metricVersionIds'] },
        },
      },
    },
    '$$this.members',
  ],
};

/** All metric versions of a record that somebody holds. */
const allHeld = {
  $reduce: {
    input: '$leases.metricVersionIds',
    initialValue: [],
    in: { $setUnion: ['$$value', '$$this'] },
  },
};

/** When the first and the last lease end; at once where there is none. */
const ends = (now: Date) => ({
  firstEndsAt: { $ifNull: [{ $min: '$leases.until' }, now] },
  expiresAt: { $ifNull: [{ $max: '$leases.until' }, now] },
});
