import { organizationContext } from '@assay/runtime/organization-context';
import type { Admission, Circuit } from './circuit.ts';

interface Turn {
  number: number;
  organizationId: string;
  begin: (admission: Admission) => void;
}

export type Lane = ReturnType<typeof createLane>;

/**
 * The calls to one provider and model: at most `concurrency` at once, those of the organization with fewest under way first, of these the
 * oldest ask, none while the lane is paused or the circuit is open. Every lane is apart from every other.
 */
export function createLane({ concurrency, circuit }: { concurrency: number; circuit: Circuit }) {
  const turns: Turn[] = [];
  const underWay = new Map<string, number>();
  let calling = 0;
  let pausedUntil = 0;
  let wake: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(wake);
    while (calling < concurrency && turns.length > 0) {
      const waitMs = Math.max(pausedUntil - performance.now(), circuit.waitMs());
      // The end of a probe begins the next call.
      if (waitMs === Number.POSITIVE_INFINITY) return;
      if (waitMs > 0) {
        wake = setTimeout(begin, waitMs).unref();
        return;
      }
      const [turn] = turns.splice(nextTurn(), 1);
      count(turn!.organizationId, 1);
      turn!.begin(circuit.admit());
    }
  }

  function nextTurn(): number {
    const calls = turns.map(({ organizationId }) => underWay.get(organizationId) ?? 0);
    return calls.indexOf(Math.min(...calls));
  }

  function count(organizationId: string, change: number): void {
    calling += change;
    const calls = (underWay.get(organizationId) ?? 0) + change;
    if (calls === 0) underWay.delete(organizationId);
    else underWay.set(organizationId, calls);
  }

  function awaitTurn(number: number, organizationId: string, signal: AbortSignal): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        turns.splice(turns.indexOf(turn), 1);
        reject(signal.reason);
      };
      const turn: Turn = {
        number,
        organizationId,
        begin: (admission) => {
          signal.removeEventListener('abort', leave);
          resolve(admission);
        },
      };
      signal.throwIfAborted();
      signal.addEventListener('abort', leave, { once: true });
      const at = turns.findIndex((other) => other.number > number);
      turns.splice(at < 0 ? turns.length : at, 0, turn);
      begin();
    });
  }

  return {
    /** Makes a call when its turn comes. @throws the signal's reason when it is aborted before. */
    async inTurn<Result>({
      number,
      signal,
      call,
    }: {
      number: number;
      signal: AbortSignal;
      call: (admission: Admission) => Promise<Result>;
    }): Promise<Result> {
      const organizationId = organizationContext()?.organizationId ?? '';
      const admission = await awaitTurn(number, organizationId, signal);
      try {
        return await call(admission);
      } finally {
        count(organizationId, -1);
        begin();
      }
    },

    /** No further call begins before `pauseMs` from now. */
    pause(pauseMs: number): void {
      pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs);
    },

    /** Begins what may begin: the circuit was told to try again. */
    begin,

    isIdle: () => calling === 0 && turns.length === 0,
  };
}
