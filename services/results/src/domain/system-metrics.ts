import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { systemMetrics } from '@assay/contracts/run-records';

const outlines = new Map(
  systemMetrics.map(({ id, name }): [string, MetricVersionOutline] => [
    id,
    {
      metricVersionId: id,
      metricId: id,
      name,
      evalType: 'heuristic',
      outputType: 'float',
      passingThreshold: null,
      min: 0,
      max: null,
      lowerIsBetter: true,
      isScoredByService: false,
      evalModelName: null,
      annotators: 1,
    },
  ]),
);

/**
 * The latency, tokens or cost of the records of a run, as a metric that every run has. Undefined for
 * the id of any other metric.
 */
export const systemMetricOf = (metricId: string): MetricVersionOutline | undefined =>
  outlines.get(metricId);

/** Latency, tokens and cost, in the order of their ids. */
export const systemMetricOutlines: readonly MetricVersionOutline[] = [...outlines.values()].sort(
  (a, b) => (a.metricId < b.metricId ? -1 : 1),
);

/** The ids of latency, tokens and cost. */
export const systemMetricIds: ReadonlySet<string> = new Set(outlines.keys());

/** Less of a system metric is better, and it has no upper end. */
export const isSystemMetric = ({ metricId }: Pick<MetricVersionOutline, 'metricId'>): boolean =>
  outlines.has(metricId);
