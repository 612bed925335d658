import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { read } from './domain/reading-task.ts';

/** Reads spans on another thread. */
export default workerTask(read);
