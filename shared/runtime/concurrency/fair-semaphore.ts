import { type Askers, createAskers } from './askers.ts';

interface Waiter {
  permits: number;
  start: () => void;
}

interface Holder {
  held: number;
  waiting: Waiter[];
}

export interface FairSemaphoreOptions {
  /** The permits that all organizations together may hold at once. */
  permits: number;
  /**
   * The permits that one organization may hold at once; all by default. A lower number leaves the
   * rest to other organizations.
   */
  permitsEach?: number;
  /**
   * The permits that one organization may hold while another asks too, or did so within ten
   * seconds; `permitsEach` by default.
   */
  permitsBesideOthers?: number;
  /**
   * The calls that an organization may have waiting; further ones are refused. Unbounded by
   * default.
   */
  waitingEach?: number;
  /** The time after which work that still waits is refused. Unbounded by default. */
  waitMaxMs?: number;
  /** Work that takes longer goes on, and the next begins beside it. */
  turnMaxMs?: number;
  /** Whose asking counts for `permitsBesideOthers`: who asks for permits, by default. */
  askers?: Askers;
}

/** Refused, because the organization has as much waiting as it may, or as long as it may. */
export class QueueFull extends Error {
  override name = 'QueueFull';
}

export type FairSemaphore = ReturnType<typeof createFairSemaphore>;

/**
 * Creates a semaphore that bounds concurrent work and lets organizations take turns: the one that
 * holds the fewest permits is next, and each has its own queue, first come, first served. So the
 * waiting work of one organization, however much it is, delays the work of another by no more than
 * the work in progress. Work may take several permits, up to all that one organization may hold.
 * Work that waits is dropped when its signal is aborted, and throws the signal's reason. `waiting`
 * tells how much waits, of all organizations.
 */
export function createFairSemaphore({
  permits,
  permitsEach = permits,
  permitsBesideOthers = permitsEach,
  waitingEach = Number.POSITIVE_INFINITY,
  waitMaxMs,
  turnMaxMs,
  askers = createAskers(),
}: FairSemaphoreOptions) {
  // The organization that was served last is at the end: a Map keeps the order of insertion.
  const holders = new Map<string, Holder>();
  let free = permits;

  const canStart = ({ held, waiting }: Holder, permitsOne: number): boolean =>
    waiting.length > 0 &&
    waiting[0]!.permits <= free &&
    (held === 0 || held + waiting[0]!.permits <= permitsOne);

  function next(): Holder | undefined {
    let best: Holder | undefined;
    const permitsOne = askers.areSeveral() ? permitsBesideOthers : permitsEach;
    for (const holder of holders.values())
      if (canStart(holder, permitsOne) && (best === undefined || holder.held < best.held))
        best = holder;
    return best;
  }

  function startWaiting(): void {
    for (let holder = next(); holder; holder = next()) {
      const waiter = holder.waiting.shift()!;
      free -= waiter.permits;
      holder.held += waiter.permits;
      waiter.start();
    }
  }

  function giveBack(organizationId: string, amount: number): void {
    const holder = holders.get(organizationId)!;
    free += amount;
    holder.held -= amount;
    holders.delete(organizationId);
    if (holder.held > 0 || holder.waiting.length > 0) holders.set(organizationId, holder);
    startWaiting();
  }

  function wait(
    organizationId: string,
    amount: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    askers.note(organizationId);
    const holder = holders.get(organizationId) ?? { held: 0, waiting: [] };
    if (holder.waiting.length >= waitingEach) return Promise.reject(new QueueFull());
    holders.set(organizationId, holder);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const refuse = (reason: unknown) => {
        end();
        holder.waiting.splice(holder.waiting.indexOf(waiter), 1);
        if (holder.held === 0 && holder.waiting.length === 0) holders.delete(organizationId);
        reject(reason);
        startWaiting();
      };
      const leave = () => refuse(signal!.reason);
      const start = () => {
        end();
        resolve();
      };
      const waiter: Waiter = { permits: amount, start };
      const timer =
        waitMaxMs === undefined ? undefined : setTimeout(() => refuse(new QueueFull()), waitMaxMs);
      signal?.addEventListener('abort', leave, { once: true });
      holder.waiting.push(waiter);
      startWaiting();
    });
  }

  async function withPermit<Result>(
    organizationId: string,
    work: () => Promise<Result>,
    { permits: wanted = 1, signal }: { permits?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    const amount = Math.min(wanted, permitsEach);
    await wait(organizationId, amount, signal);
    let isHeld = true;
    const release = () => {
      if (isHeld) giveBack(organizationId, amount);
      isHeld = false;
    };
    const timer = turnMaxMs === undefined ? undefined : setTimeout(release, turnMaxMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  return Object.assign(withPermit, {
    waiting: () => [...holders.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  });
}
