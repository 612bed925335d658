import { LRUCache } from 'lru-cache';
import type { TestcaseValues } from './values.ts';

/** A testcase in a list, which is in the order of the keys. */
export interface Place extends TestcaseValues {
  key: string;
}

/** A stretch of the list of two runs' testcases. */
export interface Stretch {
  /** The key after which the stretch begins; undefined at the start. */
  after: string | undefined;
  places: Place[];
  isLast: boolean;
}

/** In which order testcases are listed. */
export interface Order {
  keyOf: (testcase: TestcaseValues) => string;
  /** True where testcases in the order of their ids are in this order already. */
  isById: boolean;
}

/** Places that are kept of one list: about 6 MB. */
const placesMax = 20_000;
const stretchesMax = 8;

/** The stretch of a list after a key, of the testcases, in the order of their ids, that are shown. */
export function stretchOf(
  testcases: Iterable<TestcaseValues>,
  {
    isShown,
    order,
    after,
  }: {
    isShown: (testcase: TestcaseValues) => boolean;
    order: Order;
    after: string | undefined;
  },
): Stretch {
  const places: Place[] = [];
  for (const testcase of testcases) {
    if (!isShown(testcase)) continue;
    const key = order.keyOf(testcase);
    if (after !== undefined && key <= after) continue;
    places.push({ key, ...testcase });
    if (order.isById && places.length > placesMax) break;
  }
  if (!order.isById) places.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { after, places: places.slice(0, placesMax), isLast: places.length <= placesMax };
}

/**
 * Keeps the last stretches that were gathered, so that a client that reads all pages of a list does
 * not make each page read both runs. `of` identifies the data of a stretch: it changes when the
 * runs change.
 */
export function createStretches() {
  const kept = new LRUCache<string, Promise<Stretch>>({ max: stretchesMax });

  function keep(of: string, gathered: Promise<Stretch>): void {
    kept.set(of, gathered);
    gathered.catch(() => kept.get(of) === gathered && kept.delete(of));
  }

  return async (
    of: string,
    after: string | undefined,
    gather: () => Promise<Stretch>,
  ): Promise<Stretch> => {
    for (let known = kept.get(of); known; known = kept.get(of)) {
      const stretch = await known.catch(() => undefined);
      if (stretch && leadsOn(stretch, after)) {
        keep(of, known);
        return stretch;
      }
      // Unless another who waited has begun to gather the next stretch.
      if (kept.get(of) === known) kept.delete(of);
    }
    const gathered = gather();
    keep(of, gathered);
    return gathered;
  };
}

/** True if the stretch covers the place directly after a key. */
const leadsOn = ({ after: start, places, isLast }: Stretch, after: string | undefined): boolean =>
  (start === undefined || (after !== undefined && after >= start)) &&
  (isLast || after === undefined || after < places.at(-1)!.key);
