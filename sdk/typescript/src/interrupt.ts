import { createStop } from './execution.ts';
import type { Session } from './session.ts';

const exitCode = 130;
/** How long the calls under way are waited for: they are paid for. */
const lastCallsMs = 10_000;

export interface Interruption {
  /** Ends when no call is begun any more. */
  stopping: AbortSignal;
  /** Ends when the calls under way have had their time, too. */
  cutting: AbortSignal;
  /** Tells that no call is under way. */
  callsEnded: () => void;
  /** Never resolves: the process ends. */
  ended: Promise<never>;
  off: () => void;
}

/**
 * Pauses the run at Ctrl-C when the calls under way have ended, and says how to go on; a second one
 * ends the process at once, and says so, too.
 */
export function onInterrupt({
  session,
  progress,
}: {
  session: Pick<Session, 'pause' | 'howToResume'>;
  progress: { stop: () => void } | undefined;
}): Interruption {
  const stopping = createStop();
  const cutting = createStop();
  let callsEnded = () => {};
  const noCalls = new Promise<void>((resolve) => {
    callsEnded = resolve;
  });

  async function pause(): Promise<never> {
    progress?.stop();
    process.stderr.write(
      `Pausing the run; calls under way have ${lastCallsMs / 1000} seconds to end. Ctrl-C again ends at once.\n`,
    );
    const timer = setTimeout(() => cutting.abort(), lastCallsMs);
    await noCalls;
    clearTimeout(timer);
    await session
      .pause()
      .catch((error: Error) =>
        process.stderr.write(`The run could not be paused: ${error.message}\n`),
      );
    return end();
  }
  function end(): never {
    process.stderr.write(`${session.howToResume() ?? 'Nothing was stored yet.'}\n`);
    process.exit(exitCode);
  }
  function interrupt(): void {
    if (stopping.signal.aborted) end();
    stopping.abort();
    void pause();
  }
  process.on('SIGINT', interrupt);
  return {
    stopping: stopping.signal,
    cutting: cutting.signal,
    callsEnded,
    ended: new Promise<never>(() => undefined),
    off: () => void process.off('SIGINT', interrupt),
  };
}
