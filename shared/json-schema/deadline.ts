import { Piscina } from 'piscina';
import { type CheckTask, progressSlots, type ValidateTask } from './check-worker.ts';
import { schemaLimits } from './limits.ts';
import { workerFile } from './worker-file.ts';

// Starting a worker is not the schema's fault and does not count against its deadline; a worker that never starts is a fault of ours.
const startTimeoutMs = 60_000;

/** How a task ended: with its result, or stopped at its deadline or at the heap's cap, at a document (-1: while compiling). */
export type Outcome<Result> = { result: Result; ranMs: number } | { stopped: 'time' | 'memory'; document: number; ranMs: number };

/** Worker threads whose tasks are stopped, thread and all, when they have run for `timeoutMs`. */
export function createWorkers({ workers }: { workers: number }) {
  const pool = new Piscina({
    ...workerFile({ module: import.meta.url, name: './check-worker' }),
    minThreads: 1,
    maxThreads: workers,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: schemaLimits.workerHeapMiBMax },
  });

  async function run<Result>({ task, timeoutMs }: { task: Unstarted; timeoutMs: number }): Promise<Outcome<Result>> {
    const progress = new Float64Array(new SharedArrayBuffer(progressSlots.length * Float64Array.BYTES_PER_ELEMENT));
    const watch = watchProgress({ progress, timeoutMs });
    try {
      const result: Result = await pool.run({ ...task, progress }, { signal: watch.signal });
      return { result, ranMs: ranMs(progress) };
    } catch (error) {
      const stopped = stopReason({ error, signal: watch.signal });
      if (stopped === undefined || !hasStarted(progress)) throw error;
      return { stopped, document: progress[progressSlots.document]!, ranMs: ranMs(progress) };
    } finally {
      watch.end();
    }
  }

  return { run, close: () => pool.destroy() };
}

type Unstarted = Omit<CheckTask, 'progress'> | Omit<ValidateTask, 'progress'>;

function stopReason({ error, signal }: { error: unknown; signal: AbortSignal }): 'time' | 'memory' | undefined {
  if (signal.aborted) return 'time';
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : undefined;
}

function watchProgress({ progress, timeoutMs }: { progress: Float64Array; timeoutMs: number }) {
  const controller = new AbortController();
  const submittedAtMs = nowMs();
  let timer = setTimeout(look, timeoutMs);

  function look(): void {
    const leftMs = hasStarted(progress) ? timeoutMs - ranMs(progress) : Math.min(timeoutMs, startTimeoutMs - (nowMs() - submittedAtMs));
    if (leftMs <= 0) controller.abort();
    else timer = setTimeout(look, Math.ceil(leftMs));
  }

  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

function hasStarted(progress: Float64Array): boolean {
  return progress[progressSlots.startedAtMs]! > 0;
}

function ranMs(progress: Float64Array): number {
  return nowMs() - progress[progressSlots.startedAtMs]!;
}

function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
