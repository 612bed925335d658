import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type Failure, unavailable } from '@assay/contracts/failure';

/** The number that Linux gives the thread that asks; 0 elsewhere. */
export function currentThread(): number {
  try {
    // `<process>/task/<thread>`
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/**
 * How long a thread was on a processor, and how long it was ready and did not get one (Linux's
 * sched-stats, in nanoseconds there). Undefined where the system does not tell, or the thread has
 * ended.
 */
function timesOf(task: string): { usedMs: number; waitedMs: number } | undefined {
  try {
    const [used, waited] = readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ');
    return { usedMs: Number(used) / 1e6, waitedMs: Number(waited) / 1e6 };
  } catch {
    return undefined;
  }
}

/**
 * The processor time that a thread of this process has used, in ms; undefined where the system does
 * not tell, or the thread has ended.
 */
export const processorMs = (thread: number): number | undefined =>
  timesOf(`self/task/${thread}`)?.usedMs;

/**
 * How long this thread has been ready to run and did not get a processor since it began, in ms;
 * undefined where the system does not tell.
 */
export const waitedForProcessorMs = (): number | undefined => timesOf('thread-self')?.waitedMs;

/**
 * The processor time of a process and of the processes that it started and that still exist. All 0
 * where the system does not tell.
 */
export interface ProcessorUse {
  usedMs: number;
  /**
   * How long their first threads were ready to run and did not get a processor. A wait is counted
   * when it is over.
   */
  waitedMs: number;
  /** Whether a thread of theirs runs, or waits for a processor now. */
  isReady: boolean;
}

export function processorUse(pid: number): ProcessorUse {
  const none = { usedMs: 0, waitedMs: 0, isReady: false };
  const times = timesOf(`${pid}`);
  if (!times) return none;
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
      statOf(`${pid}/task/${thread}`),
    );
    const own = {
      usedMs: usedOf(statOf(`${pid}`)),
      waitedMs: times.waitedMs,
      isReady: threads.some(([state]) => state === 'R'),
    };
    return childrenOf(pid).map(processorUse).reduce(plus, own);
  } catch {
    return none;
  }
}

/** Returns the fields that proc(5) lists after the name, from the state on. */
const statOf = (task: string): string[] =>
  readFileSync(`/proc/${task}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** In user and in system mode, of all threads; Linux counts in hundredths of a second here. */
const usedOf = (stat: string[]): number => 10 * (Number(stat[11]) + Number(stat[12]));

const plus = (one: ProcessorUse, other: ProcessorUse): ProcessorUse => ({
  usedMs: one.usedMs + other.usedMs,
  waitedMs: one.waitedMs + other.waitedMs,
  isReady: one.isReady || other.isReady,
});

/**
 * How many times as long as the processor time that it may use users' work may take: it comes after
 * whatever answers requests, and waits long where processors are scarce.
 */
export const patienceFactor = 5;

/**
 * True if work that was stopped after `usedMs` of processor time was starved, which is no fault of
 * its own: it had less than an eighth of the time that it may use.
 */
export const isStarved = ({ usedMs, timeoutMs }: { usedMs: number; timeoutMs: number }): boolean =>
  usedMs < timeoutMs / 8;

export const starved = (cause?: unknown): Failure =>
  unavailable('There is more to do here than this machine can: try again.', cause);

/**
 * The processes that a process of one thread has started and that are still there; none where the
 * system does not tell.
 */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .filter(Boolean);
  } catch {
    return [];
  }
}
