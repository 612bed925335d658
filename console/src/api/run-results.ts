import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { request } from './request.ts';

type Run = Pick<ItemOf<'/projects/:projectId/runs'>, 'id' | 'status' | 'expiredAt'>;
type RunSummary = ReplyOf<'POST', '/run-summaries'>['items'][number];
export type MetricResult = RunSummary['metrics'][number];
/** The result of a metric, or how often the system failed. */
export type Result = RunSummary['errors'];

/** The most runs of one request. */
const runsMax = 100;
/** Results of runs that are under way are read again after this time, in ms. */
const liveMs = 5000;

export interface RunResults {
  /** No result is still being read for the first time. */
  areRead: boolean;
  /** Every metric of the runs, in the order in which it comes up. */
  metrics: MetricResult[];
  resultOf: (runId: string, metricId: string) => MetricResult | undefined;
  /** How often the system of a run failed; undefined before it is read. */
  errorsOf: (runId: string) => Result | undefined;
  /** The results of all metrics of a run, and its errors where it has some; none before they are read. */
  ofRun: (runId: string) => Result[];
}

/**
 * The results of runs, by one request for a hundred of them: by their own metrics, or by these, in
 * the order in which they are named.
 */
export function useRunResults(runs: Run[], metricIds?: string[]): RunResults {
  const parts = Array.from({ length: Math.ceil(runs.length / runsMax) }, (_, part) =>
    runs.slice(part * runsMax, (part + 1) * runsMax),
  );
  const replies = useQueries({
    queries: parts.map((part) => {
      const runIds = part.map(({ id }) => id);
      return {
        // A run that has just come to its end is read once more.
        queryKey: ['/run-summaries', metricIds, ...part.map(({ id, status }) => `${id} ${status}`)],
        placeholderData: keepPreviousData,
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          request('POST', '/run-summaries', {
            body: { runIds, ...(metricIds && { metricIds }) },
            signal,
          }),
        refetchInterval: part.some(({ status, expiredAt }) => status !== 'completed' && !expiredAt)
          ? liveMs
          : false,
      } as const;
    }),
  });
  const items = replies.flatMap(({ data }) => data?.items ?? []);
  const byRun = new Map(items.map((item) => [item.runId, item]));
  const metrics = new Map<string, MetricResult>();
  for (const item of items)
    for (const metric of item.metrics)
      if (!metrics.has(metric.metricId)) metrics.set(metric.metricId, metric);
  return {
    areRead: !replies.some(({ isPending }) => isPending),
    metrics: [...metrics.values()],
    // A run that was scored anew has several versions of a metric: the latest.
    resultOf: (runId, metricId) =>
      byRun.get(runId)?.metrics.findLast((metric) => metric.metricId === metricId),
    errorsOf: (runId) => byRun.get(runId)?.errors,
    ofRun: (runId) => {
      const { metrics = [], errors } = byRun.get(runId) ?? {};
      return errors?.mean ? [...metrics, errors] : metrics;
    },
  };
}
