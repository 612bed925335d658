import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Requests of one kind, each connection sending the next when it has the answer to the one before. */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  connections: number;
  durationMs: number;
}

/** What came of a load. Only answers with a 2xx count, in the rate and in the latencies. */
export interface Measured {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Everything else, by status or error code. */
  errors: Record<string, number>;
}

/** The one generator of every side of every question, in a process of its own. */
export interface Generator {
  run(load: Load): Promise<Measured>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('./load-program.js', import.meta.url)), { env: {}, execArgv: [] });
  const exited = once(child, 'exit');
  return {
    run: async (load) => {
      const answer = once(child, 'message');
      child.send(load);
      const ended = exited.then(() => {
        throw new Error('the load generator ended');
      });
      return ((await Promise.race([answer, ended])) as [Measured])[0];
    },
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
