// Imported by each module that runs in a worker thread, for this alone: requests are answered
// before users' work is done.
import { isMainThread } from 'node:worker_threads';
import { lowerThreadPriority } from './priority.ts';

if (!isMainThread) lowerThreadPriority();
