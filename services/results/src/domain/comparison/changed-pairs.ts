import { LRUCache } from 'lru-cache';
import type { Pair } from './values.ts';

/** A stretch of the changed pairs of two runs, in the order of their testcases. */
export interface Stretch {
  /** The id of the testcase after which the stretch begins; undefined at the start. */
  after: string | undefined;
  pairs: Pair[];
  isLast: boolean;
}

/** Pairs that are kept of one list: about 6 MB. */
const pairsMax = 20_000;
const stretchesMax = 8;

/** The stretch of changed pairs after a testcase. `pairs` come in the order of their testcases. */
export function stretchOf(pairs: Iterable<Pair>, after: string | undefined): Stretch {
  const stretch: Stretch = { after, pairs: [], isLast: true };
  for (const pair of pairs) {
    if (
      pair.baseline.value === pair.candidate.value ||
      (after !== undefined && pair.testcaseId <= after)
    )
      continue;
    if (stretch.pairs.length === pairsMax) return { ...stretch, isLast: false };
    stretch.pairs.push(pair);
  }
  return stretch;
}

/**
 * Keeps the last stretches that were gathered, so that a client that reads all pages of a list does
 * not make each page read both runs. `key` identifies the data of a stretch: it changes when the
 * runs change.
 */
export function createStretches() {
  const kept = new LRUCache<string, Promise<Stretch>>({ max: stretchesMax });

  function keep(key: string, gathered: Promise<Stretch>): void {
    kept.set(key, gathered);
    gathered.catch(() => kept.get(key) === gathered && kept.delete(key));
  }

  return async (
    key: string,
    after: string | undefined,
    gather: () => Promise<Stretch>,
  ): Promise<Stretch> => {
    for (let known = kept.get(key); known; known = kept.get(key)) {
      const stretch = await known.catch(() => undefined);
      if (stretch && leadsOn(stretch, after)) {
        keep(key, known);
        return stretch;
      }
      // Unless another who waited has begun to gather the next stretch.
      if (kept.get(key) === known) kept.delete(key);
    }
    const gathered = gather();
    keep(key, gathered);
    return gathered;
  };
}

/** True if the stretch covers the place directly after a testcase. */
const leadsOn = ({ after: start, pairs, isLast }: Stretch, after: string | undefined): boolean =>
  (start === undefined || (after !== undefined && after >= start)) &&
  (isLast || after === undefined || after < pairs.at(-1)!.testcaseId);
