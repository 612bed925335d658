import type { Database } from '@assay/runtime/mongo/database';
import type { Filter } from 'mongodb';
import { claimHeads, freeAt, organizationsWith } from './claims.ts';
import { type DueHead, type HeadDocument, idOf } from './head.ts';

/** Heads of settled traces that were read by an earlier mapping. */
export function createOutdatedHeads(database: Database) {
  const heads = database.collection<HeadDocument>('traces');

  return {
    organizations: (mapping: number): Promise<string[]> =>
      organizationsWith(heads, isOutdated(mapping), {
        hint: { organizationId: 1, mapping: 1, startedAt: -1 },
      }),

    /**
     * Claims the newest heads of an organization that were settled by a version before `mapping`,
     * for `claimedMs`.
     */
    async take(
      organizationId: string,
      {
        now,
        mapping,
        claimedMs,
        claim,
        limit,
      }: { now: Date; mapping: number; claimedMs: number; claim: string; limit: number },
    ): Promise<DueHead[]> {
      const found = await heads
        .find(
          { organizationId, ...isOutdated(mapping), ...freeAt(now) },
          { projection: { _id: 1 }, sort: { startedAt: -1 }, limit },
        )
        .toArray();
      if (found.length === 0) return [];
      const ids = found.map(({ _id }) => _id);
      return claimHeads(heads, { ids, wanted: { isSettled: true }, now, claimedMs, claim });
    },

    /** Notes that nothing more can be read of those that the claim still holds. */
    async complete(claim: string, claimed: DueHead[], mapping: number): Promise<void> {
      await heads.updateMany(
        { _id: { $in: claimed.map(idOfHead) }, claimedBy: claim },
        { $set: { mapping }, $unset: { claimedUntil: 1, claimedBy: 1 } },
      );
    },
  };
}

const idOfHead = ({ organizationId, traceId }: DueHead): string => idOf(organizationId, traceId);

/** Each version by itself, so that the index has them in their order. The first heads have none. */
const isOutdated = (mapping: number): Filter<HeadDocument> => ({
  isSettled: true,
  mapping: {
    $in: [null, ...Array.from({ length: mapping - 1 }, (_, index) => index + 1)] as number[],
  },
});
