interface Turn {
  number: number;
  begin: () => void;
}

export type Lane = ReturnType<typeof createLane>;

/**
 * The calls to one provider and model: at most `concurrency` at once, the oldest ask first, none while the lane is paused. Every lane is
 * apart from every other.
 */
export function createLane({ concurrency }: { concurrency: number }) {
  const turns: Turn[] = [];
  let calling = 0;
  let pausedUntil = 0;
  let wake: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(wake);
    const pauseMs = pausedUntil - performance.now();
    if (pauseMs > 0 && turns.length > 0) wake = setTimeout(begin, pauseMs);
    if (pauseMs > 0) return;
    for (; calling < concurrency && turns.length > 0; calling++) turns.shift()!.begin();
  }

  function awaitTurn(number: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        turns.splice(turns.indexOf(turn), 1);
        reject(signal.reason);
      };
      const turn: Turn = {
        number,
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve();
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
    async inTurn<Result>({ number, signal, call }: { number: number; signal: AbortSignal; call: () => Promise<Result> }): Promise<Result> {
      await awaitTurn(number, signal);
      try {
        return await call();
      } finally {
        calling--;
        begin();
      }
    },

    /** No further call begins before `pauseMs` from now. */
    pause(pauseMs: number): void {
      pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs);
    },

    isIdle: () => calling === 0 && turns.length === 0,
  };
}
