import {
  change,
  changes,
  decidingFigures,
  figure,
  type MetricComparison,
  size,
  unitOf,
} from '@assay/comparison/figures';
import { verdictSentence } from '@assay/comparison/sentence';

export { decidingFigures, type MetricComparison, probability } from '@assay/comparison/figures';
export { verdictSentence } from '@assay/comparison/sentence';
export type Verdict = MetricComparison['verdict'];

/** The sign and the word of each verdict. */
export const verdicts: Record<Verdict, { sign: string; text: string }> = {
  better: { sign: '▲', text: 'better' },
  worse: { sign: '▼', text: 'worse' },
  undecided: { sign: '◇', text: 'undecided' },
};

type Measure = Pick<MetricComparison, 'outputType'> & { metricId?: string | undefined };
type Ends = Pick<Interval, 'low' | 'high'>;

/** A value of a metric: a share as a percentage. */
export const writeValue = (metric: Measure, value: number): string => figure(unitOf(metric), value);

/** The mean of one side of a comparison, with as many digits as show its difference from the other. */
export const writeSide = (
  metric: Measure & Pick<MetricComparison, 'confidenceInterval' | 'difference'>,
  mean: number | null,
): string => figure(unitOf(metric), mean, metric.confidenceInterval, metric.difference);

/** The size of a difference, in points of a hundred where values are shares. */
export const writeSize = (metric: Measure, difference: number): string =>
  size(unitOf(metric), difference);

/** A difference with its sign, with as many digits as its interval needs. */
export const writeDifference = (
  metric: Measure,
  difference: number,
  interval: Ends | null = null,
): string => change(unitOf(metric), difference, interval);

const pointsOf = (metric: Measure): string => (unitOf(metric) === 'boolean' ? ' points' : '');

/** How far an interval reaches to each side: "±4.1 points". */
export const writeReach = (metric: Measure, reach: number): string =>
  `±${writeSize(metric, reach)}${pointsOf(metric)}`;

/** The judge's verdict where people's scores are left aside. */
export const judgeSentence = (
  { calibrated: _, ...metric }: MetricComparison,
  candidate: string,
): string => verdictSentence(metric, candidate);

/** A judge's difference as people's scores correct it; undefined where there are too few. */
export const correctionOf = (metric: MetricComparison): Correction | undefined =>
  decidingFigures(metric).decidedBy === 'people' ? (metric.calibrated as Correction) : undefined;

type Interval = NonNullable<MetricComparison['confidenceInterval']>;
type Correction = NonNullable<MetricComparison['calibrated']> & {
  difference: number;
  confidenceInterval: Interval;
  judgeBias: { difference: number; confidenceInterval: Interval };
};

/** Whom the judge favours, in one sentence. */
export function biasSentence(
  metric: MetricComparison,
  { judgeBias: { difference, confidenceInterval } }: Correction,
  { baseline, candidate }: { baseline: string; candidate: string },
): string {
  const { low, high, level } = confidenceInterval;
  const unit = unitOf(metric);
  const interval = `${Number((100 * level).toPrecision(6))} % interval ${changes(unit, confidenceInterval)}`;
  const points = pointsOf(metric);
  if (low <= 0 && high >= 0)
    return `These scores do not show that the judge favours either run: its difference is off by ${change(unit, difference, confidenceInterval)}${points} (${interval}).`;
  return `The judge favours ${difference > 0 ? candidate : baseline}: it puts the difference ${size(unit, difference, confidenceInterval)}${points} too ${difference > 0 ? 'high' : 'low'} (${interval}).`;
}
