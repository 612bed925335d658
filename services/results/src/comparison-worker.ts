import '@assay/runtime/concurrency/low-priority';
import { type GuardedResult, guardItem } from '@assay/runtime/concurrency/guard-item';
import {
  lookAtPairs,
  type PairsLook,
  type PairsSoFar,
} from './domain/comparison/look-statistics.ts';
import { describePairs, type MetricPairs, type PairStatistics } from './domain/comparison/pairs.ts';

/** Compares one metric's pairs on another thread. */
export default (pairs: MetricPairs): GuardedResult<PairStatistics> =>
  guardItem(() => describePairs(pairs));

/** Looks at one metric's pairs so far. */
export const look = (pairs: PairsSoFar): GuardedResult<PairsLook> =>
  guardItem(() => lookAtPairs(pairs));
