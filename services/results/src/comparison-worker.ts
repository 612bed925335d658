import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { lookAtPairs } from './domain/comparison/look-statistics.ts';
import { describePairs } from './domain/comparison/pairs.ts';

/** Compares one metric's pairs on another thread. */
export default workerTask(describePairs);

/** Looks at one metric's pairs so far. */
export const look = workerTask(lookAtPairs);
