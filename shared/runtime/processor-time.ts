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
