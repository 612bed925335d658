import type { MetricVersionOutline, OutputType } from '@assay/contracts/metrics';
import type { Scale } from '@assay/statistics/bootstrap';
import { isErrorsMetric } from './errors-metric.ts';
import { isSystemMetric } from './system-metrics.ts';

/** The least and the greatest value of each output type; booleans count as 0 and 1. */
export const scaleOf: Record<OutputType, Scale> = {
  boolean: { low: 0, high: 1 },
  int: { low: 1, high: 5 },
  float: { low: 0, high: 1 },
};

/** Of latency, tokens and cost, which have no upper end. */
export const measuredScale: Scale = { low: 0, high: Infinity };

type ScaledMetric = Pick<MetricVersionOutline, 'metricId' | 'outputType'>;

export const scaleOfMetric = (metric: ScaledMetric): Scale =>
  isSystemMetric(metric) ? measuredScale : scaleOf[metric.outputType];

/** Whether less of a metric is better. */
export const isLowerBetter = (metric: Pick<MetricVersionOutline, 'metricId'>): boolean =>
  isSystemMetric(metric) || isErrorsMetric(metric);

/** The worst value that a metric can say; undefined where it has no such end. */
export function worstOf(metric: ScaledMetric): number | undefined {
  const { low, high } = scaleOfMetric(metric);
  const worst = isLowerBetter(metric) ? high : low;
  return Number.isFinite(worst) ? worst : undefined;
}
