import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One kind of request. */
export interface Request {
  url: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** When a load ends: after so much time, or so many requests or lines. */
export type Until = { durationMs: number } | { count: number };

/**
 * Each connection sends the next request when it has the answer to the last. Answers after the time
 * are not counted.
 */
export interface ClosedLoop extends Request {
  connections: number;
  /** Bodies in place of the one. */
  turns?: Turns;
  until: Until;
}

/** Bodies that are sent one after the other, again and again, each turn with another number in it. */
export interface Turns {
  bodies: NumberedBody[];
  firstTurn: number;
}

/** A body with places of four bytes for the number of its turn. */
export interface NumberedBody {
  bytes: Uint8Array;
  numberAt: number[];
}

/**
 * Requests come at a constant rate, whether or not those before them were answered, each on a
 * connection of its own while it waits.
 */
export interface OpenLoop extends Request {
  perSecond: number;
  durationMs: number;
}

/** Stands in a line of an upload for the number of the line, with as many digits. */
export const lineNumber = '########';

/** Bodies of NDJSON, sent as fast as they are taken, while the answer lines are read. */
export interface Upload extends Omit<Request, 'body'> {
  /** The lines of a body, again and again; with `lineNumber` in it, each time another one. */
  lines: string[];
  bodiesAtOnce: number;
  /** Where each body ends. */
  until: Until;
}

/** One long answer that is read to its end. */
export type Download = Request;

/** The result of a load. Only answers with a 2xx count; an upload has an answer for each line. */
export interface LoadResult {
  accepted: number;
  perSecond: number;
  /** Everything else, by status; `no answer` where there was none. */
  errors: Record<string, number>;
  /**
   * Processor time of all programs but the generator for each of them, in microseconds, where it
   * was looked at.
   */
  processorUs?: number;
}

/** With the latencies of the answers with a 2xx. */
export interface TimedResult extends LoadResult {
  p50Ms: number;
  p99Ms: number;
}

/**
 * Latencies count from the moment when a request should have been sent; the rate, of answers that
 * came while requests were sent.
 */
export interface ArrivalResult extends TimedResult {
  sentPerSecond: number;
  /** Answers 429 and 503; they are among the errors. */
  refused: number;
  /** Those of them without Retry-After. */
  refusedWithoutWait: number;
  /**
   * How much later than it should have been the latest of 99 in 100 requests was sent, and the
   * latest of all.
   */
  lateP99Ms: number;
  lateMaxMs: number;
  /** Requests that no connection was left for. */
  unsent: number;
}

export interface DownloadResult extends LoadResult {
  bytes: number;
  /** Line breaks in the answer. */
  lines: number;
  tookMs: number;
}

/** The loads that the generator can run, with their results. */
export interface Loads {
  closedLoop(load: ClosedLoop, signal: AbortSignal): Promise<TimedResult>;
  openLoop(load: OpenLoop, signal: AbortSignal): Promise<ArrivalResult>;
  upload(load: Upload, signal: AbortSignal): Promise<LoadResult>;
  download(load: Download, signal: AbortSignal): Promise<DownloadResult>;
}

type Kind = keyof Loads;
type LoadOf<Name extends Kind> = Parameters<Loads[Name]>[0];
type MeasuredBy<Name extends Kind> = Awaited<ReturnType<Loads[Name]>>;

/** A load on its way to the generator; without one, the end of a load that is under way. */
export interface Order {
  id: number;
  kind: Kind;
  load?: LoadOf<Kind>;
}

/** The generator's answer: the measurements, or the reason why there are none. */
export type Outcome = { id: number } & ({ measured: MeasuredBy<Kind> } | { failure: string });

/**
 * The one generator of every side of every question, in a process of its own. Loads run beside each
 * other when asked to.
 */
export type Generator = {
  /** A loop ends early when `ended` does. */
  [Name in Kind]: (load: LoadOf<Name>, ended?: Promise<unknown>) => Promise<MeasuredBy<Name>>;
} & { stop(): Promise<void> };

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('./load-program.js', import.meta.url)), {
    env: {},
    execArgv: [],
    serialization: 'advanced',
  });
  const exited = once(child, 'exit');
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let orders = 0;
  child.on('message', (outcome: Outcome) => {
    waiting.get(outcome.id)!(outcome);
    waiting.delete(outcome.id);
  });

  async function run<Name extends Kind>(
    kind: Name,
    load: LoadOf<Name>,
    ended?: Promise<unknown>,
  ): Promise<MeasuredBy<Name>> {
    const id = orders++;
    const answer = new Promise<Outcome>((resolve) => waiting.set(id, resolve));
    child.send({ id, kind, load } satisfies Order);
    const end = () => void child.send({ id, kind } satisfies Order);
    ended?.then(end, end);
    const outcome = await Promise.race([
      answer,
      exited.then(() => ({ failure: 'the load generator ended' })),
    ]);
    if ('failure' in outcome) throw new Error(`${load.method} ${load.path}: ${outcome.failure}`);
    return outcome.measured as MeasuredBy<Name>;
  }

  return {
    closedLoop: (load, ended) => run('closedLoop', load, ended),
    openLoop: (load, ended) => run('openLoop', load, ended),
    upload: (load, ended) => run('upload', load, ended),
    download: (load, ended) => run('download', load, ended),
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
