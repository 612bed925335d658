import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childrenOf } from './processor-time.ts';

/** A tenth of the processor that others get who want it at the same time. */
const low = 10;

/**
 * Gives the processor to threads that answer requests before this one, where cores are scarce. Linux has a priority for each thread
 * (setpriority(2), Notes); elsewhere it is the process's, which is left as it is.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') ignoreRefusal(() => setPriority(low));
}

/**
 * Gives the processor to all other processes before this child and those that it has started. A child that leads a session has a scheduling group of its own on most Linux
 * machines (sched(7), The autogroup feature), and its priority counts within that group alone: the group gets the same one.
 */
export function lowerChildPriority(pid: number): void {
  ignoreRefusal(() => setPriority(pid, low));
  if (process.platform === 'linux') ignoreRefusal(() => writeFileSync(`/proc/${pid}/autogroup`, String(low)));
  for (const child of childrenOf(pid)) lowerChildPriority(child);
}

/** The process has ended already, or the system does not permit it: slower for others, and no more than that. */
function ignoreRefusal(lower: () => void): void {
  try {
    lower();
  } catch {}
}
