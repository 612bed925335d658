import type { AggregateOptions, Collection, Filter } from 'mongodb';
import type { DueHead, HeadDocument } from './head.ts';

/**
 * Returns the organizations that have heads as wanted, by an index that has all that is read. That
 * the organization is named at all lets MongoDB pass over the heads that are not wanted.
 */
export async function organizationsWith(
  heads: Pick<Collection<HeadDocument>, 'aggregate'>,
  wanted: Filter<HeadDocument>,
  options: AggregateOptions = {},
): Promise<string[]> {
  const found = heads.aggregate<{ _id: string }>(
    [
      { $match: { organizationId: { $gt: '' }, ...wanted } },
      { $group: { _id: '$organizationId' } },
    ],
    options,
  );
  return (await found.toArray()).map(({ _id }) => _id);
}

/** Heads that no process settles at this time. */
export const freeAt = (now: Date) => ({ claimedUntil: { $not: { $gt: now } } });

/**
 * Claims those of these heads that are still free, and as wanted, for `claimedMs`. Returns them: of
 * processes that claim at once each has others.
 */
export async function claimHeads(
  heads: Pick<Collection<HeadDocument>, 'updateMany' | 'find'>,
  {
    ids,
    wanted = {},
    now,
    claimedMs,
    claim,
  }: {
    ids: string[];
    wanted?: Filter<HeadDocument>;
    now: Date;
    claimedMs: number;
    claim: string;
  },
): Promise<DueHead[]> {
  const claimedUntil = new Date(now.getTime() + claimedMs);
  await heads.updateMany(
    { _id: { $in: ids }, ...wanted, ...freeAt(now) },
    { $set: { claimedUntil, claimedBy: claim } },
  );
  return heads
    .find({ _id: { $in: ids }, claimedBy: claim })
    .map(dueHeadOf)
    .toArray();
}

const dueHeadOf = ({
  organizationId,
  traceId,
  projectId,
  isProjectGuessed,
  changedAt,
  arrivals,
  expiresAt,
}: HeadDocument): DueHead => ({
  organizationId,
  traceId,
  projectId,
  isProjectGuessed,
  changedAt,
  arrivals,
  expiresAt,
});
