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

/** The best value that a metric can say; undefined where it has no such end. */
export function bestOf(metric: ScaledMetric): number | undefined {
  const { low, high } = scaleOfMetric(metric);
  const best = isLowerBetter(metric) ? low : high;
  return Number.isFinite(best) ? best : undefined;
}

/** Whether a value passes; undefined where nothing passes or fails by the metric. */
export function isPassing(
  { outputType, passingThreshold }: Pick<MetricVersionOutline, 'outputType' | 'passingThreshold'>,
  value: boolean | number,
): boolean | undefined {
  if (outputType === 'boolean') return Number(value) === 1;
  return passingThreshold === null ? undefined : Number(value) >= passingThreshold;
}

/** Whether values of a metric pass or fail. */
export const hasPasses = (metric: MetricVersionOutline): boolean =>
  !isSystemMetric(metric) && !isErrorsMetric(metric) && isPassing(metric, 0) !== undefined;
