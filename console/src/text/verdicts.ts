import type { ReplyOf } from '@assay/client/operations';
import { countOf, formatMean } from './format.ts';

export type MetricComparison = ReplyOf<'POST', '/comparisons'>['metrics'][number];
export type Verdict = MetricComparison['verdict'];

/** The sign and the word of each verdict. */
export const verdicts: Record<Verdict, { sign: string; text: string }> = {
  better: { sign: '▲', text: 'better' },
  worse: { sign: '▼', text: 'worse' },
  undecided: { sign: '◇', text: 'undecided' },
};

/** True where values are shares of a hundred, so that a difference is in points. */
const isShare = ({ outputType }: Pick<MetricComparison, 'outputType'>): boolean =>
  outputType === 'boolean';

const digits = (value: number, count: number): string =>
  value.toLocaleString(undefined, { minimumFractionDigits: count, maximumFractionDigits: count });

/** A value of a metric: a share as a percentage. */
export const writeValue = (metric: Pick<MetricComparison, 'outputType'>, value: number): string =>
  isShare(metric) ? `${digits(100 * value, 1)} %` : formatMean(value);

/** The size of a difference, in points of a hundred where values are shares. */
export const writeSize = (metric: Pick<MetricComparison, 'outputType'>, size: number): string =>
  isShare(metric) ? digits(Math.abs(100 * size), 1) : formatMean(Math.abs(size));

/** A difference with its sign. */
export const writeDifference = (
  metric: Pick<MetricComparison, 'outputType'>,
  difference: number,
): string => `${difference < 0 ? '−' : '+'}${writeSize(metric, difference)}`;

/** How far an interval reaches to each side: "±4.1 points". */
export const writeReach = (metric: Pick<MetricComparison, 'outputType'>, reach: number): string =>
  `±${writeSize(metric, reach)}${isShare(metric) ? ' points' : ''}`;

/** A p-value with as many digits as say something. */
export const writeP = (p: number): string =>
  p < 0.0001 ? p.toExponential(1).replace('-', '−') : p.toPrecision(2);

/** The pairs, with the records that each testcase has where it has several. */
function pairsOf({ paired, recordsPerTestcase: { baseline, candidate } }: MetricComparison) {
  const pairs = countOf(paired, 'pair');
  if (baseline === null || candidate === null || (baseline === 1 && candidate === 1)) return pairs;
  const records = [...new Set([baseline, candidate].map((mean) => digits(mean, mean % 1 ? 1 : 0)))];
  return `${pairs} with ${records.join(' and ')} records a testcase`;
}

/**
 * What a comparison of one metric says, whole: "Worse: Atlas v4 is 4.3 points lower (95 % interval
 * 7.1 to 1.5 lower; adjusted p 0.0027; 1,319 pairs)."
 */
export function verdictSentence(metric: MetricComparison, candidate: string): string {
  const { verdict, difference, confidenceInterval, adjustedPValue, paired } = metric;
  const pairs = countOf(paired, 'pair');
  if (difference === null || confidenceInterval === null) {
    const units = metric.numGroups === undefined ? pairs : countOf(metric.numGroups, 'group');
    return `Undecided: ${units} are too few to say anything.`;
  }
  const unit = isShare(metric) ? ' points' : '';
  const level = `${digits(100 * confidenceInterval.level, 0)} %`;
  const p = adjustedPValue === null ? '' : `; adjusted p ${writeP(adjustedPValue)}`;
  if (verdict === 'undecided') {
    const { minimumDetectableDifference: detectable } = metric;
    const found =
      detectable === null
        ? ''
        : ` These ${pairs} could have found a difference of ${writeSize(metric, detectable)}${unit}.`;
    return `Undecided: ${candidate} is ${writeDifference(metric, difference)}${unit} (${level} interval ${writeDifference(metric, confidenceInterval.low)} to ${writeDifference(metric, confidenceInterval.high)}${p}; ${pairsOf(metric)}).${found}`;
  }
  const direction = difference > 0 ? 'higher' : 'lower';
  const word = verdict === 'better' ? 'Better' : 'Worse';
  const { low, high } = confidenceInterval;
  return `${word}: ${candidate} is ${writeSize(metric, difference)}${unit} ${direction} (${level} interval ${writeSize(metric, low)} to ${writeSize(metric, high)} ${direction}${p}; ${pairsOf(metric)}).`;
}

/** A judge's difference as people's scores correct it; undefined where there are too few. */
export const correctionOf = ({ calibrated }: MetricComparison): Correction | undefined =>
  calibrated && calibrated.difference !== null && calibrated.confidenceInterval !== null
    ? (calibrated as Correction)
    : undefined;

type CalibratedComparison = NonNullable<MetricComparison['calibrated']>;
type Interval = NonNullable<MetricComparison['confidenceInterval']>;
type Correction = CalibratedComparison & {
  difference: number;
  confidenceInterval: Interval;
  judgeBias: { difference: number; confidenceInterval: Interval };
};

/** The difference and the verdict that count. */
export const decidingFigures = (
  metric: MetricComparison,
): Pick<MetricComparison, 'difference' | 'verdict'> => correctionOf(metric) ?? metric;

const intervalOf = (metric: MetricComparison, { low, high, level }: Interval): string =>
  `${digits(100 * level, 0)} % interval ${writeDifference(metric, low)} to ${writeDifference(metric, high)}`;

const unitOf = (metric: MetricComparison): string => (isShare(metric) ? ' points' : '');

/**
 * The verdict that people's scores correct, whole: "Undecided: going by people's scores of 100
 * testcases, Atlas v4 is +1.2 points (95 % interval −4.9 to +7.3; adjusted p 0.70)."
 */
export function correctedSentence(
  metric: MetricComparison,
  { verdict, difference, confidenceInterval, adjustedPValue, labels }: Correction,
  candidate: string,
): string {
  const word = { better: 'Better', worse: 'Worse', undecided: 'Undecided' }[verdict];
  const p = adjustedPValue === null ? '' : `; adjusted p ${writeP(adjustedPValue)}`;
  return `${word}: going by people's scores of ${countOf(labels, 'testcase')}, ${candidate} is ${writeDifference(metric, difference)}${unitOf(metric)} (${intervalOf(metric, confidenceInterval)}${p}).`;
}

/** Whom the judge favours, in one sentence. */
export function biasSentence(
  metric: MetricComparison,
  { judgeBias: { difference, confidenceInterval } }: Correction,
  { baseline, candidate }: { baseline: string; candidate: string },
): string {
  const { low, high } = confidenceInterval;
  const interval = intervalOf(metric, confidenceInterval);
  if (low <= 0 && high >= 0)
    return `These scores do not show that the judge favours either run: its difference is off by ${writeDifference(metric, difference)}${unitOf(metric)} (${interval}).`;
  return `The judge favours ${difference > 0 ? candidate : baseline}: it puts the difference ${writeSize(metric, difference)}${unitOf(metric)} too ${difference > 0 ? 'high' : 'low'} (${interval}).`;
}
