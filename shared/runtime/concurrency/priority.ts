import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childrenOf } from './processor-time.ts';

/** A tenth of the processor that others get who want it at the same time. */
const low = 10;

/**
 * Gives the processor to threads that answer requests before this one, where cores are scarce.
 * Linux has a priority for each thread (setpriority(2), Notes); elsewhere it is the process's,
 * which is left as it is.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') ignoreRefusal(() => setPriority(low));
}

/**
 * Gives the processor to all other processes before this child and those that it has started. A
 * child that leads a session (`detached`) has a scheduling group of its own on most Linux machines
 * (sched(7), The autogroup feature), and its priority counts within that group alone: the group
 * gets the same one. The group of any other child is ours too, and is left as it is.
 */
export function lowerChildPriority(pid: number): void {
  ignoreRefusal(() => setPriority(pid, low));
  if (leadsSession(pid)) ignoreRefusal(() => writeFileSync(`/proc/${pid}/autogroup`, String(low)));
  for (const child of childrenOf(pid)) lowerChildPriority(child);
}

/**
 * By proc(5): behind the name come the state, the parent, the process group and the session. False
 * where the system does not tell.
 */
function leadsSession(pid: number): boolean {
  try {
    const [, , , session] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(session) === pid;
  } catch {
    return false;
  }
}

/**
 * The process has ended already, or the system does not permit it: slower for others, and no more
 * than that.
 */
function ignoreRefusal(lower: () => void): void {
  try {
    lower();
  } catch {}
}
