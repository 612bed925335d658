import { readFileSync, readlinkSync } from 'node:fs';

/** The number that Linux gives the thread that asks; 0 elsewhere. */
export function currentThread(): number {
  try {
    // `<process>/task/<thread>`
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** The processor time that a thread of this process has used, in ms; undefined where the system does not tell, or the thread has ended. */
export function processorMs(thread: number): number | undefined {
  try {
    // Nanoseconds on a processor, nanoseconds waiting for one, times it got one (Linux's sched-stats).
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * How long a process and those that it started were ready to run and did not get a processor, in ms, as far as they are still there; 0 where
 * the system does not tell.
 */
export function waitedMs(pid: number): number {
  try {
    const waitedNs = Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]);
    return childrenOf(pid)
      .map(waitedMs)
      .reduce((sum, waited) => sum + waited, waitedNs / 1e6);
  } catch {
    return 0;
  }
}

/** The processes that a process of one thread has started and that are still there; none where the system does not tell. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}
