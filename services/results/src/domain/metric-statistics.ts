import type { OutputType } from '@assay/contracts/metrics';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { distribution, mean, standardDeviation } from '@assay/statistics/describe';
import type { Interval } from '@assay/statistics/interval';
import { wilsonInterval } from '@assay/statistics/proportions';
import { gatherUnits } from '@assay/statistics/units';
import { scaleOf } from './output-scales.ts';

/** One metric's values in a run; booleans as 0 and 1, or as means of these. */
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
  const { interval, method } = intervalOf({ outputType, values });
  return {
    count: values.length,
    mean: mean(values),
    passRate: passRate({ outputType, passingThreshold, values }),
    confidenceInterval: interval,
    method,
    standardDeviation: standardDeviation(values),
    distribution: distribution({ outputType, values }),
  };
}

/**
 * Wilson's interval for booleans that are all 0 or 1, the symmetric bootstrap-t for means of
 * booleans and for numbers.
 */
function intervalOf({ outputType, values }: Pick<MetricValues, 'outputType' | 'values'>): {
  interval: Interval | null;
  method: string;
} {
  if (outputType === 'boolean' && values.every((value) => value === 0 || value === 1)) {
    const successes = values.reduce((sum, value) => sum + value, 0);
    const interval = wilsonInterval({ successes, trials: values.length, level });
    return { interval, method: interval ? 'Wilson score' : tooFew };
  }
  const units = gatherUnits({ values });
  return units === null || values.length < 2
    ? { interval: null, method: tooFew }
    : bootstrapMean(units, { scale: scaleOf[outputType], level });
}

const tooFew = 'too few values';

/** The share of values that reach the passing threshold; of booleans it is their mean. */
function passRate({ outputType, passingThreshold, values }: MetricValues): number | null {
  if (outputType === 'boolean') return mean(values);
  if (passingThreshold === null || values.length === 0) return null;
  const passes = values.reduce((count, value) => count + (value >= passingThreshold ? 1 : 0), 0);
  return passes / values.length;
}
