import type { systemMetrics } from '@assay/contracts/run-records';

type SystemMetricId = (typeof systemMetrics)[number]['id'];

/** The metrics that every run has: the latency, tokens and cost of its records. */
export const systemMetricIds = [
  'latency',
  'input_tokens',
  'output_tokens',
  'cost',
] satisfies SystemMetricId[];

export const isSystemMetricId = (name: string): boolean =>
  (systemMetricIds as string[]).includes(name);
