import type { Pair } from './values.ts';

/** A stretch of the changed pairs of two runs, in the order of their testcases. */
export interface Stretch {
  /** What the stretch goes on after; undefined at the start. */
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
    if (pair.baseline.value === pair.candidate.value || (after !== undefined && pair.testcaseId <= after)) continue;
    if (stretch.pairs.length === pairsMax) return { ...stretch, isLast: false };
    stretch.pairs.push(pair);
  }
  return stretch;
}

/**
 * Keeps the last stretches that were gathered, so that a walk over all pages of a list does not read both runs for each of them. `key` says
 * of what a stretch was made: another state of the runs is another key.
 */
export function createStretches() {
  const kept = new Map<string, Promise<Stretch>>();

  function keep(key: string, gathered: Promise<Stretch>): void {
    kept.delete(key);
    kept.set(key, gathered);
    if (kept.size > stretchesMax) kept.delete(kept.keys().next().value!);
    gathered.catch(() => kept.get(key) === gathered && kept.delete(key));
  }

  return async (key: string, after: string | undefined, gather: () => Promise<Stretch>): Promise<Stretch> => {
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

/** Does the stretch have what comes next after a testcase? */
const leadsOn = ({ after: start, pairs, isLast }: Stretch, after: string | undefined): boolean =>
  (start === undefined || (after !== undefined && after >= start)) && (isLast || after === undefined || after < pairs.at(-1)!.testcaseId);
