import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { useQueries } from '@tanstack/react-query';
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

/** The newest runs of a project whose human metrics still miss scores. */
export function useReviewedRuns(projectId: string): {
  rows: ReviewedRun[];
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
} {
  const options = { params: { projectId }, query: { limit: 100 } };
  const runs = useReading('/projects/:projectId/runs', options);
  const metrics = useReading('/projects/:projectId/metrics', options);
  const human = metrics.data?.data.filter(({ evalType }) => evalType === 'human') ?? [];
  const found = (runs.data?.data ?? [])
    .map((run) => ({ run, metrics: human.filter(({ id }) => run.metricIds.includes(id)) }))
    .filter(({ run, metrics }) => metrics.length > 0 && run.scoring.pending > 0)
    .slice(0, runsMax);
  const progress = useQueries({
    queries: found.map(({ run }) =>
      reading('/review-queue/progress', { query: { projectId, runId: run.id } }),
    ),
  });
  const failed = [runs, metrics, ...progress].filter(({ error }) => error !== null);
  return {
    rows: found.map((row, index) => ({ ...row, progress: progress[index]?.data })),
    isLoading: runs.isPending || metrics.isPending,
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}
