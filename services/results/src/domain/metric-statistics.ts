import type { OutputType } from '@assay/contracts/metrics';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import {
  distribution,
  mean,
  measuredDistribution,
  standardDeviation,
} from '@assay/statistics/describe';
import type { Interval } from '@assay/statistics/interval';
import { wilsonInterval } from '@assay/statistics/proportions';
import { gatherUnits } from '@assay/statistics/units';
import { measuredScale, scaleOf } from './output-scales.ts';
import { byTestcase, summarizeRepeats } from './repeats.ts';

/** One metric's values in a run; booleans as 0 and 1. */
export interface MetricValues {
  outputType: OutputType;
  passingThreshold: number | null;
  /** Latency, tokens or cost: values without an upper end. */
  isMeasured?: boolean;
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
export function summarizeValues({
  outputType,
  passingThreshold,
  isMeasured,
  values,
  testcases,
}: MetricValues) {
  const repeated = testcases && byTestcase(values, testcases);
  const units = repeated ? Float64Array.from(repeated, (each) => mean(each.values)!) : values;
  const threshold = outputType === 'boolean' ? 1 : (passingThreshold ?? undefined);
  const passShares = repeated
    ? repeated.map((each) => passShare(each.values, threshold))
    : [passShare(values, threshold)];
  const { interval, method } = intervalOf({ outputType, isMeasured, values: units });
  return {
    count: units.length,
    records: values.length,
    mean: mean(units),
    passRate: threshold === undefined || values.length === 0 ? null : mean(passShares),
    confidenceInterval: interval,
    method,
    standardDeviation: standardDeviation(units),
    distribution: isMeasured ? measuredDistribution(values) : distribution({ outputType, values }),
    ...(repeated && {
      repeats: summarizeRepeats(repeated, {
        threshold,
        intervalOf: (shares) => intervalOf({ outputType: 'boolean', values: shares }).interval,
      }),
    }),
  };
}

/**
 * Wilson's interval for booleans that are all 0 or 1, the symmetric bootstrap-t for means of
 * booleans and for numbers.
 */
function intervalOf({
  outputType,
  isMeasured = false,
  values,
}: Pick<MetricValues, 'outputType' | 'values'> & { isMeasured?: boolean | undefined }): {
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
    : bootstrapMean(units, { scale: isMeasured ? measuredScale : scaleOf[outputType], level });
}

const tooFew = 'too few values';

function passShare(values: ArrayLike<number>, threshold: number | undefined): number {
  let passes = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! >= (threshold ?? Infinity)) passes++;
  return passes / values.length;
}
