import '@assay/runtime/concurrency/low-priority';
import { type GuardedResult, guardItem } from '@assay/runtime/concurrency/guard-item';
import {
  type MetricStatistics,
  type MetricValues,
  summarizeValues,
} from './domain/metric-statistics.ts';

/** Summarizes one metric on another thread. */
export default (values: MetricValues): GuardedResult<MetricStatistics> =>
  guardItem(() => summarizeValues(values));
