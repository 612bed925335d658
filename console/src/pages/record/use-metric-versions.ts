import { useQueries } from '@tanstack/react-query';
import { reading } from '../../api/query.ts';
import type { MetricSummary } from '../run/run-summary.ts';

/** A metric, and its version that scores now. */
export interface MetricVersions {
  metricId: string;
  name: string;
  current: string;
}

/** Versions of a metric that are looked through; older ones are not told apart. */
const versionsMax = 100;

/** Finds the metric of a version among the metrics of a run. */
export function useMetricVersions(
  metrics: MetricSummary[],
): (metricVersionId: string) => MetricVersions | undefined {
  const ids = [...new Set(metrics.map(({ metricId }) => metricId))];
  const lists = useQueries({
    queries: ids.map((metricId) =>
      reading('/metrics/:metricId/versions', {
        params: { metricId },
        query: { limit: versionsMax },
      }),
    ),
  });
  const found = new Map<string, MetricVersions>();
  lists.forEach(({ data }, index) => {
    const metricId = ids[index]!;
    const { name } = metrics.find((metric) => metric.metricId === metricId)!;
    for (const { id } of data?.data ?? [])
      found.set(id, { metricId, name, current: data!.data[0]!.id });
  });
  return (metricVersionId) => found.get(metricVersionId);
}
