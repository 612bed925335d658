import { setTimeout as pause } from 'node:timers/promises';
import { type Child, startChild } from './child.ts';

const restartsMax = 8;
const restartsWindowMs = 120_000;
const longestPauseMs = 15_000;
const stopTimeoutMs = 20_000;

export interface SupervisedServer {
  readonly pid: number;
  stop: () => Promise<void>;
}

/**
 * Starts a server, waits until it is ready, and starts it again with the same arguments whenever it
 * dies, after a pause that doubles each time: who makes room on a full disk has most of a minute.
 * More than 8 deaths within two minutes, or a first start that fails, are given up: `onFatal` gets
 * one sentence, and a failed first start throws it. `pid` is that of the latest process.
 * `untilReady` resolves to false when the signal aborts or the server does not get ready in time.
 */
export async function supervise(options: {
  name: string;
  command: string;
  args: string[];
  pidFile: string;
  logFile: string;
  untilReady: (options: { signal: AbortSignal }) => Promise<boolean>;
  log: (line: string) => void;
  onFatal: (sentence: string) => void;
  /** The pause after the first death. */
  pauseMs?: number;
}): Promise<SupervisedServer> {
  const { name, logFile, untilReady, log, onFatal, pauseMs = 200, ...program } = options;
  const stopped = new AbortController();
  const deaths: number[] = [];
  let recovery: Promise<void> = Promise.resolve();

  const launch = async (): Promise<Child> => {
    const died = new AbortController();
    let ready = false;
    const onExit = (reason: string) => {
      died.abort(reason);
      if (ready) recovery = recover(reason);
    };
    const started = await startChild({ name, logFile, ...program, onExit });
    const signal = AbortSignal.any([died.signal, stopped.signal]);
    ready = await untilReady({ signal }).catch((cause: Error) => {
      if (!signal.aborted) log(`${name}: ${cause.message}`);
      return false;
    });
    // It may have died between its last answer and now.
    if (died.signal.aborted || stopped.signal.aborted) ready = false;
    if (ready) return started;
    await started.stop({ timeoutMs: stopTimeoutMs });
    const how = died.signal.aborted ? `ended ${died.signal.reason}` : 'did not get ready';
    throw new Error(`${name} ${how} while starting: ${logFile} says why.`);
  };

  const recover = async (reason: string): Promise<void> => {
    let why = `${name} ended ${reason}`;
    while (!stopped.signal.aborted) {
      const now = performance.now();
      deaths.push(now);
      while (now - deaths[0]! > restartsWindowMs) deaths.shift();
      if (deaths.length > restartsMax)
        return onFatal(
          `${name} died ${deaths.length} times within two minutes: ${logFile} says why.`,
        );
      log(`${why}; starting it again`);
      await pause(Math.min(pauseMs * 2 ** (deaths.length - 1), longestPauseMs), undefined, {
        signal: stopped.signal,
      }).catch(() => undefined);
      if (stopped.signal.aborted) return;
      try {
        current = await launch();
        log(`${name} is back`);
        return;
      } catch (cause) {
        why = (cause as Error).message.replace(/\.$/, '');
      }
    }
  };

  const stop = async (): Promise<void> => {
    stopped.abort();
    await recovery;
    await current.stop({ timeoutMs: stopTimeoutMs });
  };

  let current = await launch();
  return {
    get pid() {
      return current.pid;
    },
    stop,
  };
}
