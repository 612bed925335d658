import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { describePairs } from './domain/pairwise/statistics.ts';

/** Computes the results of a pairwise comparison on another thread. */
export default workerTask(describePairs);
