import type { OutputType } from '@assay/contracts/metrics';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { distribution, mean, standardDeviation } from '@assay/statistics/describe';
import type { Interval } from '@assay/statistics/interval';
import { wilsonInterval } from '@assay/statistics/proportions';
import { byTestcase, summarizeRepeats } from './repeats.ts';

/** One metric's values in a run; booleans as 0 and 1. */
export interface MetricValues {
  outputType: OutputType;
  passingThreshold: number | null;
  values: Float64Array;
  /** The testcase that each value is of, as a number; left out where each is of its own. */
  testcases?: Int32Array;
}

export type MetricStatistics = ReturnType<typeof summarizeValues>;

const level = 0.95;

/**
 * Summarizes one metric (contract section 3, Results). The records of a testcase count as one, with
 * their mean. Pure, and heavy for many values: it runs in a worker.
 */
export function summarizeValues({ outputType, passingThreshold, values, testcases }: MetricValues) {
  const repeated = testcases && byTestcase(values, testcases);
  const units = repeated ? Float64Array.from(repeated, (each) => mean(each.values)!) : values;
  const threshold = outputType === 'boolean' ? 1 : (passingThreshold ?? undefined);
  const passShares = repeated
    ? repeated.map((each) => passShare(each.values, threshold))
    : [passShare(values, threshold)];
  const interval =
    outputType === 'boolean' ? shareInterval(units) : bootstrapMean({ values: units, level });
  return {
    count: units.length,
    records: values.length,
    mean: mean(units),
    passRate: threshold === undefined || values.length === 0 ? null : mean(passShares),
    confidenceInterval: interval && bounds(interval),
    method: interval?.method ?? 'too few values',
    standardDeviation: standardDeviation(units),
    distribution: distribution({ outputType, values }),
    ...(repeated && {
      repeats: summarizeRepeats(repeated, {
        threshold,
        intervalOf: (shares) => bounds(shareInterval(shares)),
      }),
    }),
  };
}

const bounds = (interval: Interval | null): Interval | null =>
  interval && { low: interval.low, high: interval.high, level };

function passShare(values: ArrayLike<number>, threshold: number | undefined): number {
  let passes = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! >= (threshold ?? Infinity)) passes++;
  return passes / values.length;
}

/** Of values that are 0 or 1, or of shares of records. */
function shareInterval(values: Float64Array) {
  if (values.some((value) => value !== 0 && value !== 1)) return bootstrapMean({ values, level });
  const interval = wilsonInterval({
    successes: values.reduce((sum, value) => sum + value, 0),
    trials: values.length,
    level,
  });
  return interval && { ...interval, method: 'Wilson score' };
}
