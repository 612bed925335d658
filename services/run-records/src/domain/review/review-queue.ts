import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import { LRUCache } from 'lru-cache';
import type { ReviewedRecord, Reviewer, ReviewScope } from '../../store/review.ts';
import type { Dependencies } from '../dependencies.ts';
import { type RecordReply, shown, toRecordReply } from '../records/records.ts';

export interface Filters {
  projectId?: string | undefined;
  runId?: string | undefined;
  metricId?: string | undefined;
  assigneeUserId?: string | undefined;
}

/** The scope of a list: its project or run, its reviewer and its metric versions. */
interface View {
  within: ReviewScope;
  reviewer: Reviewer | undefined;
  metricVersionIds: string[] | undefined;
}

interface MissingScore {
  record: ReviewedRecord;
  metric: MetricVersionOutline;
}

const knownGuidelinesMax = 1000;

/** The scores that people have to give, oldest first (contract section 3). */
export function createReviewQueue({ store, ask }: Pick<Dependencies, 'store' | 'ask'>) {
  const knownGuidelines = new LRUCache<string, string>({ max: knownGuidelinesMax });

  async function scopeOf(identity: Identity, { projectId, runId }: Filters): Promise<ReviewScope> {
    if (runId !== undefined) {
      const run = await store.runs.find(identity.organizationId, runId);
      if (!run) throw invalidAt('?runId', 'does not belong to this organization');
      if (projectId !== undefined && run.projectId !== projectId)
        throw invalidAt('?runId', 'does not belong to the project');
      return { runId };
    }
    if (projectId === undefined) throw invalidAt('?projectId', 'is required, or runId');
    const { found } = await ask.catalog.project(identity, { projectId });
    if (!found) throw invalidAt('?projectId', 'does not belong to this organization');
    return { projectId };
  }

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

  async function viewOf(identity: Identity, filters: Filters): Promise<View> {
    // One after the other: of two faults the first is told, whichever is found first.
    const within = await scopeOf(identity, filters);
    const reviewer = await reviewerOf(identity, filters.assigneeUserId);
    const { metricId } = filters;
    const metricVersionIds =
      metricId === undefined
        ? undefined
        : await store.review.listMetricVersionIds(identity.organizationId, within, metricId);
    return { within, reviewer, metricVersionIds };
  }

  async function* missingScores(
    organizationId: string,
    view: View,
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

  async function toItems(
    identity: Identity,
    missing: MissingScore[],
    previews: PreviewRequest | undefined,
  ) {
    const versions = [...new Set(missing.map(({ metric }) => metric.metricVersionId))];
    const guidelines = new Map(
      await Promise.all(
        versions.map(async (id) => [id, await guidelinesOf(identity, id)] as const),
      ),
    );
    const records: RecordReply[] = [];
    // Without their scores: a reviewer should not know the scores of other people or of a judge.
    for (const { record } of missing) records.push(await shown(toRecordReply(record), previews));
    return missing.map(
      ({ record, metric: { metricId, metricVersionId, name, outputType, annotators } }, index) => ({
        record: records[index]!,
        metric: {
          id: metricId,
          metricVersionId,
          name,
          outputType,
          guidelines: guidelines.get(metricVersionId)!,
          annotators,
        },
        assigneeUserIds: record.assignees.map(({ assigneeUserId }) => assigneeUserId),
        given: record.scores.filter(
          (score) => score.metricVersionId === metricVersionId && !score.isPending,
        ).length,
      }),
    );
  }

  return {
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
function missingOf(
  { awaited, scores }: ReviewedRecord,
  metrics: MetricVersionOutline[],
  { reviewer, metricVersionIds }: Pick<View, 'reviewer' | 'metricVersionIds'>,
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
