import { LRUCache } from 'lru-cache';
import type { TestcaseValues } from './values.ts';

/** A testcase in a list, which is in the order of the keys. */
export type Place<Testcase = TestcaseValues> = Testcase & { key: string };

/** A stretch of the list of some runs' testcases. */
export interface Stretch<Testcase = TestcaseValues> {
  /** The key after which the stretch begins; undefined at the start. */
  after: string | undefined;
  places: Place<Testcase>[];
  isLast: boolean;
}

/** In which order testcases are listed. */
export interface Order<Testcase = TestcaseValues> {
  keyOf: (testcase: Testcase) => string;
  /** True where testcases in the order of their ids are in this order already. */
  isById: boolean;
}

/** Places that are kept of one list: about 6 MB. */
const placesMax = 20_000;
const stretchesMax = 8;

/** The stretch of a list after a key, of the testcases, in the order of their ids, that are shown. */
export function stretchOf<Testcase>(
  testcases: Iterable<Testcase>,
  {
    isShown,
    order,
    after,
    most = placesMax,
  }: {
    isShown: (testcase: Testcase) => boolean;
    order: Order<Testcase>;
    after: string | undefined;
    most?: number;
  },
): Stretch<Testcase> {
  const places: Place<Testcase>[] = [];
  for (const testcase of testcases) {
    if (!isShown(testcase)) continue;
    const key = order.keyOf(testcase);
    if (after !== undefined && key <= after) continue;
    places.push({ key, ...testcase });
    if (order.isById && places.length > most) break;
  }
  if (!order.isById) places.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { after, places: places.slice(0, most), isLast: places.length <= most };
}

/**
 * Keeps the last stretches that were gathered, so that a client that reads all pages of a list does
 * not make each page read both runs. `of` identifies the data of a stretch: it changes when the
 * runs change.
 */
export function createStretches<Testcase = TestcaseValues>() {
  const kept = new LRUCache<string, Promise<Stretch<Testcase>>>({ max: stretchesMax });

  function keep(of: string, gathered: Promise<Stretch<Testcase>>): void {
    kept.set(of, gathered);
    gathered.catch(() => kept.get(of) === gathered && kept.delete(of));
  }

  return async (
    of: string,
    after: string | undefined,
    gather: () => Promise<Stretch<Testcase>>,
  ): Promise<Stretch<Testcase>> => {
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
const leadsOn = (
  { after: start, places, isLast }: Stretch<unknown>,
  after: string | undefined,
): boolean =>
  (start === undefined || (after !== undefined && after >= start)) &&
  (isLast || after === undefined || after < places.at(-1)!.key);

/** A text that sorts before those of smaller numbers, for numbers from 0 on. */
export function descendingKey(value: number): string {
  // The bits of such numbers are in the order of the numbers.
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0]!;
  return (~bits & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
}
