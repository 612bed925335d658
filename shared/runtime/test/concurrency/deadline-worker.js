import { beginTask } from '@assay/runtime/concurrency/deadline-workers';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Uses the processor, or waits without it, for so long. */
export default function work({ busyMs = 0, idleMs = 0, progress }) {
  beginTask(progress);
  Atomics.wait(cell, 0, 0, idleMs);
  const until = process.cpuUsage().user / 1000 + busyMs;
  while (process.cpuUsage().user / 1000 < until);
  return 'done';
}
