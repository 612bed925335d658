import type { systemMetrics } from '@assay/contracts/run-records';

type SystemMetricId = (typeof systemMetrics)[number]['id'];

/** The metrics that every run has: what its records took of the system under test. */
const ids = new Set<string>([
  'latency',
  'input_tokens',
  'output_tokens',
  'cost',
] satisfies SystemMetricId[]);

export const isSystemMetricId = (name: string): boolean => ids.has(name);
