import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import { statedScale } from '@assay/contracts/scale';
import { LRUCache } from 'lru-cache';
import type {
  ReviewedRecord,
  Reviewer,
  ReviewFilter,
  ReviewOutline,
  ReviewScope,
} from '../../store/review.ts';
import type { Dependencies } from '../dependencies.ts';
import { type RecordReply, shown, toRecordReply } from '../records/records.ts';

export interface Filters {
  projectId?: string | undefined;
  runId?: string | undefined;
  metricId?: string | undefined;
  assigneeUserId?: string | undefined;
}

export type ReviewQueue = ReturnType<typeof createReviewQueue>;

export interface MissingScore {
  record: ReviewedRecord;
  metric: MetricVersionOutline;
}

const knownGuidelinesMax = 1000;

/** The scores that people have to give, oldest first (contract section 3). */
export function createReviewQueue({ store, ask }: Pick<Dependencies, 'store' | 'ask'>) {
  const knownGuidelines = new LRUCache<string, string>({ max: knownGuidelinesMax });

  /** @throws VALIDATION_ERROR for what does not exist, with its place in the query or the body. */
  async function scopeOf(
    identity: Identity,
    { projectId, runId }: Pick<Filters, 'projectId' | 'runId'>,
    place: '?' | '/',
  ): Promise<ReviewScope> {
    if (runId !== undefined) {
      const run = await store.runs.find(identity.organizationId, runId);
      if (!run) throw invalidAt(`${place}runId`, 'does not belong to this organization');
      if (projectId !== undefined && run.projectId !== projectId)
        throw invalidAt(`${place}runId`, 'does not belong to the project');
      return { runId };
    }
    if (projectId === undefined) throw invalidAt(`${place}projectId`, 'is required, or runId');
    const { found } = await ask.catalog.project(identity, { projectId });
    if (!found) throw invalidAt(`${place}projectId`, 'does not belong to this organization');
    return { projectId };
  }

  /** The versions of a metric that the runs of a scope have; undefined where none is named. */
  const versionsOf = async (
    { organizationId }: Identity,
    within: ReviewScope,
    metricId: string | undefined,
  ): Promise<string[] | undefined> =>
    metricId === undefined
      ? undefined
      : store.review.listMetricVersionIds(organizationId, within, metricId);

  /**
   * The reviewer of a list: a named assignee sees the records assigned to them; a member sees their
   * own and unassigned ones; an admin (undefined) sees all.
   */
  async function reviewerOf(
    identity: Identity,
    assigneeUserId: string | undefined,
  ): Promise<Reviewer | undefined> {
    const { userId, role } = identity;
    if (assigneeUserId === undefined)
      return role === 'admin' ? undefined : { userId, seesUnassigned: true };
    if (assigneeUserId !== userId) {
      const { found } = await ask.identity.isMember(identity, { userId: assigneeUserId });
      if (!found) throw invalidAt('?assigneeUserId', 'does not belong to this organization');
    }
    return { userId: assigneeUserId, seesUnassigned: false };
  }

  async function viewOf(identity: Identity, filters: Filters): Promise<ReviewFilter> {
    // One after the other: of two faults the first is told, whichever is found first.
    const within = await scopeOf(identity, filters, '?');
    const reviewer = await reviewerOf(identity, filters.assigneeUserId);
    const metricVersionIds = await versionsOf(identity, within, filters.metricId);
    return { within, reviewer, metricVersionIds };
  }

  async function* missingScores(
    organizationId: string,
    view: ReviewFilter,
    { fromId, limit }: { fromId: string | undefined; limit: number },
  ): AsyncIterable<MissingScore> {
    if (view.metricVersionIds?.length === 0) return;
    for (let from = fromId; ; ) {
      const { found: records, hasMore } = await store.review.list(organizationId, {
        ...view,
        fromId: from,
        limit,
      });
      const runs = await store.runs.findEach(
        records.map(({ runId }) => ({ organizationId, id: runId })),
      );
      for (const [index, record] of records.entries()) {
        for (const metric of missingOf(record, runs[index]?.metrics ?? [], view))
          yield { record, metric };
      }
      if (!hasMore) return;
      from = `${records.at(-1)!.id}~`;
    }
  }

  /**
   * Returns the guidelines of a metric version. A version never changes, so its guidelines are
   * cached.
   */
  async function guidelinesOf(identity: Identity, metricVersionId: string): Promise<string> {
    const key = `${identity.organizationId}/${metricVersionId}`;
    const known = knownGuidelines.get(key);
    if (known !== undefined) return known;
    const { version } = await ask.metrics.version(identity, { metricVersionId });
    if (!version) return '';
    knownGuidelines.set(key, version.guidelines);
    return version.guidelines;
  }

  /** Metric versions as reviewers see them, in the order given. */
  async function toMetrics(identity: Identity, metrics: MetricVersionOutline[]) {
    const versions = [...new Set(metrics.map(({ metricVersionId }) => metricVersionId))];
    const guidelines = new Map(
      await Promise.all(
        versions.map(async (id) => [id, await guidelinesOf(identity, id)] as const),
      ),
    );
    return metrics.map(({ metricId, metricVersionId, name, annotators, ...metric }) => ({
      id: metricId,
      metricVersionId,
      name,
      outputType: metric.outputType,
      ...statedScale(metric),
      guidelines: guidelines.get(metricVersionId)!,
      annotators,
    }));
  }

  async function toItems(
    identity: Identity,
    missing: MissingScore[],
    previews: PreviewRequest | undefined,
  ) {
    const metrics = await toMetrics(
      identity,
      missing.map(({ metric }) => metric),
    );
    const records: RecordReply[] = [];
    // Without their scores: a reviewer should not know the scores of other people or of a judge.
    for (const { record } of missing) records.push(await shown(toRecordReply(record), previews));
    return missing.map(({ record, metric: { metricVersionId } }, index) => ({
      record: records[index]!,
      metric: metrics[index]!,
      assigneeUserIds: record.assignees.map(({ assigneeUserId }) => assigneeUserId),
      given: givenCount(record, metricVersionId),
    }));
  }

  return {
    scopeOf,
    versionsOf,
    toMetrics,
    toItems,
    /**
     * An item a missing score, in the order of records and, on one record, of metric versions: an
     * order that scoring does not change.
     */
    async list(
      identity: Identity,
      {
        page,
        previews,
        ...filters
      }: Filters & { page: PageRequest; previews: PreviewRequest | undefined },
    ) {
      const view = await viewOf(identity, filters);
      const [fromId, afterVersionId] = page.after?.split('/') ?? [];
      const missing: MissingScore[] = [];
      let isFull = false;
      // One more than the page, and the record of the cursor, which may have nothing left.
      for await (const score of missingScores(identity.organizationId, view, {
        fromId,
        limit: page.limit + 2,
      })) {
        if (score.record.id === fromId && score.metric.metricVersionId <= afterVersionId!) continue;
        isFull = missing.length === page.limit;
        if (isFull) break;
        missing.push(score);
      }
      const last = missing.at(-1);
      const next = isFull ? `${last!.record.id}/${last!.metric.metricVersionId}` : null;
      return { items: await toItems(identity, missing, previews), next } satisfies Page<unknown>;
    },
  };
}

/**
 * The human metrics of a record that wait for a score, and for one of this reviewer, by their
 * versions.
 */
export function missingOf(
  { awaited, scores }: Pick<ReviewOutline, 'awaited' | 'scores'>,
  metrics: MetricVersionOutline[],
  { reviewer, metricVersionIds }: Pick<ReviewFilter, 'reviewer' | 'metricVersionIds'>,
): MetricVersionOutline[] {
  const given = scores
    .filter(({ userId, isPending }) => userId === reviewer?.userId && !isPending)
    .map((score) => score.metricVersionId);
  return metrics
    .filter(
      ({ evalType, metricVersionId: id }) =>
        evalType === 'human' && awaited.includes(id) && !given.includes(id),
    )
    .filter(({ metricVersionId: id }) => metricVersionIds?.includes(id) ?? true)
    .sort((a, b) => (a.metricVersionId < b.metricVersionId ? -1 : 1));
}

/** How many members have scored a record by a metric version. */
export const givenCount = ({ scores }: Pick<ReviewOutline, 'scores'>, metricVersionId: string) =>
  scores.filter((score) => score.metricVersionId === metricVersionId && !score.isPending).length;
