import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { recordNotesMax } from '@assay/contracts/record-notes';
import { outputsOf, type RecordNote } from './conversion.ts';
import type { CallContext, Json, System, SystemError, Testcase } from './evaluation.ts';
import { seenBySystem } from './exact-numbers.ts';
import { systemErrorOf } from './system-error.ts';

/** The result of one call of the system. */
export interface CallResult<Case extends Testcase = Testcase> {
  testcase: Case;
  trial: number;
  outputs: Json;
  /** Why there are no outputs of the system. */
  error?: SystemError;
  /** The thrown value itself, for a test that fails by it. */
  thrown?: unknown;
  /** Values that could not be stored, or given to the system, as they were. */
  notes: RecordNote[];
  /** How often the system was called for this record. */
  attempts: number;
  latencyMs: number;
  /** Where the system asked for it. */
  otelLinkId?: string;
}

/**
 * Calls the system once. Whatever it throws, and silence for `timeoutMs`, is a result; so is the
 * end of `signal`, whose result nobody should keep.
 */
export async function callSystem<Case extends Testcase>({
  system,
  testcase,
  trial,
  timeoutMs,
  signal,
}: {
  system: System;
  testcase: Case;
  trial: number;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<CallResult<Case>> {
  const startedAt = performance.now();
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  const timer = setTimeout(() => ending.abort(new TimeoutError(timeoutMs)), timeoutMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  let otelLinkId: string | undefined;
  const { seen, notes: rounded } = seenBySystem(system, testcase);
  const context: CallContext = {
    testcase: seen,
    trial,
    signal: ending.signal,
    // A trace's id by its form, so that a tracer can take it for one.
    get otelLinkId() {
      otelLinkId ??= randomBytes(16).toString('hex');
      return otelLinkId;
    },
  };
  const finished = (
    result: Pick<CallResult, 'outputs' | 'notes' | 'error' | 'thrown'>,
  ): CallResult<Case> => ({
    testcase,
    trial,
    ...result,
    notes: [...result.notes, ...rounded].slice(0, recordNotesMax),
    attempts: 1,
    latencyMs: Math.round(performance.now() - startedAt),
    ...(otelLinkId === undefined ? {} : { otelLinkId }),
  });
  try {
    const call = (async () => consumed(await system(seen.inputs, context)))();
    const result = await Promise.race([call, whenAborted(ending.signal)]);
    return finished(outputsOf(result));
  } catch (thrown) {
    return finished({ outputs: {}, notes: [], error: systemErrorOf(thrown), thrown });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Ends calls and pauses, of which each listens: more at once than Node.js expects of a signal. */
export function createStop(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

class TimeoutError extends Error {
  override name = 'TimeoutError';
  constructor(timeoutMs: number) {
    super(`The system gave no answer within ${timeoutMs} ms.`);
  }
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** The parts of a generator, which is at work only while it is asked for them. */
async function consumed(answer: unknown): Promise<unknown> {
  if (typeof answer !== 'object' || answer === null || !('next' in answer)) return answer;
  if (!(Symbol.asyncIterator in answer) && !(Symbol.iterator in answer)) return answer;
  const parts: unknown[] = [];
  for await (const part of answer as AsyncIterable<unknown>) parts.push(part);
  return parts;
}

/**
 * Works on the items as they come, `concurrency` at a time. After a failure or the end of `signal`
 * no further item is begun; the failure is thrown when the items in flight have ended.
 */
export async function forEachConcurrently<Item>({
  items,
  concurrency,
  signal,
  work,
}: {
  items: AsyncIterable<Item>;
  concurrency: number;
  signal: AbortSignal;
  work: (item: Item) => Promise<void>;
}): Promise<void> {
  const waiting = items[Symbol.asyncIterator]();
  let hasFailed = false;
  async function worker(): Promise<void> {
    try {
      while (!hasFailed && !signal.aborted) {
        const next = await waiting.next();
        if (next.done || hasFailed || signal.aborted) return;
        await work(next.value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
