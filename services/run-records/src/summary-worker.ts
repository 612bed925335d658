import '@assay/runtime/low-priority';
import { type MetricStatistics, type MetricValues, summarizeValues } from './domain/results/metric-statistics.ts';

/** Summarizes one metric on another thread. */
export default (values: MetricValues): MetricStatistics => summarizeValues(values);
