import type { MetricVersionOutline, OutputType } from '@assay/contracts/metrics';
import type { Scale } from '@assay/statistics/bootstrap';
import { isSystemMetric } from './system-metrics.ts';

/** The least and the greatest value of each output type; booleans count as 0 and 1. */
export const scaleOf: Record<OutputType, Scale> = {
  boolean: { low: 0, high: 1 },
  int: { low: 1, high: 5 },
  float: { low: 0, high: 1 },
};

/** Of latency, tokens and cost, which have no upper end. */
export const measuredScale: Scale = { low: 0, high: Infinity };

export const scaleOfMetric = (
  metric: Pick<MetricVersionOutline, 'metricId' | 'outputType'>,
): Scale => (isSystemMetric(metric) ? measuredScale : scaleOf[metric.outputType]);
