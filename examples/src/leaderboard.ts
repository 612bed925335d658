import type { EvaluatedVersion, MetricSummary } from './evaluation.ts';
import { bar, percent, whole } from './figures.ts';
import { type Column, table } from './table.ts';

const columns: Column[] = [
  { title: 'METRIC', align: 'left' },
  { title: 'VERSION', align: 'left' },
  { title: '', align: 'left' },
  { title: 'RESULT', align: 'right' },
  { title: '', align: 'left' },
  { title: '95 % INTERVAL', align: 'right' },
  { title: 'N', align: 'right' },
  { title: 'FAILED', align: 'right' },
];

const barCells = 16;

/** A block of rows a metric, in which the versions stand best first. */
export function leaderboard(versions: EvaluatedVersion[]): string[] {
  const blocks = (versions[0]?.metrics ?? []).map((_, metric) => {
    const ranked = versions.map(({ name, metrics }) => ({ name, summary: metrics[metric]! }));
    ranked.sort((left, right) => (right.summary.mean ?? -Infinity) - (left.summary.mean ?? -Infinity));
    return ranked.map(({ name, summary }, rank) => row({ name, summary, isFirst: rank === 0 }));
  });
  const [head, ...lines] = table({ columns, rows: blocks.flat() });
  const starts = new Set(blocks.map((_, block) => sizeOf(blocks.slice(0, block))));
  return [head!, ...lines.flatMap((line, index) => (starts.has(index) && index > 0 ? ['', line] : [line]))];
}

const sizeOf = (blocks: string[][][]): number => blocks.reduce((size, rows) => size + rows.length, 0);

function row({ name, summary, isFirst }: { name: string; summary: MetricSummary; isFirst: boolean }): string[] {
  const { outputType, mean, count, failed } = summary;
  const share = mean === null ? 0 : outputType === 'int' ? (mean - 1) / 4 : mean;
  return [
    isFirst ? summary.name : '',
    name,
    bar({ share, cells: barCells }),
    mean === null ? '–' : figure(outputType, mean),
    detail(summary),
    interval(summary),
    whole(count),
    whole(failed),
  ];
}

const figure = (outputType: MetricSummary['outputType'], value: number): string => {
  if (outputType === 'boolean') return percent(value);
  return value.toFixed(outputType === 'int' ? 2 : 3);
};

const detail = ({ outputType, mean, count }: MetricSummary): string => {
  if (outputType === 'boolean') return `${whole(Math.round((mean ?? 0) * count))} of ${whole(count)}`;
  return outputType === 'int' ? 'of 1 to 5' : 'of 0 to 1';
};

const interval = ({ outputType, confidenceInterval }: MetricSummary): string => {
  if (!confidenceInterval) return '–';
  const { low, high } = confidenceInterval;
  return `${figure(outputType, low).replace(' %', '')} – ${figure(outputType, high)}`;
};
