import '@assay/runtime/concurrency/low-priority';
import { type AnsweredPairs, describePairs } from './domain/pairwise/statistics.ts';

/** Computes the results of a pairwise comparison on another thread. */
export default (pairs: AnsweredPairs): ReturnType<typeof describePairs> => describePairs(pairs);
