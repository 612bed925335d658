import type { ReplyOf } from '@assay/client/operations';

export type RunSummary = ReplyOf<'GET', '/runs/:runId/summary'>;
export type MetricSummary = RunSummary['metrics'][number];
export type ErrorsSummary = RunSummary['errors'];

/** The latest version of each metric: a run that was rescored has several. */
export const latestVersions = (metrics: MetricSummary[]): MetricSummary[] => [
  ...new Map(metrics.map((metric) => [metric.metricId, metric])).values(),
];
