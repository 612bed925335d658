import { currentThread, isStarved, patienceFactor, processorMs } from './processor-time.ts';

/**
 * Where a task says how far it is: when it began, by the process's monotonic clock; at which of its
 * items it is; on which thread; and the processor time that this thread had used before.
 */
const slots = { startedAtMs: 0, item: 1, thread: 2, processorBeforeMs: 3, length: 4 } as const;

/** The shared memory that every task carries, so that the main thread can watch it. */
export type Progress = Float64Array;

export const createProgress = (): Progress =>
  new Float64Array(new SharedArrayBuffer(slots.length * Float64Array.BYTES_PER_ELEMENT));

/**
 * The start of a thread does not count against the task's deadline, but a thread that never starts
 * is a fault of ours.
 */
const startTimeoutMs = 60_000;

let thread: number | undefined;

/** Called on the worker's thread when it begins a task. */
export function beginTask(progress: Progress): void {
  progress[slots.item] = -1;
  thread ??= currentThread();
  progress[slots.thread] = thread;
  progress[slots.processorBeforeMs] = processorMs(thread) ?? 0;
  progress[slots.startedAtMs] = nowMs();
}

/** Called on the worker's thread before each of the task's items. */
export function beginItem(progress: Progress, item: number): void {
  progress[slots.item] = item;
}

/**
 * Watches a task from the main thread: its signal is aborted when the task has used the processor
 * for `timeoutMs`.
 */
export function watchProgress({ progress, timeoutMs }: { progress: Progress; timeoutMs: number }): {
  signal: AbortSignal;
  isStarved: () => boolean;
  end: () => void;
} {
  const controller = new AbortController();
  const submittedAtMs = nowMs();
  let wasStarved = false;
  let timer = setTimeout(look, timeoutMs);

  function look(): void {
    const leftMs = hasStarted(progress)
      ? leftOfTask()
      : Math.min(timeoutMs, startTimeoutMs - (nowMs() - submittedAtMs));
    if (leftMs <= 0) controller.abort();
    else timer = setTimeout(look, Math.ceil(leftMs));
  }

  function leftOfTask(): number {
    const ran = ranMs(progress);
    const patienceMs = timeoutMs * patienceFactor - passedMs(progress);
    wasStarved = patienceMs <= 0 && isStarved({ usedMs: ran, timeoutMs });
    return Math.min(timeoutMs - ran, patienceMs);
  }

  return { signal: controller.signal, isStarved: () => wasStarved, end: () => clearTimeout(timer) };
}

export const hasStarted = (progress: Progress): boolean => progress[slots.startedAtMs]! > 0;

/** The item that a task is at; -1 before the first. */
export const itemOf = (progress: Progress): number => progress[slots.item]!;

/** Most tasks are so short that it is not worth asking the system. */
const shortMs = 50;

/** The processor time that a task has used so far; by the clock where the system does not tell. */
export function ranMs(progress: Progress): number {
  const passed = passedMs(progress);
  const processor = passed < shortMs ? undefined : processorMs(progress[slots.thread]!);
  return processor === undefined ? passed : processor - progress[slots.processorBeforeMs]!;
}

const passedMs = (progress: Progress): number => nowMs() - progress[slots.startedAtMs]!;

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
