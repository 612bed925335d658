import type { RecordState } from './record-language.ts';
import type { MetricSummary } from './run-summary.ts';

type CountedMetric = Pick<
  MetricSummary,
  | 'metricVersionId'
  | 'outputType'
  | 'count'
  | 'records'
  | 'failed'
  | 'errored'
  | 'invalid'
  | 'distribution'
>;

/**
 * How many records pass a filter by one outcome or value of a metric, as its summary counts them;
 * undefined where it does not tell.
 */
export function filteredCount(
  filters: RecordState,
  metrics: readonly CountedMetric[],
): number | undefined {
  const { metricVersionId, outcome, value, sort: _sort, order: _order, ...others } = filters;
  const metric = metrics.find((each) => each.metricVersionId === metricVersionId);
  if (!metric || Object.keys(others).length > 0) return undefined;
  if (value !== undefined) return outcome === undefined ? countOf(value, metric) : undefined;
  if (outcome === 'failed') return metric.failed;
  if (outcome === 'errored') return metric.errored;
  if (outcome === 'invalid') return metric.invalid;
  const isPass = outcome === 'pass' || outcome === 'fail';
  return isPass && metric.outputType === 'boolean'
    ? countOf(String(outcome === 'pass'), metric)
    : undefined;
}

/** A histogram is of testcases, and has those without an answer at the worst value. */
function countOf(
  written: string,
  { count, records, errored = 0, distribution }: CountedMetric,
): number | undefined {
  if (count !== records || errored > 0) return undefined;
  const isValue = (bar: CountedMetric['distribution'][number]) =>
    'value' in bar && String(bar.value) === written;
  return distribution.find(isValue)?.count;
}
