import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { useQueries } from '@tanstack/react-query';
import { useAll } from '../../api/all.ts';
import { useMetrics } from '../../api/metrics.ts';
import { reading, useReading } from '../../api/query.ts';

type Metric = ItemOf<'/projects/:projectId/metrics'>;

/** A run that asks people for scores, and how far they are; that is unknown while it is read. */
export interface ReviewedRun {
  run: ItemOf<'/projects/:projectId/runs'>;
  metrics: Metric[];
  progress: ReplyOf<'GET', '/review-queue/progress'> | undefined;
}

/** Runs whose progress is read at once. */
const runsMax = 20;

/** Runs of a status that are looked for among all runs. */
const soughtMax = 100;

/**
 * The newest runs of a project whose human metrics still miss scores: of those that wait for nothing
 * else, however old they are, and of the newest ones of any status.
 */
export function useReviewedRuns(projectId: string): {
  rows: ReviewedRun[];
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
} {
  const params = { projectId };
  const runs = useReading('/projects/:projectId/runs', { params, query: { limit: 100 } });
  const waiting = useAll('/projects/:projectId/runs', {
    params,
    query: { status: 'awaiting_human_scoring' },
    itemsMax: soughtMax,
  });
  const metrics = useMetrics(projectId);
  const human = metrics.data?.data.filter(({ evalType }) => evalType === 'human') ?? [];
  const found = newestFirst([...(runs.data?.data ?? []), ...(waiting.data?.data ?? [])])
    .map((run) => ({ run, metrics: human.filter(({ id }) => run.metricIds.includes(id)) }))
    .filter(({ run, metrics }) => metrics.length > 0 && run.scoring.pending > 0)
    .slice(0, runsMax);
  const progress = useQueries({
    queries: found.map(({ run }) =>
      reading('/review-queue/progress', { query: { projectId, runId: run.id } }),
    ),
  });
  const failed = [runs, waiting, metrics, ...progress].filter(({ error }) => error !== null);
  return {
    rows: found.map((row, index) => ({ ...row, progress: progress[index]?.data })),
    isLoading: runs.isPending || waiting.isPending || metrics.isPending,
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

/** Each run once. Ids are in the order of time. */
const newestFirst = (runs: ReviewedRun['run'][]): ReviewedRun['run'][] =>
  [...new Map(runs.map((run) => [run.id, run])).values()].sort((one, other) =>
    one.id < other.id ? 1 : -1,
  );
