import type { TraceVolume } from '@assay/contracts/traces';
import type { HeadFilter, Store, TraceCount } from '../store.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long counting may take. */
const budgetMs = 1000;
/** Traces that are read at once, where there are no more, and how long that may take. */
const few = { limit: 5000, maxMs: 300 };

type Counts = (TraceCount | undefined)[];

/** Counts the traces of a project in equal stretches of time. */
export function createVolume({
  store,
  now,
  clock = () => performance.now(),
  fewMax = few.limit,
}: {
  store: Pick<Store, 'volume'>;
  now: () => Date;
  /** Milliseconds that only grow. */
  clock?: () => number;
  fewMax?: number;
}) {
  /** Counts one stretch after the other, the newest first, until a time. */
  async function countEach(
    organizationId: string,
    projectId: string,
    { starts, end, ...filter }: HeadFilter & { starts: number[]; end: number },
  ): Promise<Counts> {
    const counts: Counts = starts.map(() => undefined);
    for (const [at, start] of [...starts.entries()].reverse()) {
      const left = end - clock();
      if (left <= 0) break;
      const within = { ...filter, from: start, to: starts[at + 1] ?? filter.to };
      const count = await store.volume.count(organizationId, projectId, within, left);
      if (!count) break;
      counts[at] = count;
    }
    return counts;
  }

  return {
    /** Where there are few traces, they are read; else those not counted after a second are null. */
    async read(
      organizationId: string,
      projectId: string,
      { buckets, ...asked }: HeadFilter & { buckets: number },
    ): Promise<TraceVolume> {
      const end = clock() + budgetMs;
      const { from, to } = rangeOf(asked, now().getTime());
      const filter = { ...asked, from, to };
      const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
      const starts: number[] = [];
      for (let start = from; start < to; start += bucketMs) starts.push(start);
      const found = await store.volume.findFew(organizationId, projectId, filter, {
        limit: fewMax,
        maxMs: few.maxMs,
      });
      const counts: Counts = found
        ? starts.map(() => ({ traces: 0, errors: 0 }))
        : await countEach(organizationId, projectId, { ...filter, starts, end });
      for (const { startedAt, hasError } of found ?? []) {
        const count = counts[Math.floor((startedAt - from) / bucketMs)]!;
        count.traces += 1;
        if (hasError) count.errors += 1;
      }
      return {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        bucketMs,
        isComplete: counts.every((count) => count !== undefined),
        data: starts.map((start, at) => ({
          from: new Date(start).toISOString(),
          traces: counts[at]?.traces ?? null,
          errors: counts[at]?.errors ?? null,
        })),
      };
    },
  };
}

/** The day up to now where nothing else is said. */
function rangeOf({ from, to }: HeadFilter, now: number): { from: number; to: number } {
  const end = to ?? Math.max(now, (from ?? 0) + 1);
  return { from: from ?? end - dayMs, to: end };
}
