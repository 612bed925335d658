import { whole } from '@assay/client/figures';
import { printable } from '@assay/client/printable';
import { type Column, table } from '@assay/client/table';
import { change, figure } from '@assay/comparison/figures';
import type { Evaluation, MetricResult } from './evaluation.ts';
import { type Note, noteLines } from './notes.ts';

const nameCharactersMax = 24;

/** The result of an evaluation as lines that fit a terminal of 80 columns, but for its sentences. */
export function reportLines(evaluation: Evaluation, { title, notes }: ReportContext): string[] {
  const { records, errors, metrics, comparison, link } = evaluation;
  const failures = errors === 0 ? '' : `, on ${whole(errors)} of which the system failed`;
  return [
    `${title}: ${whole(records)} ${records === 1 ? 'record' : 'records'}${failures}`,
    '',
    ...(comparison ? comparedTable(evaluation) : metrics.length > 0 ? ownTable(metrics) : []),
    ...(comparison || metrics.length > 0 ? [''] : []),
    ...(comparison?.metrics.map(({ name, sentence }) => `${JSON.stringify(name)}: ${sentence}`) ??
      []),
    ...noteLines(notes),
    ...(link === null ? [] : [link]),
  ].map(printable);
}

export interface ReportContext {
  /** "Support · Questions" */
  title: string;
  notes: Note[];
}

const ownColumns: Column[] = [
  { title: 'METRIC', align: 'left' },
  { title: 'TESTCASES', align: 'right' },
  { title: 'RESULT', align: 'right' },
  { title: '95 % INTERVAL', align: 'right' },
  { title: 'FAILED', align: 'right' },
];

const ownTable = (metrics: MetricResult[]): string[] =>
  table({
    columns: ownColumns,
    rows: metrics.map(({ name, outputType, count, mean, passRate, confidenceInterval, failed }) => {
      const share = outputType === 'boolean' ? passRate : mean;
      const interval = confidenceInterval
        ? `${figure(outputType, confidenceInterval.low)} to ${figure(outputType, confidenceInterval.high)}`
        : '–';
      return [shortened(name), whole(count), figure(outputType, share), interval, whole(failed)];
    }),
  });

const comparedColumns: Column[] = [
  { title: 'METRIC', align: 'left' },
  { title: 'TESTCASES', align: 'right' },
  { title: 'BASELINE', align: 'right' },
  { title: 'CANDIDATE', align: 'right' },
  { title: 'DIFFERENCE', align: 'right' },
  { title: 'VERDICT', align: 'left' },
];

function comparedTable({ metrics, comparison }: Evaluation): string[] {
  const rows = comparison!.metrics.map((metric) => {
    const outputType = metrics.find(({ name }) => name === metric.name)?.outputType ?? 'float';
    return [
      shortened(metric.name),
      whole(metric.paired),
      figure(outputType, metric.baselineMean),
      figure(outputType, metric.candidateMean),
      change(outputType, metric.difference, metric.confidenceInterval),
      metric.decidedBy === 'judge' ? `${metric.verdict} (judge alone)` : metric.verdict,
    ];
  });
  const alone = metrics.filter(({ name }) =>
    comparison!.metrics.every((metric) => metric.name !== name),
  );
  const others = alone.map(({ name, outputType, mean, passRate }) => [
    shortened(name),
    '–',
    '–',
    figure(outputType, outputType === 'boolean' ? passRate : mean),
    '–',
    'not in the baseline',
  ]);
  return table({ columns: comparedColumns, rows: [...rows, ...others] });
}

function shortened(name: string): string {
  const text = printable(name);
  return text.length > nameCharactersMax ? `${text.slice(0, nameCharactersMax - 1)}…` : text;
}
