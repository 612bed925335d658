import '@assay/runtime/concurrency/low-priority';
import { type ReadingTask, read } from './domain/reading-task.ts';

/** Reads spans on another thread. */
export default (task: ReadingTask): unknown => read(task);
