import { type Child, type Launch, startChild } from './child.ts';

/** A child that has not said that it is ready by then never will. */
const startTimeoutMs = 30_000;

/** Unused for so long, children are ended; the next use starts them again. */
const idleMs = 60_000;

const closed = 'The sandbox is closed.';

export type Pool = ReturnType<typeof createPool>;

interface Place {
  /** Started ahead of its use. */
  child: Promise<Child> | undefined;
  uses: number;
}

/**
 * Creates a pool of processes that are started before they are needed, at most `size` at a time.
 * Each use has a process to itself. When all are in use, callers wait, first come first served.
 * After `usesMax` uses, or a use that asks for it, a child is ended and another started in its
 * place.
 */
export function createPool({
  launch,
  size,
  usesMax,
  lineBytesMax,
}: {
  launch: Launch;
  size: number;
  usesMax: number;
  lineBytesMax: number;
}) {
  const free: Place[] = Array.from({ length: size }, () => ({ child: undefined, uses: 0 }));
  const waiting: ((place: Place) => void)[] = [];
  const started = new Set<Child>();
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  /**
   * Runs the job with a child; the job's result says whether the child may be used again. Rejects
   * when no child can be started.
   */
  async function use<Result>(
    job: (child: Child) => Promise<{ result: Result; isSpent: boolean }>,
  ): Promise<Result> {
    if (isClosed) throw new Error(closed);
    clearTimeout(idle);
    const place = free.pop() ?? (await new Promise<Place>((resolve) => waiting.push(resolve)));
    try {
      const child = await childOf(place);
      place.uses += 1;
      const { result, isSpent } = await job(child);
      if (isClosed) throw new Error(closed);
      if (isSpent || place.uses >= usesMax) renew(place, child);
      return result;
    } finally {
      giveBack(place);
    }
  }

  /** The place's child; one that could not be started ahead is tried again. */
  async function childOf(place: Place): Promise<Child> {
    const ahead = await place.child?.catch(() => undefined);
    if (ahead) return ahead;
    place.uses = 0;
    place.child = start();
    return place.child;
  }

  async function start(): Promise<Child> {
    if (isClosed) throw new Error(closed);
    const child = startChild({ launch, lineBytesMax });
    started.add(child);
    const timer = setTimeout(() => end(child), startTimeoutMs);
    const line = await child.read();
    clearTimeout(timer);
    if ('text' in line && line.text === 'ready') return child;
    await end(child);
    throw new Error(isClosed ? closed : `${launch.command} could not be started as a sandbox.`);
  }

  function renew(place: Place, child: Child): void {
    place.uses = 0;
    // Its end is not waited for: taking namespaces down takes as long as starting anew.
    void end(child);
    place.child = start();
    // The next use of the place tries again.
    place.child.catch(() => undefined);
  }

  function giveBack(place: Place): void {
    const next = waiting.shift();
    if (next) next(place);
    else free.push(place);
    if (free.length === size && !isClosed) idle = setTimeout(endIdle, idleMs).unref();
  }

  function endIdle(): void {
    for (const place of free) place.child = undefined;
    for (const child of started) void end(child);
  }

  async function end(child: Child): Promise<void> {
    await child.kill();
    started.delete(child);
  }

  /** Ends every child and waits for their ends; uses that run or wait reject. */
  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(idle);
    await Promise.all([...started].map(end));
  }

  return { use, close };
}
