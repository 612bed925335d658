import { whole } from '@assay/client/figures';
import { type Column, table } from '@assay/client/table';
import {
  type ComparedMetric,
  type ComparedRuns,
  change,
  changes,
  comparedOf,
  type DecidingFigures,
  decidingFigures,
  figure,
  probability,
  recordsOf,
  unitOf,
} from './figures.ts';

/** The columns of a comparison, in their order. */
const columns = {
  metric: { title: 'METRIC', align: 'left', canShrink: true },
  testcases: { title: 'TESTCASES', align: 'right' },
  baseline: { title: 'BASELINE', align: 'right' },
  candidate: { title: 'CANDIDATE', align: 'right' },
  difference: { title: 'DIFFERENCE', align: 'right' },
  interval: { title: 'INTERVAL', align: 'right' },
  p: { title: 'P', align: 'right' },
  adjustedP: { title: 'ADJUSTED P', align: 'right' },
  improved: { title: 'IMPROVED', align: 'right' },
  regressed: { title: 'REGRESSED', align: 'right' },
  verdict: { title: 'VERDICT', align: 'left' },
} as const satisfies Record<string, Column>;
type ColumnName = keyof typeof columns;
export type Row = Record<ColumnName, string>;

const columnNames = Object.keys(columns) as ColumnName[];
const narrow: ColumnName[] = [
  'metric',
  'testcases',
  'baseline',
  'candidate',
  'difference',
  'verdict',
];

/**
 * Lines of the table of a comparison, the wide one with all columns. `shown` makes the text of a
 * cell harmless for its reader.
 */
export function comparisonTable(
  compared: ComparedRuns,
  {
    isWide = false,
    widthMax,
    shown,
  }: { isWide?: boolean; widthMax?: number; shown: (text: string) => string },
): string[] {
  const names = isWide ? columnNames : narrow;
  const all = comparedOf(compared);
  const level = all.find(({ confidenceInterval }) => confidenceInterval)?.confidenceInterval?.level;
  const interval = `${level === undefined ? '' : `${Number((100 * level).toPrecision(6))} % `}INTERVAL`;
  return table({
    columns: names.map((name) =>
      name === 'interval' ? { ...columns.interval, title: interval } : columns[name],
    ),
    rows: all.flatMap(rowsOf).map((row) => names.map((name) => shown(row[name]))),
    ...(widthMax === undefined ? {} : { widthMax }),
  });
}

/** The rows of one metric: a judge that people corrected has a second one, whose verdict counts. */
export function rowsOf(metric: ComparedMetric): Row[] {
  const unit = unitOf(metric);
  const { decidedBy, ...deciding } = decidingFigures(metric);
  const sign = { people: ' (judge)', judge: ' (judge alone)', scores: '' }[decidedBy];
  const inferred = ({
    difference,
    confidenceInterval,
    pValue,
    adjustedPValue,
    verdict,
  }: InferredFigures) => ({
    difference: change(unit, difference, confidenceInterval),
    interval: changes(unit, confidenceInterval),
    p: probability(pValue),
    adjustedP: probability(adjustedPValue),
    verdict,
  });
  const own = inferred(metric);
  const row: Row = {
    metric: metric.name,
    testcases: testcasesOf(metric),
    baseline: figure(unit, metric.baselineMean, metric.confidenceInterval, metric.difference),
    candidate: figure(unit, metric.candidateMean, metric.confidenceInterval, metric.difference),
    ...own,
    improved: whole(metric.improved),
    regressed: whole(metric.regressed),
    verdict: `${own.verdict}${sign}`,
  };
  if (decidedBy !== 'people') return [row];
  const labels = whole(metric.calibrated!.labels);
  const empty = { baseline: '', candidate: '', improved: '', regressed: '' };
  return [row, { metric: '  by people', testcases: labels, ...empty, ...inferred(deciding) }];
}

/** The pairs, and the records of each where they are several: "12 × 1 / 2". */
export function testcasesOf(metric: Pick<ComparedMetric, 'paired' | 'recordsPerTestcase'>): string {
  const records = recordsOf(metric);
  return [whole(metric.paired), ...(records.length > 0 ? [records.join(' / ')] : [])].join(' × ');
}

type InferredFigures = Omit<DecidingFigures, 'decidedBy'>;
