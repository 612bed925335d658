import type { ReplyOf } from '@assay/client/operations';
import { isSystemMetricId } from '@assay/client/system-metrics';
import { isNumeric } from '@assay/contracts/scale';
import type { MetricResult } from '../../api/run-results.ts';
import {
  formatDollars,
  formatDuration,
  formatMean,
  formatSetShare,
  formatShare,
} from '../../text/format.ts';
import { runName } from '../../text/names.ts';
import type { ChartPoint } from '../chart/scales.ts';

export type Trends = ReplyOf<'GET', '/projects/:projectId/trends'>;
export type TrendPoint = Trends['points'][number];

/** Metrics of the records themselves that have a unit. */
const units: Record<string, (value: number) => string> = {
  latency: formatDuration,
  cost: formatDollars,
};

/** A run with more than this share of errors stands beside the line. */
const errorShareMax = 0.1;

/** How the values of a metric are written: shares as percentages, latency as a duration. */
export const writeOf = ({
  metricId,
  outputType,
}: Pick<MetricResult, 'metricId' | 'outputType'>): ((value: number) => string) =>
  units[metricId] ?? (isNumeric(outputType) ? formatMean : formatShare);

/** The same for the ends of an axis, without digits that say nothing. */
export const writeTickOf = (
  metric: Pick<MetricResult, 'metricId' | 'outputType'>,
): ((value: number) => string) =>
  metric.metricId in units || isNumeric(metric.outputType) ? writeOf(metric) : formatSetShare;

/** The result of a metric in a run by its newest version that has values. */
const resultIn = ({ results }: TrendPoint, metricId: string): MetricResult | undefined =>
  results.metrics.findLast((metric) => metric.metricId === metricId && metric.mean !== null);

/**
 * The metrics of these runs that have values, as they are in the newest run that has them; those of
 * the records themselves come last.
 */
export function metricsOf({ points }: Pick<Trends, 'points'>): MetricResult[] {
  const found = new Map<string, MetricResult>();
  for (const { results } of points)
    for (const metric of results.metrics)
      if (metric.mean !== null) found.set(metric.metricId, metric);
  const isOfRecords = ({ metricId }: MetricResult): number => Number(isSystemMetricId(metricId));
  return [...found.values()].sort((a, b) => isOfRecords(a) - isOfRecords(b));
}

/** The points of one metric: a run each, with marks where it cannot be compared with the one before. */
export function chartPoints({ points }: Pick<Trends, 'points'>, metricId: string): ChartPoint[] {
  const shown: ChartPoint[] = [];
  let before: MetricResult | undefined;
  for (const point of points) {
    const result = resultIn(point, metricId);
    if (!result) continue;
    const isChanged = before !== undefined && before.metricVersionId !== result.metricVersionId;
    const aside = asideOf(point);
    shown.push({
      id: point.run.id,
      at: Date.parse(point.run.createdAt),
      value: result.mean!,
      interval: result.confidenceInterval ?? undefined,
      isHollow: aside !== undefined,
      change: isChanged ? 'The metric changed here.' : undefined,
      text: textOf(point, result, [isChanged ? 'The metric changed here.' : undefined, aside]),
    });
    before = result;
  }
  return shown;
}

/** Why a run stands beside the line. */
function asideOf({ run, results, isBehind }: TrendPoint): string | undefined {
  if (isBehind) return 'It has changed since, and is counted anew.';
  if (run.numTestcases !== undefined) return 'A part of its testset.';
  if ((results.errors.mean ?? 0) > errorShareMax)
    return `${formatShare(results.errors.mean!)} of its records are errors.`;
  return undefined;
}

function textOf(
  { run }: TrendPoint,
  result: MetricResult,
  notes: readonly (string | undefined)[],
): string {
  const write = writeOf(result);
  const { mean, confidenceInterval, percentiles } = result;
  const interval = confidenceInterval
    ? ` (${write(confidenceInterval.low)} to ${write(confidenceInterval.high)})`
    : '';
  const spread = percentiles
    ? `\np50 ${write(percentiles.p50)}, p95 ${write(percentiles.p95)}`
    : '';
  const said = notes.filter((note) => note !== undefined).map((note) => `\n${note}`);
  return `${runName(run)}\n${write(mean!)}${interval}${spread}${said.join('')}`;
}
