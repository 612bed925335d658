import type { MetricResult, RunResults } from '../api/run-results.ts';
import { formatCount, formatDollars, formatDuration } from './format.ts';

type RecordResult = MetricResult | undefined;

/** Half of the records, and 95 in 100, stay below: "p50 0.8 s · p95 2.1 s". */
export const latencyText = (latency: RecordResult): string =>
  latency?.percentiles
    ? `${formatDuration(latency.percentiles.p50)} · ${formatDuration(latency.percentiles.p95)}`
    : '–';

/** The tokens of all records of a run, in and out. */
export function tokensText({ resultOf }: Pick<RunResults, 'resultOf'>, runId: string): string {
  const sums = ['input_tokens', 'output_tokens'].flatMap(
    (metricId) => resultOf(runId, metricId)?.sum ?? [],
  );
  return sums.length === 0 ? '–' : formatCount(sums.reduce((total, sum) => total + sum, 0));
}

export const costText = (cost: RecordResult): string =>
  cost?.sum === undefined ? '–' : formatDollars(cost.sum);
