import type { Session } from './session.ts';

const exitCode = 130;

/**
 * Pauses the run at Ctrl-C, and says how to go on; a second one ends the process at once. `ended`
 * never resolves: the process ends.
 */
export function onInterrupt({
  session,
  stopping,
  progress,
}: {
  session: Pick<Session, 'pause' | 'howToResume'>;
  stopping: AbortController;
  progress: { stop: () => void } | undefined;
}): { off: () => void; ended: Promise<never> } {
  async function pause(): Promise<never> {
    progress?.stop();
    process.stderr.write('Pausing the run; Ctrl-C again ends at once.\n');
    await session
      .pause()
      .catch((error: Error) =>
        process.stderr.write(`The run could not be paused: ${error.message}\n`),
      );
    process.stderr.write(`${session.howToResume() ?? 'Nothing was stored yet.'}\n`);
    process.exit(exitCode);
  }
  function interrupt(): void {
    if (stopping.signal.aborted) process.exit(exitCode);
    stopping.abort();
    void pause();
  }
  process.on('SIGINT', interrupt);
  return {
    off: () => void process.off('SIGINT', interrupt),
    ended: new Promise<never>(() => undefined),
  };
}
