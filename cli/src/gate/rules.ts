import {
  type ComparedMetric,
  changes,
  decidingFigures,
  lossOf,
  type MetricComparison,
  size,
  unitOf,
} from '@assay/comparison/figures';
import { verdictSentence } from '@assay/comparison/sentence';

/** Better or undecided within the limits, worse, or neither can be said. */
export type Outcome = 'passed' | 'worse' | 'unknown';

/**
 * The limits in addition to "not worse". Both are in the metric's own unit: 0.05 of a pass rate is
 * five points of a hundred.
 */
export interface Limits {
  minPassRate?: number;
  maxRegression?: number;
}

export interface Finding {
  outcome: Outcome;
  /** Sentences why the metric does not pass; none where it does. */
  reasons: string[];
  /** Sentences that a reader should know, and that change nothing. */
  remarks: string[];
}

/** Differences of means are sums of fractions: 0.7 − 0.8 comes out a little below −0.1. */
const rounding = 1e-9;

/**
 * The input of the rules: a metric of the comparison, the candidate's pass rate in it, and the
 * limits.
 */
interface Situation {
  metric: MetricComparison;
  candidatePassRate: number | null;
  limits: Limits;
}

/**
 * The rules for one metric. The figures of a judge are those that people's labels corrected, where
 * there are enough; but its pass rate is its own. `worse`: the verdict says so, the candidate's pass rate is below its
 * limit, or the difference itself is a larger regression than is allowed. An interval that only
 * reaches past that limit is a remark: it tells of too few testcases, not of a worse candidate.
 * `unknown`: the test could not be made, or there is no pass rate to hold against the limit.
 */
export function judge(situation: Situation): Finding {
  const againstIt = [verdictReason, passRateReason, regressionReason].flatMap(
    (reason) => reason(situation) ?? [],
  );
  const inTheWay = [pairsReason, missingPassRateReason].flatMap(
    (reason) => reason(situation) ?? [],
  );
  return {
    outcome: againstIt.length > 0 ? 'worse' : inTheWay.length > 0 ? 'unknown' : 'passed',
    reasons: [...againstIt, ...inTheWay],
    remarks: [...remarksOf(situation)],
  };
}

/** The gate's finding on errors: how often the systems failed. */
export interface ErrorsFinding {
  errors: ComparedMetric;
  outcome: Outcome;
  reasons: string[];
}

/**
 * The rule for errors: only a verdict stands against the candidate. No p-value is no obstacle, since
 * most runs have no errors.
 */
export function judgeErrors(errors: ComparedMetric): ErrorsFinding {
  const isWorse = errors.verdict === 'worse';
  return {
    errors,
    outcome: isWorse ? 'worse' : 'passed',
    reasons: isWorse ? [verdictSentence(errors, 'the candidate')] : [],
  };
}

/**
 * The outcome of the whole comparison: worse if any metric is, then unknown if any metric could not
 * be judged.
 */
export function overall(outcomes: Outcome[]): Outcome {
  if (outcomes.includes('worse')) return 'worse';
  return outcomes.includes('unknown') || outcomes.length === 0 ? 'unknown' : 'passed';
}

type Reason = (situation: Situation) => string | undefined;

const verdictReason: Reason = ({ metric }) =>
  decidingFigures(metric).verdict === 'worse'
    ? verdictSentence(metric, 'the candidate')
    : undefined;

const passRateReason: Reason = ({ candidatePassRate: rate, limits: { minPassRate: limit } }) => {
  if (limit === undefined || rate === null || rate >= limit) return undefined;
  return `the candidate's pass rate, ${shortened(rate)}, is below the ${limit} of --min-pass-rate.`;
};

/** Latency, tokens and cost have no pass rate: no limit of one is meant for them. */
const missingPassRateReason: Reason = ({ metric, candidatePassRate, limits: { minPassRate } }) => {
  if (minPassRate === undefined || candidatePassRate !== null || metric.lowerIsBetter)
    return undefined;
  return 'the candidate has no pass rate to hold against --min-pass-rate.';
};

const regressionReason: Reason = ({ metric, limits: { maxRegression: limit } }) => {
  const loss = lossIn(metric);
  if (limit === undefined || loss === null || loss <= limit + rounding) return undefined;
  return `the candidate is ${shortened(loss)} ${metric.lowerIsBetter ? 'higher' : 'lower'}, and --max-regression allows ${limit}.`;
};

function lossIn(metric: MetricComparison): number | null {
  const { difference } = decidingFigures(metric);
  return difference === null ? null : lossOf(metric, difference);
}

const pairsReason: Reason = ({ metric: { paired, numGroups, pValue, adjustedPValue } }) => {
  if (paired < 2)
    return `${paired === 0 ? 'no testcase has' : 'only one testcase has'} a score in both runs, and a comparison needs two.`;
  if (numGroups !== undefined && numGroups < 2)
    return 'all testcases are of one group, and a comparison needs two.';
  return pValue === null || adjustedPValue === null ? 'the comparison has no p-value.' : undefined;
};

function* remarksOf({ metric, limits: { maxRegression: limit } }: Situation) {
  const { confidenceInterval } = decidingFigures(metric);
  const loss = lossIn(metric);
  const [worst, reaches] = metric.lowerIsBetter
    ? [confidenceInterval?.high, 'up']
    : [confidenceInterval?.low, 'down'];
  const isWithin = limit !== undefined && loss !== null && loss <= limit + rounding;
  if (isWithin && worst !== undefined && lossOf(metric, worst) > limit + rounding)
    yield `a regression of more than ${limit} cannot be excluded: the interval reaches ${reaches} to ${shortened(worst)}.`;
  yield* judgeRemarks(metric);
  for (const { message } of metric.warnings ?? []) yield message;
}

/** Why a judge is not corrected, or what it says alone and whom it favours. */
function* judgeRemarks(metric: MetricComparison) {
  const { verdict, calibrated } = metric;
  if (!calibrated) return;
  const { difference, confidenceInterval } = calibrated.judgeBias;
  if (difference === null || confidenceInterval === null) {
    if (calibrated.reason !== undefined) yield calibrated.reason;
    return;
  }
  const unit = unitOf(metric);
  yield `the verdict is corrected by people's scores of ${calibrated.labels} testcases. The judge alone says ${verdict}, and is too kind to the ${difference < 0 ? 'baseline' : 'candidate'} by ${size(unit, difference, confidenceInterval)} (${changes(unit, confidenceInterval)}).`;
}

/** Enough places to tell a value from a limit that it just misses. */
const shortened = (value: number): string => String(Number(value.toPrecision(6)));
