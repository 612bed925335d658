import type { Comparison } from '@assay/contracts/results';
import { percent, whole } from './figures.ts';
import { printable } from './printable.ts';
import { type Column, table } from './table.ts';

export type { Comparison } from '@assay/contracts/results';

/** The result of a comparison of two runs for one metric. */
export type MetricComparison = Comparison['metrics'][number];

const nameCharactersMax = 48;

const columnsOf = (level: number): Column[] => [
  { title: 'METRIC', align: 'left' },
  { title: 'TESTCASES', align: 'right' },
  { title: 'BASELINE', align: 'right' },
  { title: 'CANDIDATE', align: 'right' },
  { title: 'DIFFERENCE', align: 'right' },
  { title: `${Number((level * 100).toPrecision(6))} % INTERVAL`, align: 'right' },
  { title: 'P', align: 'right' },
  { title: 'ADJUSTED P', align: 'right' },
  { title: 'IMPROVED', align: 'right' },
  { title: 'REGRESSED', align: 'right' },
  { title: 'VERDICT', align: 'left' },
];

/** Lines of a table with a row or two a metric; `level` is the one that was compared at. */
export const comparisonTable = ({
  metrics,
  level,
}: {
  metrics: MetricComparison[];
  level: number;
}): string[] => table({ columns: columnsOf(level), rows: metrics.flatMap(rowsOf) });

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
export function decidingFigures(metric: MetricComparison): DecidingFigures {
  const { calibrated } = metric;
  const isCorrected = calibrated !== undefined && calibrated.difference !== null;
  const { difference, confidenceInterval, pValue, adjustedPValue, verdict } = isCorrected
    ? calibrated
    : metric;
  const decidedBy = isCorrected ? 'people' : calibrated ? 'judge' : 'scores';
  return { difference, confidenceInterval, pValue, adjustedPValue, verdict, decidedBy };
}

/** A judge that people corrected has a second row, with the verdict that counts. */
function rowsOf(metric: MetricComparison): string[][] {
  const { baselineMean, candidateMean } = metric;
  const unit = unitOf(metric);
  const deciding = decidingFigures(metric);
  const own = [
    shortened(printable(metric.name)),
    testcases(metric),
    figure(unit, baselineMean),
    figure(unit, candidateMean),
    ...inferred(unit, metric),
    whole(metric.improved),
    whole(metric.regressed),
    deciding.decidedBy === 'scores' ? metric.verdict : `${metric.verdict}, by the judge alone`,
  ];
  if (deciding.decidedBy !== 'people') return [own];
  const corrected = [
    '  corrected by people',
    whole(metric.calibrated!.labels),
    '',
    '',
    ...inferred(unit, deciding),
    '',
    '',
    deciding.verdict,
  ];
  return [own, corrected];
}

const inferred = (
  unit: Unit,
  {
    difference,
    confidenceInterval: interval,
    pValue,
    adjustedPValue,
  }: Omit<DecidingFigures, 'decidedBy'>,
): string[] => [
  change(unit, difference),
  interval ? `${change(unit, interval.low)} to ${change(unit, interval.high)}` : '–',
  probability(pValue),
  probability(adjustedPValue),
];

/** The pairs, and how many records each testcase has in a run, or in each of the two. */
function testcases({ paired, recordsPerTestcase: { baseline, candidate } }: MetricComparison) {
  if (baseline === null || candidate === null) return whole(paired);
  const records = [...new Set([baseline, candidate].map((mean) => `${Number(mean.toFixed(1))}`))];
  return `${whole(paired)} × ${records.join(' / ')}`;
}

const shortened = (name: string): string =>
  name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax - 1)}…` : name;

/** The unit of a metric's figures: `measured` is latency, tokens or cost. */
export type Unit = MetricComparison['outputType'] | 'measured';

export const unitOf = ({
  outputType,
  lowerIsBetter,
}: Pick<MetricComparison, 'outputType' | 'lowerIsBetter'>): Unit =>
  lowerIsBetter ? 'measured' : outputType;

/** Digits of a measured value, which may be thousands of tokens or a fraction of a cent. */
const measuredDigits = 4;
const measured = (value: number): string => String(Number(value.toPrecision(measuredDigits)));

/** A pass rate is told in percent, any other mean as it is. */
export function figure(unit: Unit, value: number | null): string {
  if (value === null) return '–';
  if (unit === 'measured') return measured(value);
  return unit === 'boolean' ? percent(value) : value.toFixed(3);
}

/** A difference with its sign: of pass rates in points of a hundred. */
export function change(unit: Unit, value: number | null): string {
  if (value === null) return '–';
  const distance = Math.abs(value);
  const size = unit === 'boolean' ? (distance * 100).toFixed(1) : figure(unit, distance);
  return Number(size) === 0 ? size : `${value < 0 ? '−' : '+'}${size}`;
}

/** Four places, or where these say nothing its size: 3.9e-36. */
export function probability(value: number | null): string {
  if (value === null) return '–';
  return value < 0.0001 ? value.toExponential(1) : value.toFixed(4);
}
