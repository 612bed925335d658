import { Failure, unavailable } from '@assay/contracts/failure';
import { Piscina } from 'piscina';
import { createFairSemaphore } from './fair-semaphore.ts';
import { organizationContext, ownWork } from './organization-context.ts';
import { starved } from './processor-time.ts';
import { createProgress, hasStarted, itemOf, ranMs, watchProgress } from './task-progress.ts';
import { workerFile } from './worker-file.ts';
import type { TaskReply } from './worker-task.ts';

/**
 * How a task ended, and the processor time that it took: with its result, or stopped at its
 * deadline or at the heap's cap, at an item (-1: before the first).
 */
export type Outcome<Result> = { result: Result; ranMs: number } | StoppedTask;

export interface StoppedTask {
  stopped: 'time' | 'memory';
  item: number;
  ranMs: number;
}

export interface WorkersOptions {
  /** The caller's `import.meta.url`. */
  module: string;
  /** The worker's file relative to it, without its ending. It exports a `workerTask`. */
  name: string;
  threads?: number;
  /**
   * Threads that one organization may use at once; by default all but one, which is for the others.
   */
  threadsEach?: number;
  /** The processor time of a task, in ms, after which it is stopped together with its thread. */
  timeoutMs: number;
  heapMiBMax: number;
}

export interface TaskOptions<Task> {
  /** The worker's export that does the task; the default one where it is left out. */
  name?: string;
  /** Less than the workers' own. */
  timeoutMs?: number;
  /** Memory that the task takes with it, in place of a copy. */
  handedOver?: (task: Task) => ArrayBuffer[];
  /** For whom the task is; the organization in whose context it is asked for, by default. */
  organizationId?: string;
  /** Aborted when nobody waits for the task any more; that of the context by default. */
  signal?: AbortSignal | undefined;
  /** Makes the error that `run` throws where the task is stopped. */
  refuse?: (task: StoppedTask) => Error;
}

/** A task, or a function that makes it when its turn has come, so that its memory does not wait. */
type Task<Given> = Given | (() => Given);

export type Workers = ReturnType<typeof createWorkers>;

const idleMs = 60_000;

/**
 * Threads for work that grows with what users send. It is the one place that starts threads (a test
 * refuses another), so that each has what keeps organizations apart: they take turns, a task whose
 * client has gone is dropped while it waits, and one that takes too much processor time or memory is
 * stopped together with its thread. Time spent waiting for a thread or for the processor does not
 * count; where the system does not report it, all time counts.
 */
export function createWorkers({
  threads = 2,
  threadsEach = Math.max(1, threads - 1),
  timeoutMs: timeoutMsMax,
  heapMiBMax,
  ...file
}: WorkersOptions) {
  const pool = new Piscina({
    ...workerFile(file),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: heapMiBMax },
  });
  const withThread = createFairSemaphore({ permits: threads, permitsEach: threadsEach });
  let isClosed = false;

  async function attemptNow<Given extends object, Result>(
    given: Task<Given>,
    { name, timeoutMs = timeoutMsMax, handedOver }: TaskOptions<Given>,
  ): Promise<Outcome<Result>> {
    if (isClosed) throw stopping();
    const task = typeof given === 'function' ? given() : given;
    const progress = createProgress();
    const watch = watchProgress({ progress, timeoutMs });
    try {
      const reply: TaskReply<Result> = await pool.run(
        { task, progress },
        { signal: watch.signal, transferList: handedOver?.(task) ?? [], ...(name && { name }) },
      );
      if ('failure' in reply) throw Failure.fromWire(reply.failure);
      if ('fault' in reply) throw new Error(reply.fault);
      return { result: reply.result, ranMs: ranMs(progress) };
    } catch (error) {
      if (isClosed) throw stopping(error);
      const stopped = stopReason({ error, signal: watch.signal });
      if (stopped === undefined || !hasStarted(progress)) throw error;
      if (watch.isStarved()) throw starved(error);
      return { stopped, item: itemOf(progress), ranMs: ranMs(progress) };
    } finally {
      watch.end();
    }
  }

  /**
   * Does a task, and says how it ended, for those that go on without the item that stopped it.
   * @throws the task's own errors, SERVICE_UNAVAILABLE if it was starved (see `isStarved`) or the
   * threads are closed, the reason of its context's signal if that is aborted before its turn.
   */
  function attempt<Given extends object, Result>(
    task: Task<Given>,
    options: TaskOptions<Given> = {},
  ): Promise<Outcome<Result>> {
    const { organizationId, signal } = { ...(organizationContext() ?? ownWork), ...options };
    return withThread(organizationId, () => attemptNow<Given, Result>(task, options), { signal });
  }

  /**
   * Does a task.
   * @throws the same, and the error that `refuse` makes of a task that was stopped.
   */
  async function run<Given extends object, Result>(
    task: Task<Given>,
    options: TaskOptions<Given> = {},
  ): Promise<Result> {
    const outcome = await attempt<Given, Result>(task, options);
    if ('stopped' in outcome) throw (options.refuse ?? tooMuch)(outcome);
    return outcome.result;
  }

  async function close(): Promise<void> {
    isClosed = true;
    await pool.destroy();
  }

  return { attempt, run, close };
}

const stopping = (cause?: unknown): Failure =>
  unavailable('A part of the service is stopping: try again.', cause);

const tooMuch = ({ stopped }: StoppedTask): Failure =>
  new Failure('SERVICE_UNAVAILABLE', `This was stopped, because it takes too much ${stopped}.`);

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
