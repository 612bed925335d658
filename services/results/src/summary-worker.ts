import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { summarizeValues } from './domain/metric-statistics.ts';

/** Summarizes one metric on another thread. */
export default workerTask(summarizeValues);
