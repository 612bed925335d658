import '@assay/runtime/concurrency/low-priority';
import { type GuardedResult, guardItem } from '@assay/runtime/concurrency/guard-item';
import { type AnsweredPairs, describePairs } from './domain/pairwise/statistics.ts';

/** Computes the results of a pairwise comparison on another thread. */
export default (pairs: AnsweredPairs): GuardedResult<ReturnType<typeof describePairs>> =>
  guardItem(() => describePairs(pairs));
