import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { change, queryClient, reading } from '../../api/query.ts';
import { ApiError, request, urlOf } from '../../api/request.ts';
import { keepHead, readHead } from '../../parts/payload/use-bytes.ts';
import type { Preview } from '../../text/json.ts';
import type { AskedMetric, HeldRecord, LostLease, ReviewCalls } from './review.ts';

type Lease = ReplyOf<'POST', '/review-queue/next'>;

/** The payloads of a record, by their names. */
export const payloadFields = ['inputs', 'outputs', 'expected'] as const;
export type PayloadField = (typeof payloadFields)[number];

/** A record that is reviewed, and the beginnings of its payloads. */
export interface ReviewItem extends Pick<ItemOf<'/review-queue'>['record'], PayloadField> {
  id: string;
  runId: string;
  metrics: AskedMetric[];
}

/** The records of a review: a project's or a run's, for all human metrics or for one. */
export interface ReviewScope {
  projectId: string;
  runId?: string | undefined;
  metricId?: string | undefined;
  /** Only the records that are assigned to this member. */
  assigneeUserId?: string | undefined;
}

/** Characters of each payload that come with a record: most payloads are no longer. */
const previewCharacters = 2000;
/** Ids of assigned records that are read at once. */
const idsAtOnce = 50;

export const payloadUrl = (recordId: string, field: PayloadField): string =>
  urlOf('/records/:recordId/payloads/:field', { params: { recordId, field } });

/** The requests of a member's review. */
export function createCalls(scope: ReviewScope, userId: string): ReviewCalls<ReviewItem> {
  const { projectId, runId, metricId, assigneeUserId } = scope;

  async function next(wish: {
    after?: string;
    renew?: string;
  }): Promise<HeldRecord<ReviewItem> | null> {
    const { item, metrics, leaseUntil } = await request('POST', '/review-queue/next', {
      query: { preview: previewCharacters },
      body: {
        projectId,
        ...(runId ? { runId } : {}),
        ...(metricId ? { metricId } : {}),
        ...wish,
      },
    });
    return item && { item: itemOf(item, metrics), leaseUntil: Date.parse(leaseUntil ?? '') };
  }

  async function renew(recordId: string): Promise<HeldRecord<ReviewItem> | LostLease> {
    try {
      return (await next({ renew: recordId })) ?? { lostTo: [] };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const { userIds } = error.details;
      return { lostTo: Array.isArray(userIds) ? userIds : [] };
    }
  }

  return {
    take: assigneeUserId
      ? createAssignedFeed({ ...scope, assigneeUserId }, renew)
      : async (after) => (await next(after ? { after } : {})) ?? undefined,
    renew: ({ id }) => renew(id),
    put: async ({ id, runId }, { metricVersionId }, score) => {
      await change('PUT', '/records/:recordId/scores/:metricConfigId', {
        params: { recordId: id, metricConfigId: metricVersionId },
        body: { score },
      });
      count(scope, { runId, userId, by: 1 });
    },
    remove: async ({ id, runId }, { metricVersionId }) => {
      const { deleted } = await change('DELETE', '/records/:recordId/scores/:metricConfigId', {
        params: { recordId: id, metricConfigId: metricVersionId },
        query: { userId },
      });
      count(scope, { runId, userId, by: -deleted });
    },
    readAhead: (item) => {
      for (const field of payloadFields) void readPayloadAhead(item, field);
    },
  };
}

/** A member's own records, in the order of the queue: each is taken when it is its turn. */
function createAssignedFeed(
  { projectId, runId, metricId, assigneeUserId }: ReviewScope & { assigneeUserId: string },
  renew: (recordId: string) => Promise<HeldRecord<ReviewItem> | LostLease>,
): ReviewCalls<ReviewItem>['take'] {
  let ids: string[] = [];
  let cursor: string | null = null;
  let isRead = false;
  return async (after, isKnown) => {
    if (after === undefined) [ids, cursor, isRead] = [[], null, false];
    for (;;) {
      const [id] = ids;
      if (id !== undefined) {
        const taken = await renew(id);
        ids = ids.filter((one) => one !== id);
        if ('item' in taken) return taken;
      } else if (isRead) return undefined;
      else {
        const page: ReplyOf<'GET', '/review-queue'> = await request('GET', '/review-queue', {
          query: {
            projectId,
            assigneeUserId,
            ...(runId ? { runId } : {}),
            ...(metricId ? { metricId } : {}),
            ...(cursor ? { cursor } : {}),
            preview: 0,
            limit: idsAtOnce,
          },
        });
        const found = new Set(page.data.map(({ record }) => record.id));
        ids = [...found].filter((id) => !isKnown(id));
        cursor = page.nextCursor;
        isRead = cursor === null;
      }
    }
  };
}

const itemOf = ({ record }: NonNullable<Lease['item']>, metrics: AskedMetric[]): ReviewItem => ({
  id: record.id,
  runId: record.runId,
  inputs: record.inputs,
  outputs: record.outputs,
  expected: record.expected,
  metrics,
});

/** A payload whose preview is all of it needs no request; of others the beginning is read. */
async function readPayloadAhead(item: ReviewItem, field: PayloadField): Promise<void> {
  const { text, bytes: total, isCut } = item[field] as unknown as Preview;
  const url = payloadUrl(item.id, field);
  if (!isCut)
    return keepHead(url, { bytes: new TextEncoder().encode(text), isComplete: true, total });
  // A failure is told when the payload is read again, to be shown.
  await readHead(url, total).catch(() => undefined);
}

/** Counts a score where the progress is shown; the server's own count comes now and then. */
function count(
  { projectId }: ReviewScope,
  { runId, userId, by }: { runId: string; userId: string; by: number },
): void {
  for (const query of [{ projectId }, { projectId, runId }])
    queryClient.setQueryData(
      reading('/review-queue/progress', { query }).queryKey,
      (before) =>
        before && {
          missing: Math.max(0, before.missing - by),
          mine: Math.max(0, before.mine - by),
          given: before.given + by,
          byMember: [
            ...before.byMember.filter((member) => member.userId !== userId),
            { userId, given: givenBy(before, userId) + by },
          ],
        },
    );
}

/** How many scores a member has given. */
export const givenBy = (
  { byMember }: ReplyOf<'GET', '/review-queue/progress'>,
  userId: string,
): number => byMember.find((member) => member.userId === userId)?.given ?? 0;
