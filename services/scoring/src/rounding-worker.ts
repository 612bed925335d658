import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { notesOfRounded } from './domain/rounded-numbers.ts';

/** Finds numbers that code cannot hold, on another thread, which may be ended at any moment. */
export default workerTask(notesOfRounded);
