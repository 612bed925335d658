import '@assay/runtime/concurrency/low-priority';
import { comparePairs, type MetricPairs, type PairStatistics } from './domain/comparison/pairs.ts';

/** Compares one metric's pairs on another thread. */
export default (pairs: MetricPairs): PairStatistics => comparePairs(pairs);
