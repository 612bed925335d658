import type { StatedScale } from '@assay/contracts/scale';
import { readValue } from '../../text/scores.ts';
import { type Draft, type DraftScore, type Drafts, emptyDraftScore } from './drafts.ts';
import {
  aheadIn,
  emptyQueue,
  isKnown,
  type Queue,
  shownIn,
  withFailed,
  withItem,
  without,
  withoutMore,
  withPutOff,
  withSaved,
  withStep,
  withUndone,
} from './queue.ts';

/** A metric that a person is asked for. */
export interface AskedMetric extends StatedScale {
  id: string;
  metricVersionId: string;
  name: string;
  guidelines: string;
}

/** A record with the metrics that the person is asked for. */
export interface ReviewedRecord {
  id: string;
  runId: string;
  metrics: AskedMetric[];
}

/** A record that the person holds until `leaseUntil`, in ms. */
export interface HeldRecord<Item> {
  item: Item;
  leaseUntil: number;
}

/** The members who have a record now. */
export interface LostLease {
  lostTo: string[];
}

/** The requests of a review. */
export interface ReviewCalls<Item> {
  /**
   * Takes the next record after one, or from the start; undefined where none is left. Known ones
   * may be left out.
   */
  take: (
    after: string | undefined,
    isKnown: (recordId: string) => boolean,
  ) => Promise<HeldRecord<Item> | undefined>;
  /** Prolongs the lease of a record, or takes the record again. */
  renew: (item: Item) => Promise<HeldRecord<Item> | LostLease>;
  put: (item: Item, metric: AskedMetric, score: Score) => Promise<unknown>;
  remove: (item: Item, metric: AskedMetric) => Promise<unknown>;
  /** Reads the payloads of a record before it is shown. */
  readAhead: (item: Item) => void;
}

export interface Score {
  value: number | boolean;
  reasoning?: string;
}

export interface ReviewState<Item extends ReviewedRecord> {
  queue: Queue<Item>;
  drafts: ReadonlyMap<string, Draft>;
  /** Records that others have taken, with those who have them. */
  lost: ReadonlyMap<string, string[]>;
  /** Records whose scores could not be saved, or not be taken back. */
  failures: ReadonlyMap<string, { action: 'save' | 'undo'; error: Error }>;
  /** Records whose scores are on their way. */
  saving: ReadonlySet<string>;
  /** The first value of the shown record that cannot be saved. */
  fault: { metricVersionId: string; message: string } | undefined;
  /** Why no more records came. */
  error: Error | undefined;
  /** How long each saved record took, in seconds. */
  seconds: readonly number[];
}

export type Review<Item extends ReviewedRecord> = ReturnType<typeof createReview<Item>>;

/** Records that are held and read before they are shown. */
const aheadMax = 3;
/** Leases that the server lets one member have. */
const leasesMax = 10;
/** A lease is prolonged after this time, or after half of it. */
const renewAfterMs = 120_000;

/**
 * One person's way through the records that wait for scores: takes them, keeps them, saves behind
 * the next one, and takes back.
 */
