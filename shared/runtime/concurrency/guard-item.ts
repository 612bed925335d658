import { toFailure } from '../http/failures.ts';
import { messageOf } from './thrown.ts';

/** How the work of one item ended: with its result, or with the message of its error. */
export type GuardedResult<Result> = { result: Result } | { fault: string };

/**
 * Does the work of one item of a task, so that whatever it throws is the fault of that item alone
 * and the others of the task are done. Every worker that takes several items uses it.
 * @throws SERVICE_UNAVAILABLE: an outage is no item's fault, and the task is tried again.
 */
export function guardItem<Result>(work: () => Promise<Result>): Promise<GuardedResult<Result>>;
export function guardItem<Result>(work: () => Result): GuardedResult<Result>;
export function guardItem<Result>(
  work: () => Result | Promise<Result>,
): GuardedResult<Result> | Promise<GuardedResult<Result>> {
  try {
    const result = work();
    return result instanceof Promise ? result.then((result) => ({ result }), toFault) : { result };
  } catch (error) {
    return toFault(error);
  }
}

/** Whether an error says that something is out of reach, so that trying again may help. */
export const isOutage = (error: unknown): boolean =>
  toFailure(error).code === 'SERVICE_UNAVAILABLE';

function toFault(error: unknown): { fault: string } {
  if (isOutage(error)) throw error;
  return { fault: messageOf(error) };
}
