import type { TraceVolume } from '@assay/contracts/traces';
import type { HeadFilter, Store, TraceCount } from '../store.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long counting may take. */
const budgetMs = 1000;

/** Counts the traces of a project in equal stretches of time. */
export function createVolume({
  store,
  now,
  clock = () => performance.now(),
}: {
  store: Pick<Store, 'volume'>;
  now: () => Date;
  /** Milliseconds that only grow. */
  clock?: () => number;
}) {
  return {
    /** Counts the newest first; what is not counted after a second is null. */
    async read(
      organizationId: string,
      projectId: string,
      { buckets, ...filter }: HeadFilter & { buckets: number },
    ): Promise<TraceVolume> {
      const { from, to } = rangeOf(filter, now().getTime());
      const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
      const starts = [];
      for (let start = from; start < to; start += bucketMs) starts.push(start);
      const end = clock() + budgetMs;
      const data: TraceVolume['data'] = [];
      let isComplete = true;
      for (const start of starts.reverse()) {
        const left = end - clock();
        const within = { ...filter, from: start, to: Math.min(start + bucketMs, to) };
        const count: TraceCount | undefined =
          isComplete && left > 0
            ? await store.volume.count(organizationId, projectId, within, left)
            : undefined;
        isComplete = count !== undefined;
        data.unshift({
          from: new Date(start).toISOString(),
          traces: count?.traces ?? null,
          errors: count?.errors ?? null,
        });
      }
      return {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        bucketMs,
        isComplete,
        data,
      };
    },
  };
}

/** The day up to now where nothing else is said. */
function rangeOf({ from, to }: HeadFilter, now: number): { from: number; to: number } {
  const end = to ?? Math.max(now, (from ?? 0) + 1);
  return { from: from ?? end - dayMs, to: end };
}