export function createReview<Item extends ReviewedRecord>({
  calls,
  drafts,
  now = Date.now,
}: {
  calls: ReviewCalls<Item>;
  drafts: Drafts;
  now?: () => number;
}) {
  let state: ReviewState<Item> = {
    queue: emptyQueue(),
    drafts: new Map(),
    lost: new Map(),
    failures: new Map(),
    saving: new Set(),
    fault: undefined,
    error: undefined,
    seconds: [],
  };
  const listeners = new Set<() => void>();
  /** When each lease was had and when it ends, the one that was had last at the end. */
  const leases = new Map<string, { from: number; until: number }>();
  /** The last thing that was asked for each record: a save and its undo do not overtake. */
  const turns = new Map<string, Promise<void>>();
  let after: string | undefined;
  let hasFound = false;
  let isFilling = false;
  let isRenewing = false;
  let shownId: string | undefined;
  let shownSince = now();

  function change(changes: Partial<ReviewState<Item>>): void {
    state = { ...state, ...changes };
    const shown = shownIn(state.queue);
    if (shown?.id !== shownId) {
      shownId = shown?.id;
      shownSince = now();
      state = { ...state, fault: undefined };
    }
    for (const listener of listeners) listener();
  }

  function move(queue: Queue<Item>): void {
    change({ queue });
    const shown = shownIn(queue);
    if (shown && !isHeld(shown) && !state.saving.has(shown.id) && !state.lost.has(shown.id))
      void keep(shown).catch(() => undefined);
    void fill();
  }

  const isHeld = ({ id }: Item): boolean => (leases.get(id)?.until ?? 0) > now();

  function hold({ item, leaseUntil }: HeldRecord<Item>): void {
    leases.delete(item.id);
    leases.set(item.id, { from: now(), until: leaseUntil });
    for (const id of [...leases.keys()].slice(0, -leasesMax)) leases.delete(id);
  }

  /** Prolongs a lease, or takes note of who has the record. */
  async function keep(item: Item): Promise<void> {
    const kept = await calls.renew(item);
    if ('item' in kept) hold(kept);
    else lose(item, kept.lostTo);
  }

  function lose(item: Item, lostTo: string[]): void {
    leases.delete(item.id);
    if (shownIn(state.queue)?.id === item.id || state.failures.has(item.id))
      change({ lost: new Map(state.lost).set(item.id, lostTo) });
    else move(without(state.queue, item.id));
  }

  /** Takes records until enough are ahead; then from the start, for those that others gave up. */
  async function fill(): Promise<void> {
    if (isFilling) return;
    isFilling = true;
    try {
      while (!state.queue.isExhausted && isHungry(state.queue)) {
        const taken = await calls.take(after, (id) => isKnown(state.queue, id));
        after = taken?.item.id;
        if (taken) add(taken);
        else if (hasFound) hasFound = false;
        else change({ queue: withoutMore(state.queue) });
      }
      if (state.error) change({ error: undefined });
    } catch (error) {
      change({ error: error as Error });
    } finally {
      isFilling = false;
    }
  }

  function add(taken: HeldRecord<Item>): void {
    hold(taken);
    const { item } = taken;
    const queue = withItem(state.queue, item);
    if (queue === state.queue) return;
    hasFound = true;
    calls.readAhead(item);
    const draft = drafts.get(item.id);
    change({ queue, ...(draft ? { drafts: new Map(state.drafts).set(item.id, draft) } : {}) });
  }

  /** Does something for a record after all that was begun for it. */
  function inTurn(id: string, work: () => Promise<void>): void {
    change({ saving: new Set(state.saving).add(id) });
    const turn: Promise<void> = (turns.get(id) ?? Promise.resolve()).then(work).finally(() => {
      if (turns.get(id) !== turn) return;
      turns.delete(id);
      change({ saving: new Set([...state.saving].filter((one) => one !== id)) });
    });
    turns.set(id, turn);
  }

  const draftOf = ({ id }: Item): Draft => state.drafts.get(id) ?? {};

  const scoreOf = (item: Item, { metricVersionId }: AskedMetric): DraftScore =>
    draftOf(item)[metricVersionId] ?? emptyDraftScore;

  async function send(item: Item, scores: [AskedMetric, Score][]): Promise<void> {
    try {
      // Without a lease, this could replace the score of another member.
      if (!isHeld(item)) {
        const kept = await calls.renew(item);
        if ('lostTo' in kept) {
          const queue = withFailed(state.queue, item);
          change({ queue, lost: new Map(state.lost).set(item.id, kept.lostTo) });
          return;
        }
      }
      for (const [metric, score] of scores) await calls.put(item, metric, score);
      leases.delete(item.id);
      if (state.queue.done.has(item.id)) drafts.remove(item.id);
    } catch (error) {
      if (!state.queue.done.has(item.id)) return;
      change({
        queue: withFailed(state.queue, item),
        failures: new Map(state.failures).set(item.id, { action: 'save', error: error as Error }),
        seconds: state.seconds.slice(0, -1),
      });
    }
  }

  async function takeBack(item: Item): Promise<void> {
    try {
      for (const metric of item.metrics) await calls.remove(item, metric);
      await keep(item);
    } catch (error) {
      change({
        failures: new Map(state.failures).set(item.id, { action: 'undo', error: error as Error }),
      });
    }
  }

  async function renewDue({ isBack = false } = {}): Promise<void> {
    if (isRenewing) return;
    isRenewing = true;
    try {
      const shown = shownIn(state.queue);
      const near = [...(shown ? [shown] : []), ...aheadIn(state.queue).slice(0, aheadMax)];
      for (const item of near) {
        if (state.lost.has(item.id) || state.saving.has(item.id)) continue;
        const { from, until } = leases.get(item.id) ?? { from: 0, until: 0 };
        if (isBack || now() - from >= Math.min(renewAfterMs, (until - from) / 2)) await keep(item);
      }
    } catch {
      // The server is away. It is asked again soon, and before anything is saved.
    } finally {
      isRenewing = false;
    }
  }

  return {
    state: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    fill,
    /**
     * Prolongs the leases of the shown record and the next ones, where it is time, or where
     * somebody comes back to the page.
     */
    renewDue,
    /** Does not count the time in which nobody looked. */
    wasAway: (ms: number): void => {
      shownSince += ms;
    },
    /** Asks the server whether something has come since it had no more. */
    lookAgain: (): void => move({ ...state.queue, isExhausted: false }),
    scoreOf,
    edit: (item: Item, { metricVersionId }: AskedMetric, typed: Partial<DraftScore>): void => {
      const draft = draftOf(item);
      const score = { ...(draft[metricVersionId] ?? emptyDraftScore), ...typed };
      const edited = { ...draft, [metricVersionId]: score };
      drafts.put(item.id, edited);
      change({ drafts: new Map(state.drafts).set(item.id, edited), fault: undefined });
    },
    /** Shows the next record and saves this one meanwhile; an invalid value becomes the fault. */
    save: (): void => {
      const item = shownIn(state.queue);
      if (!item || state.lost.has(item.id)) return;
      const scores: [AskedMetric, Score][] = [];
      for (const metric of item.metrics) {
        const { value: typed, reason } = scoreOf(item, metric);
        const value = readValue(metric, typed);
        if (value instanceof Error) {
          const { metricVersionId } = metric;
          change({ fault: { metricVersionId, message: value.message } });
          return;
        }
        const reasoning = reason.trim();
        scores.push([metric, { value, ...(reasoning ? { reasoning } : {}) }]);
      }
      const failures = new Map(state.failures);
      failures.delete(item.id);
      change({ failures, seconds: [...state.seconds, (now() - shownSince) / 1000] });
      inTurn(item.id, () => send(item, scores));
      move(withSaved(state.queue));
    },
    undo: (): void => {
      const item = state.queue.saved.at(-1);
      if (!item) return;
      drafts.put(item.id, draftOf(item));
      change({ seconds: state.seconds.slice(0, -1) });
      inTurn(item.id, () => takeBack(item));
      move(withUndone(state.queue));
    },
    putOff: (): void => move(withPutOff(state.queue)),
    /** Shows the next record, or the one before. One that somebody else has taken is left for good. */
    step: (by: 1 | -1): void => {
      const shown = shownIn(state.queue);
      if (shown && state.lost.has(shown.id)) {
        const lost = new Map(state.lost);
        lost.delete(shown.id);
        change({ lost });
        const queue = without(state.queue, shown.id);
        move(by === 1 ? queue : withStep(queue, -1));
      } else move(withStep(state.queue, by));
    },
  };
}

/** A record needs to be shown, and some to follow it. */
const isHungry = <Item extends ReviewedRecord>({ items, at, putOff }: Queue<Item>): boolean =>
  items.length - putOff - at < 1 + aheadMax;

/** The middle of some times, in seconds; undefined of none. */
export function medianOf(seconds: readonly number[]): number | undefined {
  const sorted = seconds.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
