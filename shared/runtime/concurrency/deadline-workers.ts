import { unavailable } from '@assay/contracts/failure';
import { Piscina } from 'piscina';
import {
  currentThread,
  isStarved,
  patienceFactor,
  processorMs,
  starved,
} from './processor-time.ts';
import { workerFile } from './worker-file.ts';

/**
 * Where a task says how far it is: when it began, by the process's monotonic clock; at which of its
 * items it is; on which thread; and the processor time that this thread had used before.
 */
const slots = { startedAtMs: 0, item: 1, thread: 2, processorBeforeMs: 3, length: 4 } as const;

/** The shared memory that every task carries, so that the main thread can watch it. */
export type Progress = Float64Array;

/**
 * How a task ended, and the processor time that it took: with its result, or stopped at its
 * deadline or at the heap's cap, at an item (-1: before the first).
 */
export type Outcome<Result> =
  | { result: Result; ranMs: number }
  | { stopped: 'time' | 'memory'; item: number; ranMs: number };

/**
 * The start of a thread does not count against the task's deadline, but a thread that never starts
 * is a fault of ours.
 */
const startTimeoutMs = 60_000;

let thread: number | undefined;

/** Called by the worker when it begins a task. */
export function beginTask(progress: Progress): void {
  progress[slots.item] = -1;
  thread ??= currentThread();
  progress[slots.thread] = thread;
  progress[slots.processorBeforeMs] = processorMs(thread) ?? 0;
  progress[slots.startedAtMs] = nowMs();
}

/** Called by the worker before each of its items. */
export function beginItem(progress: Progress, item: number): void {
  progress[slots.item] = item;
}

/**
 * Threads for work that users wrote. A task that has used the processor for `timeoutMs` is stopped
 * together with its thread. Time spent waiting for a thread or for the processor does not count;
 * where the system does not report it, all time counts. The worker's default function gets `{
 * ...task, progress }` and calls `beginTask` first, `beginItem` before each item.
 * @throws SERVICE_UNAVAILABLE if the task was starved (see `isStarved`), or the threads are closed.
 */
export function createDeadlineWorkers({
  module,
  name,
  threads,
  heapMiBMax,
}: {
  module: string;
  name: string;
  threads: number;
  heapMiBMax: number;
}) {
  const pool = new Piscina({
    ...workerFile({ module, name }),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: heapMiBMax },
  });

  let isClosed = false;

  async function run<Result>({
    task,
    timeoutMs,
    handedOver = [],
  }: {
    task: object;
    timeoutMs: number;
    /** Memory that the task takes with it, instead of a copy. */
    handedOver?: ArrayBuffer[];
  }): Promise<Outcome<Result>> {
    const progress = new Float64Array(
      new SharedArrayBuffer(slots.length * Float64Array.BYTES_PER_ELEMENT),
    );
    const watch = watchProgress({ progress, timeoutMs });
    try {
      const result: Result = await pool.run(
        { ...task, progress },
        { signal: watch.signal, transferList: handedOver },
      );
      return { result, ranMs: ranMs(progress) };
    } catch (error) {
      if (isClosed) throw unavailable('A part of the service is stopping: try again.', error);
      const stopped = stopReason({ error, signal: watch.signal });
      if (stopped === undefined || !hasStarted(progress)) throw error;
      if (watch.isStarved()) throw starved(error);
      return { stopped, item: progress[slots.item]!, ranMs: ranMs(progress) };
    } finally {
      watch.end();
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    await pool.destroy();
  }

  return { run, close };
}

function stopReason({
  error,
  signal,
}: {
  error: unknown;
  signal: AbortSignal;
}): 'time' | 'memory' | undefined {
  if (signal.aborted) return 'time';
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : undefined;
}

function watchProgress({ progress, timeoutMs }: { progress: Progress; timeoutMs: number }) {
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

const hasStarted = (progress: Progress): boolean => progress[slots.startedAtMs]! > 0;

/** Most tasks are so short that it is not worth asking the system. */
const shortMs = 50;

function ranMs(progress: Progress): number {
  const passed = passedMs(progress);
  const processor = passed < shortMs ? undefined : processorMs(progress[slots.thread]!);
  return processor === undefined ? passed : processor - progress[slots.processorBeforeMs]!;
}

const passedMs = (progress: Progress): number => nowMs() - progress[slots.startedAtMs]!;

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
