import { whole } from '@assay/client/figures';
import { printable } from '@assay/client/printable';
import { type Column, table } from '@assay/client/table';
import { change, figure } from '@assay/comparison/figures';
import { testcasesOf } from '@assay/comparison/table';
import type { Comparison, Evaluation, MetricResult, MetricVerdict } from './evaluation.ts';

const nameCharactersMax = 24;

/**
 * The result of an evaluation as lines that fit a terminal of 80 columns, but for its sentences,
 * below a title such as "Support · Questions". `kept` counts the records that a resumed run had,
 * and `notes` are those of the result that are shown.
 */
export function reportLines(
  evaluation: Evaluation,
  title: string,
  { kept = 0, notes = evaluation.notes }: { kept?: number; notes?: string[] } = {},
): string[] {
  const { records, errors, metrics, comparison, link, errorRate } = evaluation;
  const rows = [...metrics, ...(errorRate ? [errorRate] : [])];
  const failures = errors === 0 ? '' : `, on ${whole(errors)} of which the system failed`;
  const all = records + kept;
  const answered = kept === 0 ? '' : `, ${whole(records)} of them answered now`;
  return [
    `${title}: ${whole(all)} ${all === 1 ? 'record' : 'records'}${answered}${failures}`,
    '',
    ...(comparison ? comparedTable(evaluation) : metrics.length > 0 ? ownTable(rows) : []),
    ...(comparison || metrics.length > 0 ? [''] : []),
    ...sentencesOf(comparison),
    ...notes,
    ...(link === null ? [] : [link]),
  ].map(printable);
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
    rows: metrics.map(({ name, outputType, count, mean, confidenceInterval, failed }) => {
      const interval = confidenceInterval
        ? `${figure(outputType, confidenceInterval.low)} to ${figure(outputType, confidenceInterval.high)}`
        : '–';
      return [shortened(name), whole(count), figure(outputType, mean), interval, whole(failed)];
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
  const { errors } = comparison!;
  const rowOf = (metric: MetricVerdict, outputType: MetricResult['outputType']) => [
    shortened(metric.name),
    testcasesOf(metric),
    figure(outputType, metric.baselineMean, metric.confidenceInterval, metric.difference),
    figure(outputType, metric.candidateMean, metric.confidenceInterval, metric.difference),
    change(outputType, metric.difference, metric.confidenceInterval),
    metric.decidedBy === 'judge' ? `${metric.verdict} (judge alone)` : metric.verdict,
  ];
  const typeOf = (metric: MetricVerdict) =>
    metrics.find(({ name }) => name === metric.name)?.outputType ?? 'float';
  const rows = comparison!.metrics.map((metric) => rowOf(metric, typeOf(metric)));
  const ofErrors = errors ? [rowOf(errors, 'boolean')] : [];
  const alone = metrics.filter(({ name }) =>
    comparison!.metrics.every((metric) => metric.name !== name),
  );
  const others = alone.map(({ name, outputType, mean }) => [
    shortened(name),
    '–',
    '–',
    figure(outputType, mean),
    '–',
    'not in the baseline',
  ]);
  return table({ columns: comparedColumns, rows: [...rows, ...others, ...ofErrors] });
}

/** A sentence for each metric; one on errors where they differ. */
function sentencesOf(comparison: Comparison | null): string[] {
  if (!comparison) return [];
  const { metrics, errors } = comparison;
  const told = errors?.difference ? [...metrics, errors] : metrics;
  return told.map(({ name, sentence }) => `${JSON.stringify(name)}: ${sentence}`);
}

function shortened(name: string): string {
  const text = printable(name);
  return text.length > nameCharactersMax ? `${text.slice(0, nameCharactersMax - 1)}…` : text;
}
