// Imported by each module that runs on a worker thread.
import './low-priority.ts';
import { Failure, type FailureOnTheWire } from '@assay/contracts/failure';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { beginItem, beginTask, type Progress } from './task-progress.ts';
import { messageOf } from './thrown.ts';

/**
 * How a task ended, as it crosses from the thread: with its result; with a failure, which would
 * lose its class on the way; or with the message of whatever else was thrown.
 */
export type TaskReply<Result> =
  | { result: Result }
  | { failure: FailureOnTheWire }
  | { fault: string };

interface WorkerTaskOptions<Result> {
  /** Memory that the result takes with it, in place of a copy. */
  handBack?: (result: Result) => ArrayBuffer[];
}

/**
 * Makes the function that a worker's file exports: it does `work` for each task of `createWorkers`.
 * `work` calls `atItem` before each of its items, so that the one at which it is stopped can be left
 * out. Whatever it throws is the fault of its task alone.
 */
export const workerTask =
  <Task extends object, Result>(
    work: (task: Task, atItem: (item: number) => void) => Result | Promise<Result>,
    { handBack }: WorkerTaskOptions<Result> = {},
  ) =>
  async ({ task, progress }: { task: Task; progress: Progress }): Promise<unknown> => {
    beginTask(progress);
    const reply = await replyOf(() => work(task, (item) => beginItem(progress, item)));
    if (!handBack || !('result' in reply)) return reply;
    // Piscina looks at the symbols only where `move` says so.
    return move({ [transferableSymbol]: handBack(reply.result), [valueSymbol]: reply } as never);
  };

async function replyOf<Result>(work: () => Result | Promise<Result>): Promise<TaskReply<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    return error instanceof Failure ? { failure: error.toWire() } : { fault: messageOf(error) };
  }
}
