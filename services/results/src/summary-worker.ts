import '@assay/runtime/concurrency/low-priority';
import {
  type MetricStatistics,
  type MetricValues,
  summarizeValues,
} from './domain/metric-statistics.ts';

/** Summarizes one metric on another thread. */
export default (values: MetricValues): MetricStatistics => summarizeValues(values);
