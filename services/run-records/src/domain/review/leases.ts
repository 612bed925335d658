import type { Identity } from '@assay/contracts/define';
import { conflict, type Failure, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { PreviewRequest } from '@assay/contracts/preview';
import { reviewLeasesMax } from '@assay/contracts/run-records';
import type { Lease, LeaseTime, Room } from '../../store/leases.ts';
import type { ReviewedRecord, Reviewer, ReviewFilter, ReviewOutline } from '../../store/review.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import { givenCount, missingOf, type ReviewQueue } from './review-queue.ts';

/** What a member asks for: the next item, the one after a record, or a record again. */
export interface ReviewWish {
  projectId: string;
  runId?: string | undefined;
  metricId?: string | undefined;
  after?: string | undefined;
  renew?: string | undefined;
}

/** The queue as one member is asked: what is assigned to that member or to nobody. */
interface MemberView extends ReviewFilter {
  reviewer: Reviewer;
}

/** A record that a member has taken, with the metrics that the member is asked for. */
interface TakenRecord {
  record: ReviewedRecord;
  metrics: MetricVersionOutline[];
  until: Date;
}

/** Records that others hold, read at once: ids alone, from an index. */
const fullMax = 1000;
/** Records read at once: the first is taken unless somebody else takes it at that moment. */
const candidatesMax = 5;

/**
 * Leases of the review queue (contract section 4): while a member holds a record, nobody else is
 * asked for the same scores of it. A metric of several annotators is held by as many members as are
 * still missing.
 */
export function createReviewLeases({
  store,
  now,
  reviewLeaseMs,
  reviewQueue,
}: Pick<Dependencies, 'store' | 'now' | 'reviewLeaseMs'> & { reviewQueue: ReviewQueue }) {
  function timeOfLease(): LeaseTime {
    const at = now();
    const later = (ms: number) => new Date(at.getTime() + ms);
    return { now: at, until: later(reviewLeaseMs), beyond: later(2 * reviewLeaseMs) };
  }

  /** Takes a record if it is still to be had. Returns the leases of others if not. */
  async function take(
    organizationId: string,
    {
      run,
      record: { id, ...states },
      view,
    }: { run: StoredRun; record: ReviewOutline; view: MemberView },
  ): Promise<TakenRecord | { lost: Lease[] }> {
    const { userId } = view.reviewer;
    const wanted = versionIdsOf(missingOf(states, run.metrics, view));
    const time = timeOfLease();
    const leases = await store.leases.take(organizationId, {
      record: { id, projectId: run.projectId, runId: run.id },
      userId,
      wanted,
      rooms: roomsOf(states, run.metrics),
      time,
    });
    const own = leases.find((lease) => lease.userId === userId);
    const others = leases.filter((lease) => lease !== own);
    if (!own?.metricVersionIds.some((version) => wanted.includes(version))) return { lost: others };
    // Read once it is held: until then, others may have scored the missing ones.
    const record = await store.review.find(organizationId, id);
    const metrics = record ? openTo(record, { run, view, others }) : [];
    if (!record || metrics.length === 0) {
      await store.leases.release(organizationId, id, {
        userId,
        metricVersionIds: wanted,
        now: time.now,
      });
      return { lost: others };
    }
    await endOldest(organizationId, userId, time);
    return { record, metrics, until: own.until };
  }

  /** A member who goes on and on without scoring does not keep the whole queue. */
  async function endOldest(organizationId: string, userId: string, time: LeaseTime): Promise<void> {
    const held = await store.leases.listHeld(organizationId, userId, time);
    for (const id of held.slice(reviewLeasesMax))
      await store.leases.release(organizationId, id, { userId, now: time.now });
  }

  /**
   * Takes the first record that is to be had. Reads the ids of records that others hold, and of the
   * records themselves only a few: the price does not grow with the run.
   */
  async function takeNext(
    organizationId: string,
    view: MemberView,
    after: string | undefined,
  ): Promise<TakenRecord | undefined> {
    if (view.metricVersionIds?.length === 0) return undefined;
    for (let from = after; ; ) {
      const full = await store.leases.listFull(organizationId, {
        ...view,
        userId: view.reviewer.userId,
        after: from,
        limit: fullMax,
        time: timeOfLease(),
      });
      const through = full.length === fullMax ? full.at(-1)! : undefined;
      const candidates = await store.review.listOutlines(organizationId, {
        ...view,
        after: from,
        through,
        excludedIds: full,
        limit: candidatesMax,
      });
      const found = await store.runs.findEach(
        candidates.map(({ runId }) => ({ organizationId, id: runId })),
      );
      for (const [index, record] of candidates.entries()) {
        const run = found[index];
        const outcome = run && (await take(organizationId, { run, record, view }));
        if (outcome && 'record' in outcome) return outcome;
      }
      from = candidates.length === candidatesMax ? candidates.at(-1)!.id : through;
      if (from === undefined) return undefined;
    }
  }

  /** @throws CONFLICT, naming who has it, where the record is no longer the member's to score. */
  async function renew(organizationId: string, id: string, view: MemberView): Promise<TakenRecord> {
    const record = await store.records.findEnvelope(organizationId, id);
    const run = record && (await store.runs.find(organizationId, record.runId));
    if (!record || !run || !isWithin(run, view))
      throw invalidAt('/renew', 'does not belong to what is reviewed');
    const { userId } = view.reviewer;
    const assignees = record.assignees.map(({ assigneeUserId }) => assigneeUserId);
    if (assignees.length > 0 && !assignees.includes(userId))
      throw lost(id, assignees, 'is assigned to');
    if (missingOf(record, run.metrics, view).length === 0)
      throw lost(id, othersIn(record, run, userId), 'scored');
    const outcome = await take(organizationId, { run, record, view });
    if ('record' in outcome) return outcome;
    const holders = outcome.lost.map((lease) => lease.userId);
    throw lost(id, holders, 'took');
  }

  return {
    /**
     * The oldest item that nobody else holds, or the one that is renewed, with the end of its lease.
     * What the caller holds already comes again, unless it stands before `after`.
     */
    async next(
      identity: Identity,
      { projectId, runId, metricId, after, renew: recordId }: ReviewWish,
      previews: PreviewRequest | undefined,
    ) {
      const { organizationId, userId } = identity;
      const within = await reviewQueue.scopeOf(identity, { projectId, runId }, '/');
      const metricVersionIds = await reviewQueue.versionsOf(identity, within, metricId);
      const view = { within, metricVersionIds, reviewer: { userId, seesUnassigned: true } };
      const taken =
        recordId === undefined
          ? await takeNext(organizationId, view, after)
          : await renew(organizationId, recordId, view);
      if (!taken) return { item: null, metrics: [], leaseUntil: null };
      const { record, metrics, until } = taken;
      const [item] = await reviewQueue.toItems(
        identity,
        [{ record, metric: metrics[0]! }],
        previews,
      );
      return {
        item: item!,
        metrics: await reviewQueue.toMetrics(identity, metrics),
        leaseUntil: until.toISOString(),
      };
    },
  };
}

const versionIdsOf = (metrics: MetricVersionOutline[]): string[] =>
  metrics.map(({ metricVersionId }) => metricVersionId);

/** How many members each missing score of people still needs. */
const roomsOf = (
  states: Pick<ReviewOutline, 'awaited' | 'scores'>,
  metrics: MetricVersionOutline[],
): Room[] =>
  missingOf(states, metrics, { reviewer: undefined, metricVersionIds: undefined }).map(
    ({ metricVersionId, annotators }) => ({
      metricVersionId,
      members: annotators - givenCount(states, metricVersionId),
    }),
  );

/** The metrics that a member can still score while others hold what they have. */
function openTo(
  record: ReviewedRecord,
  { run, view, others }: { run: StoredRun; view: MemberView; others: Lease[] },
): MetricVersionOutline[] {
  const rooms = roomsOf(record, run.metrics);
  const holders = (id: string) =>
    others.filter(({ metricVersionIds }) => metricVersionIds.includes(id)).length;
  return missingOf(record, run.metrics, view).filter(({ metricVersionId: id }) =>
    rooms.some(({ metricVersionId, members }) => metricVersionId === id && holders(id) < members),
  );
}

const isWithin = ({ id, projectId }: StoredRun, { within }: MemberView): boolean =>
  'runId' in within ? id === within.runId : projectId === within.projectId;

/** The members other than this one who have scored a record of people's metrics. */
function othersIn(
  { scores }: Pick<ReviewOutline, 'scores'>,
  { metrics }: StoredRun,
  userId: string,
): string[] {
  const human = versionIdsOf(metrics.filter(({ evalType }) => evalType === 'human'));
  return scores
    .filter(({ metricVersionId, isPending }) => human.includes(metricVersionId) && !isPending)
    .map((score) => score.userId)
    .filter((id) => id !== userId);
}

/** The failure of a member who no longer holds a record. */
function lost(id: string, by: string[], how: string): Failure {
  const userIds = [...new Set(by)];
  const sentence =
    userIds.length === 0
      ? 'Nothing of this record is left for you to score.'
      : `${userIds.join(', ')} ${how} this one.`;
  return conflict(`${sentence} Ask for the next one.`, {
    details: { resource: 'record', id, userIds },
  });
}
