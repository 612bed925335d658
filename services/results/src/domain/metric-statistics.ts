import { type PassingRule, passes, type Scale, scaleOf, thresholdOf } from '@assay/contracts/scale';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { distribution, mean, quantile, standardDeviation } from '@assay/statistics/describe';
import type { Interval } from '@assay/statistics/interval';
import { wilsonInterval } from '@assay/statistics/proportions';
import { gatherUnits } from '@assay/statistics/units';
import { byTestcase, summarizeRepeats } from './repeats.ts';

/** One metric's values in a run; booleans as 0 and 1. */
export interface MetricValues extends PassingRule {
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
export function summarizeValues({ values, testcases, ...metric }: MetricValues) {
  const { outputType } = metric;
  const scale = scaleOf(metric);
  const repeated = testcases && byTestcase(values, testcases);
  const units = repeated ? Float64Array.from(repeated, (each) => mean(each.values)!) : values;
  const isPass =
    thresholdOf(metric) === null ? undefined : (value: number) => passes(metric, value)!;
  const passShares = repeated
    ? repeated.map((each) => passShare(each.values, isPass))
    : [passShare(values, isPass)];
  const { interval, method } = intervalOf({ outputType, scale, values: units });
  return {
    count: units.length,
    records: values.length,
    mean: mean(units),
    passRate: isPass === undefined || values.length === 0 ? null : mean(passShares),
    confidenceInterval: interval,
    method,
    standardDeviation: standardDeviation(units),
    distribution: distribution({ outputType, scale, values }),
    ...(scale.high === Infinity &&
      values.length > 0 && {
        percentiles: { p50: quantile(values, 0.5)!, p95: quantile(values, 0.95)! },
        sum: values.reduce((sum, value) => sum + value, 0),
      }),
    ...(repeated && {
      repeats: summarizeRepeats(repeated, {
        isPass,
        intervalOf: (shares) =>
          intervalOf({ outputType: 'boolean', scale: shareScale, values: shares }).interval,
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
  scale,
  values,
}: Pick<MetricValues, 'outputType' | 'values'> & { scale: Scale }): {
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
    : bootstrapMean(units, { scale, level });
}

const tooFew = 'too few values';
const shareScale = scaleOf({ outputType: 'boolean' });

function passShare(
  values: ArrayLike<number>,
  isPass: (value: number) => boolean = () => false,
): number {
  let passed = 0;
  for (let i = 0; i < values.length; i++) if (isPass(values[i]!)) passed++;
  return passed / values.length;
}
