import { eachOf, whenAccepted } from '../../api/each.ts';
import { request } from '../../api/request.ts';
import { deal } from './draw.ts';

/** Records that are drawn from at most: the oldest ones that wait. */
export const drawnFromMax = 20_000;
/** Assignments that are sent at once. */
const atOnce = 6;

/** Reads which records of a run wait for people, oldest first. */
export async function readWaiting(
  { runId, metricId }: { runId: string; metricId?: string | undefined },
  { told, signal }: { told: (count: number) => void; signal: AbortSignal },
): Promise<string[]> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: { data: { record: { id: string } }[]; nextCursor: string | null } = await request(
      'GET',
      '/review-queue',
      {
        query: {
          runId,
          ...(metricId ? { metricId } : {}),
          preview: 0,
          limit: 100,
          ...(cursor ? { cursor } : {}),
        },
        signal,
      },
    );
    for (const { record } of page.data) ids.add(record.id);
    told(ids.size);
    cursor = page.nextCursor;
  } while (cursor !== null && ids.size < drawnFromMax);
  return [...ids].slice(0, drawnFromMax);
}

/** Reads which records of a run nobody has scored by a metric, oldest first. */
export async function readUnscored(
  { runId, metricId }: { runId: string; metricId: string },
  { told, signal }: { told: (count: number) => void; signal: AbortSignal },
): Promise<string[]> {
  const { metrics } = await request('GET', '/runs/:runId/summary', { params: { runId }, signal });
  const versions = metrics
    .filter((metric) => metric.metricId === metricId)
    .map(({ metricVersionId }) => metricVersionId);
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: {
      data: { id: string; scores: { metricConfigId: string }[] }[];
      nextCursor: string | null;
    } = await request('GET', '/runs/:runId/records', {
      params: { runId },
      query: { preview: 0, limit: 100, ...(cursor ? { cursor } : {}) },
      signal,
    });
    for (const { id, scores } of page.data)
      if (!scores.some(({ metricConfigId }) => versions.includes(metricConfigId))) ids.push(id);
    told(ids.length);
    cursor = page.nextCursor;
  } while (cursor !== null && ids.length < drawnFromMax);
  return ids.slice(0, drawnFromMax);
}

/** Deals records to members. */
export async function assignTo(
  drawn: readonly string[],
  {
    userIds,
    perRecord,
    told,
    signal,
  }: {
    userIds: readonly string[];
    perRecord: number;
    told: (done: number, all: number) => void;
    signal: AbortSignal;
  },
): Promise<void> {
  const dealt = deal(drawn, userIds, perRecord);
  let done = 0;
  await eachOf(dealt, { atOnce }, async ({ recordId, userId }) => {
    signal.throwIfAborted();
    await assign(recordId, userId, signal);
    done += 1;
    told(done, dealt.length);
  });
}

/** Assigns a record; whoever has it already keeps it, so a repeat does no harm. */
const assign = (recordId: string, userId: string, signal: AbortSignal): Promise<unknown> =>
  whenAccepted(
    () =>
      request('POST', '/records/:recordId/assignees', {
        params: { recordId },
        body: { assigneeUserId: userId },
        signal,
      }),
    signal,
  );
