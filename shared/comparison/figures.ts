import { fixed, whole } from '@assay/client/figures';
import { isSystemMetricId } from '@assay/client/system-metrics';
import type { Comparison } from '@assay/contracts/results';

export type { Comparison } from '@assay/contracts/results';

/** The result of a comparison of two runs for one metric. */
export type MetricComparison = Comparison['metrics'][number];

type Ids = 'metricId' | 'baselineMetricVersionId' | 'candidateMetricVersionId' | 'evalType';

/** A compared metric, or errors, which are compared like one and have no ids. */
export type ComparedMetric = Omit<MetricComparison, Ids> & Partial<Pick<MetricComparison, Ids>>;

/** A comparison: its metrics, and the errors, which are told last. */
export interface ComparedRuns {
  metrics: MetricComparison[];
  errors?: ComparedMetric | undefined;
}

/** Everything that is compared, in the order in which it is told. */
export const comparedOf = ({ metrics, errors }: ComparedRuns): ComparedMetric[] => [
  ...metrics,
  ...(errors ? [errors] : []),
];

/** Whether a system failed on any record that is compared. */
export const hasErrors = ({ errors }: ComparedRuns): boolean =>
  (errors?.baselineMean ?? 0) > 0 || (errors?.candidateMean ?? 0) > 0;

/** The figures that decide about a metric. */
export interface DecidingFigures
  extends Pick<
    MetricComparison,
    'difference' | 'confidenceInterval' | 'pValue' | 'adjustedPValue' | 'verdict'
  > {
  /** By the metric's scores, by its judge alone, or by its judge corrected by people's labels. */
  decidedBy: 'scores' | 'judge' | 'people';
}

/** A judge's figures count as corrected by people's labels where there are enough of these. */
export function decidingFigures(metric: ComparedMetric): DecidingFigures {
  const { calibrated, evalType } = metric;
  const isCorrected = calibrated !== undefined && calibrated.difference !== null;
  const { difference, confidenceInterval, pValue, adjustedPValue, verdict } = isCorrected
    ? calibrated
    : metric;
  const decidedBy = isCorrected ? 'people' : calibrated || evalType === 'ai' ? 'judge' : 'scores';
  return { difference, confidenceInterval, pValue, adjustedPValue, verdict, decidedBy };
}

/** How much worse a difference is: less where more is better, more where less is. */
export const lossOf = (
  { lowerIsBetter }: Pick<ComparedMetric, 'lowerIsBetter'>,
  difference: number,
): number => (lowerIsBetter ? difference : -difference);

/** The unit of a metric's figures: `measured` is latency, tokens or cost. */
export type Unit = MetricComparison['outputType'] | 'measured';

export const unitOf = ({
  metricId,
  outputType,
}: Pick<ComparedMetric, 'metricId' | 'outputType'>): Unit =>
  metricId !== undefined && isSystemMetricId(metricId) ? 'measured' : outputType;

type Ends = Pick<NonNullable<MetricComparison['confidenceInterval']>, 'low' | 'high'>;

/** Decimals of a value without an interval, and at the least; of shares, in points of a hundred. */
const decimalsMin = { boolean: 1, int: 3, float: 3 } as const;
/** Significant digits of a measured value, which may be thousands of tokens or part of a cent. */
const measuredDigits = 4;
const decimalsMax = 12;

const scaleOf = (unit: Unit): number => (unit === 'boolean' ? 100 : 1);

/** As many decimals as show two digits of the interval's width. */
function decimalsOf(unit: Unit, value: number, interval: Ends | null): number {
  const width = interval ? (interval.high - interval.low) * scaleOf(unit) : 0;
  const ofWidth = width > 0 ? decimalsOfDigits(2, width) : 0;
  const least =
    unit !== 'measured'
      ? decimalsMin[unit]
      : value === 0
        ? 0
        : decimalsOfDigits(measuredDigits, Math.abs(value));
  return Math.min(decimalsMax, Math.max(least, ofWidth, 0));
}

const decimalsOfDigits = (digits: number, value: number): number =>
  digits - 1 - Math.floor(Math.log10(value));

/**
 * More decimals for a difference that is less than one of the last: two digits of its own, so that
 * it is never told as 0, and its two sides never as the same. One that is too small for `decimalsMax`
 * is a rounding of doubles, and no difference.
 */
function decimalsWith(unit: Unit, difference: number, decimals: number): number {
  const distance = Number((Math.abs(difference) * scaleOf(unit)).toPrecision(12));
  if (distance === 0 || distance >= 10 ** -decimals) return decimals;
  const own = decimalsOfDigits(2, distance);
  return own > decimalsMax ? decimals : own;
}

/**
 * A pass rate is told in percent, any other mean as it is. Of the two sides of a comparison,
 * `difference` has to be seen between them.
 */
export function figure(
  unit: Unit,
  value: number | null,
  interval: Ends | null = null,
  difference: number | null = null,
): string {
  if (value === null) return '–';
  const decimals = decimalsWith(unit, difference ?? 0, decimalsOf(unit, value, interval));
  if (unit === 'boolean') return `${fixed(value * 100, decimals)} %`;
  const text = fixed(value, decimals);
  return unit === 'measured' ? withoutZeros(text) : text;
}

/** The size of a difference: of pass rates in points of a hundred. It is 0 only where there is none. */
export function size(unit: Unit, value: number, interval: Ends | null = null): string {
  const distance = Math.abs(value);
  const decimals = decimalsWith(unit, distance, decimalsOf(unit, distance, interval));
  const text = fixed(distance * scaleOf(unit), decimals);
  return unit === 'measured' ? withoutZeros(text) : text;
}

/** A difference with its sign: of pass rates in points of a hundred. */
export function change(unit: Unit, value: number | null, interval: Ends | null = null): string {
  if (value === null) return '–';
  const text = size(unit, value, interval);
  return Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`;
}

/** An interval of a difference, with as many digits as it needs. */
export const changes = (unit: Unit, interval: Ends | null): string =>
  interval
    ? `${change(unit, interval.low, interval)} to ${change(unit, interval.high, interval)}`
    : '–';

const withoutZeros = (text: string): string =>
  text.includes('.') ? text.replace(/\.?0+$/, '') : text;

/** Two digits; below 0.0001 a p-value says no more than that. */
export function probability(value: number | null): string {
  if (value === null) return '–';
  return value < 0.0001 ? '< 0.0001' : value.toPrecision(2);
}

/** The records that each testcase has in a run, or in each of the two, where they are several. */
export function recordsOf({
  recordsPerTestcase: { baseline, candidate },
}: Pick<ComparedMetric, 'recordsPerTestcase'>): string[] {
  if (baseline === null || candidate === null || (baseline === 1 && candidate === 1)) return [];
  return [...new Set([baseline, candidate].map((mean) => String(Number(fixed(mean, 1)))))];
}

/** "1,319 pairs" */
export const countOf = (count: number, noun: string): string =>
  `${whole(count)} ${count === 1 ? noun : `${noun}s`}`;
