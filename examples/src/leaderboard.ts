import { percent, whole } from '@assay/client/figures';
import { type Column, table } from '@assay/client/table';
import { bar } from './bar.ts';
import type { EvaluatedVersion, MetricSummary } from './evaluation.ts';

const barCellsMax = 16;
const barCellsMin = 4;

/**
 * A block of rows a metric, in which the versions stand best first; in `width` characters a line if
 * that can be, with bars where there is room.
 */
export function leaderboard({
  versions,
  width = 120,
}: {
  versions: EvaluatedVersion[];
  width?: number;
}): string[] {
  const bare = drawBoard({ versions, barCells: 0 });
  const room = width - Math.max(...bare.map((line) => line.length)) - 2;
  return room < barCellsMin ? bare : drawBoard({ versions, barCells: Math.min(room, barCellsMax) });
}

function drawBoard({
  versions,
  barCells,
}: {
  versions: EvaluatedVersion[];
  barCells: number;
}): string[] {
  const metrics = versions[0]?.metrics ?? [];
  const rows = metrics.flatMap((_, metric) => {
    const ranked = versions.map(({ name, metrics }) => ({ name, summary: metrics[metric]! }));
    const goodness = ({ summary: { mean, lowerIsBetter } }: (typeof ranked)[number]) =>
      mean === null ? -Infinity : lowerIsBetter ? -mean : mean;
    ranked.sort((left, right) => goodness(right) - goodness(left));
    return ranked.map(({ name, summary }, rank) =>
      row({ name, summary, isFirst: rank === 0, barCells }),
    );
  });
  const [head, ...lines] = table({ columns: columnsOf(barCells), rows });
  return [
    head!,
    ...lines.flatMap((line, index) =>
      index > 0 && index % versions.length === 0 ? ['', line] : [line],
    ),
  ];
}

const columnsOf = (barCells: number): Column[] => [
  { title: 'METRIC', align: 'left' },
  { title: 'VERSION', align: 'left' },
  ...(barCells > 0 ? [{ title: '', align: 'left' } as const] : []),
  { title: 'RESULT', align: 'right' },
  { title: '', align: 'left' },
  { title: '95 % INTERVAL', align: 'right' },
  { title: 'N', align: 'right' },
  { title: 'FAILED', align: 'right' },
];

function row({
  name,
  summary,
  isFirst,
  barCells,
}: {
  name: string;
  summary: MetricSummary;
  isFirst: boolean;
  barCells: number;
}): string[] {
  const { outputType, mean, count, records, failed } = summary;
  const { low, high } = scaleOf(summary);
  const share = mean === null || low === null || high === null ? 0 : (mean - low) / (high - low);
  return [
    isFirst ? summary.name : '',
    name,
    ...(barCells > 0 ? [bar({ share, cells: barCells })] : []),
    mean === null ? '–' : figure(outputType, mean),
    detail(summary),
    interval(summary),
    records > count ? `${whole(count)} × ${Number((records / count).toFixed(1))}` : whole(count),
    whole(failed),
  ];
}

function figure(outputType: MetricSummary['outputType'], value: number): string {
  if (outputType === 'boolean') return percent(value);
  return value.toFixed(outputType === 'int' ? 2 : 3);
}

/** The ends of a metric's scale; null where one is missing. */
function scaleOf({ outputType, min, max }: MetricSummary) {
  const [least, greatest] = outputType === 'int' ? [1, 5] : [0, 1];
  return { low: min === undefined ? least! : min, high: max === undefined ? greatest! : max };
}

function detail(summary: MetricSummary): string {
  const { outputType, mean, count, records } = summary;
  if (outputType === 'boolean')
    return records > count
      ? 'of all records'
      : `${whole(Math.round((mean ?? 0) * count))} of ${whole(count)}`;
  const { low, high } = scaleOf(summary);
  return low === null || high === null ? '' : `of ${low} to ${high}`;
}

function interval({ outputType, confidenceInterval }: MetricSummary): string {
  if (!confidenceInterval) return '–';
  const { low, high } = confidenceInterval;
  return `${figure(outputType, low).replace(' %', '')} – ${figure(outputType, high)}`;
}
