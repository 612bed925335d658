import type { ReplyOf } from '@assay/client/operations';

export type RunSummary = ReplyOf<'GET', '/runs/:runId/summary'>;
export type MetricSummary = RunSummary['metrics'][number];
export type ErrorsSummary = RunSummary['errors'];
