import { markdownText } from '@assay/client/markdown';
import { type Column, table } from '@assay/client/table';
import type { ComparisonBreakdown } from '@assay/contracts/results';
import {
  type Comparison,
  change,
  changes,
  figure,
  type MetricComparison,
  probability,
  unitOf,
} from './figures.ts';
import { markdownRow } from './markdown.ts';

type BrokenDown = Pick<Comparison, 'metrics'> & { breakdown: ComparisonBreakdown };
type Cell = ComparisonBreakdown['rows'][number]['metrics'][number];

const columns = [
  { title: 'VALUE', align: 'left', canShrink: true },
  { title: 'METRIC', align: 'left', canShrink: true },
  { title: 'TESTCASES', align: 'right' },
  { title: 'BASELINE', align: 'right' },
  { title: 'CANDIDATE', align: 'right' },
  { title: 'DIFFERENCE', align: 'right' },
  { title: 'INTERVAL', align: 'right' },
  { title: 'ADJUSTED P', align: 'right' },
  { title: 'VERDICT', align: 'left' },
] as const satisfies Column[];

/**
 * A value of a breakdown for people: a text without its quotes, unless it would be read as another
 * kind of value.
 */
export function breakdownValue(value: string | null): string {
  if (value === null) return '(none)';
  if (value.startsWith('sha256:')) return `(a long value, ${value.slice(0, 15)}…)`;
  if (!value.startsWith('"')) return value;
  const text = JSON.parse(value) as string;
  return isLikeOther(text) ? value : text;
}

/** Whether a text looks like a number, an object and so on, or like none. */
const isLikeOther = (text: string): boolean =>
  text.trim() === '' || /^(?:[-\d"[{(]|sha256:|(?:true|false|null)$)/.test(text);

/** Lines of the table of a breakdown. `shown` makes the text of a cell harmless for its reader. */
export const breakdownTable = (
  compared: BrokenDown,
  { widthMax, shown }: { widthMax?: number; shown: (text: string) => string },
): string[] =>
  table({
    columns: [...columns],
    rows: rowsOf(compared).map((row) => row.map(shown)),
    ...(widthMax === undefined ? {} : { widthMax }),
  });

/** The same for a page of CI. */
export const breakdownMarkdown = (compared: BrokenDown): string[] => [
  markdownRow(columns.map(({ title }) => title.charAt(0) + title.slice(1).toLowerCase())),
  `| --- | --- |${' ---: |'.repeat(columns.length - 3)} --- |`,
  ...rowsOf(compared).map((row) => markdownRow(row.map(markdownText))),
];

/** Where the values are from, how they are corrected, and how many are not shown. */
export function breakdownNote({ by, rows, other }: ComparisonBreakdown): string {
  const tests = rows
    .flatMap(({ metrics }) => metrics)
    .filter(({ adjustedPValue }) => adjustedPValue !== null).length;
  const hidden = other.values > 0 ? ` Further values that are not shown: ${other.values}.` : '';
  return `Broken down by ${by}. The p-values are corrected for the ${tests} ${tests === 1 ? 'test' : 'tests'} in it, so a row needs more testcases for a verdict than the whole does.${hidden}`;
}

/** A row for each metric of each value. */
const rowsOf = ({ metrics, breakdown }: BrokenDown): string[][] =>
  breakdown.rows.flatMap(({ value, metrics: cells }) =>
    cells.map((cell) => [
      breakdownValue(value),
      ...cellTexts(cell, metrics.find(({ metricId }) => metricId === cell.metricId)!),
    ]),
  );

function cellTexts(cell: Cell, metric: MetricComparison): string[] {
  const unit = unitOf(metric);
  const { baselineMean, candidateMean, difference, confidenceInterval: interval } = cell;
  return [
    metric.name,
    String(cell.paired),
    figure(unit, baselineMean, interval, difference),
    figure(unit, candidateMean, interval, difference),
    change(unit, difference, interval),
    changes(unit, interval),
    probability(cell.adjustedPValue),
    cell.verdict,
  ];
}
