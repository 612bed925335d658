import { organizationContext } from '@assay/runtime/concurrency/organization-context';
import type { Admission, Circuit } from './circuit.ts';
import type { WithSharedPermit } from './shared-permits.ts';

interface WaitingCall {
  number: number;
  organizationId: string;
  begin: (admission: Admission) => void;
}

export type ModelQueue = ReturnType<typeof createModelQueue>;

/**
 * A queue of calls to one provider and model, at most `concurrency` at once. The organization with
 * the fewest calls under way is served first, and of its calls the one with the lowest number. No
 * call begins while the queue is paused or the circuit is open.
 */
export function createModelQueue({
  concurrency,
  circuit,
  withSharedPermit = (_signal, call) => call(),
}: {
  concurrency: number;
  circuit: Circuit;
  /** Waits for a permit that all processes share. */
  withSharedPermit?: WithSharedPermit | undefined;
}) {
  const waiting: WaitingCall[] = [];
  const underWay = new Map<string, number>();
  let calling = 0;
  let pausedUntil = 0;
  let wake: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(wake);
    while (calling < concurrency && waiting.length > 0) {
      const waitMs = Math.max(pausedUntil - performance.now(), circuit.waitMs());
      // The end of a probe begins the next call.
      if (waitMs === Number.POSITIVE_INFINITY) return;
      if (waitMs > 0) {
        wake = setTimeout(begin, waitMs).unref();
        return;
      }
      const [call] = waiting.splice(nextCall(), 1);
      count(call!.organizationId, 1);
      call!.begin(circuit.admit());
    }
  }

  function nextCall(): number {
    const calls = waiting.map(({ organizationId }) => underWay.get(organizationId) ?? 0);
    return calls.indexOf(Math.min(...calls));
  }

  function count(organizationId: string, change: number): void {
    calling += change;
    const calls = (underWay.get(organizationId) ?? 0) + change;
    if (calls === 0) underWay.delete(organizationId);
    else underWay.set(organizationId, calls);
  }

  function admit(number: number, organizationId: string, signal: AbortSignal): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(call), 1);
        reject(signal.reason);
      };
      const call: WaitingCall = {
        number,
        organizationId,
        begin: (admission) => {
          signal.removeEventListener('abort', leave);
          resolve(admission);
        },
      };
      signal.throwIfAborted();
      signal.addEventListener('abort', leave, { once: true });
      const at = waiting.findIndex((other) => other.number > number);
      waiting.splice(at < 0 ? waiting.length : at, 0, call);
      begin();
    });
  }

  return {
    /**
     * Makes a call when the queue admits it. @throws the signal's reason when it is aborted before.
     */
    async run<Result>({
      number,
      signal,
      call,
    }: {
      number: number;
      signal: AbortSignal;
      call: (admission: Admission) => Promise<Result>;
    }): Promise<Result> {
      const organizationId = organizationContext()?.organizationId ?? '';
      const admission = await admit(number, organizationId, signal);
      let isMade = false;
      try {
        return await withSharedPermit(signal, () => {
          isMade = true;
          return call(admission);
        });
      } finally {
        if (!isMade) circuit.abandoned(admission);
        count(organizationId, -1);
        begin();
      }
    },

    /** No further call begins before `pauseMs` from now. */
    pause(pauseMs: number): void {
      pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs);
    },

    /** Begins the calls that may begin now, after the circuit was told to try again. */
    begin,

    isIdle: () => calling === 0 && waiting.length === 0,
  };
}
