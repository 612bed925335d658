import { invalidAt } from '@assay/contracts/failure';
import { workerTask } from '@assay/runtime/concurrency/worker-task';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Uses the processor, or waits without it, for so long; keeps memory; throws. */
export default workerTask(({ busyMs = 0, idleMs = 0, keptMiB = 0, throws }) => {
  if (throws === 'failure') throw invalidAt('/a', 'is wrong');
  if (throws === 'symbol') throw Symbol('odd');
  Atomics.wait(cell, 0, 0, idleMs);
  const until = process.cpuUsage().user / 1000 + busyMs;
  while (process.cpuUsage().user / 1000 < until);
  const kept = [];
  while (kept.length < keptMiB) kept.push(Array.from({ length: 131_072 }, () => ({})));
  return 'done';
});
