import type { OutputType } from '@assay/contracts/metrics';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { distribution, mean, standardDeviation } from '@assay/statistics/describe';
import { wilsonInterval } from '@assay/statistics/proportions';

/** One metric's values in a run; booleans as 0 and 1. */
export interface MetricValues {
  outputType: OutputType;
  passingThreshold: number | null;
  values: Float64Array;
}

export type MetricStatistics = ReturnType<typeof summarizeValues>;

const level = 0.95;

/**
 * Summarizes one metric (contract section 3, Results). Pure, and heavy for many values: it runs in
 * a worker.
 */
export function summarizeValues({ outputType, passingThreshold, values }: MetricValues) {
  const passes = passCount({ outputType, passingThreshold, values });
  const interval = outputType === 'boolean' ? wilson(values) : bootstrapMean({ values, level });
  return {
    count: values.length,
    mean: mean(values),
    passRate: passes === null || values.length === 0 ? null : passes / values.length,
    confidenceInterval: interval && { low: interval.low, high: interval.high, level },
    method: interval?.method ?? 'too few values',
    standardDeviation: standardDeviation(values),
    distribution: distribution({ outputType, values }),
  };
}

function wilson(values: Float64Array) {
  const interval = wilsonInterval({
    successes: values.reduce((sum, value) => sum + value, 0),
    trials: values.length,
    level,
  });
  return interval && { ...interval, method: 'Wilson score' };
}

function passCount({ outputType, passingThreshold, values }: MetricValues): number | null {
  const threshold = outputType === 'boolean' ? 1 : passingThreshold;
  return threshold === null
    ? null
    : values.reduce((count, value) => count + (value >= threshold ? 1 : 0), 0);
}
