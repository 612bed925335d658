import { mean } from './describe.ts';

/** The units that are drawn and flipped as a whole: single values, or groups of values. */
export interface Units {
  /** The mean over all values. */
  estimate: number;
  /** Each unit's sum. */
  sums: Float64Array;
  /** How many values each unit has. */
  sizes: Float64Array;
  /** sum − size · estimate: how far each unit pulls the mean. They add up to 0. */
  residuals: Float64Array;
  valueCount: number;
}

export type GroupKeys = ArrayLike<string | number>;

/**
 * Gathers values into units, by the key at the same place in `groups`, or each by itself; null
 * without values.
 */
export function gatherUnits({
  values,
  groups,
}: {
  values: ArrayLike<number>;
  groups?: GroupKeys;
}): Units | null {
  const estimate = mean(values);
  if (estimate === null) return null;
  const { sums, sizes } = groups
    ? sumByGroup(values, groups)
    : { sums: Float64Array.from(values), sizes: ones(values.length) };
  const residuals = sums.map((sum, unit) => sum - sizes[unit]! * estimate);
  return { estimate, sums, sizes, residuals, valueCount: values.length };
}

const ones = (count: number): Float64Array => new Float64Array(count).fill(1);

function sumByGroup(values: ArrayLike<number>, groups: GroupKeys) {
  const places = new Map<string | number, number>();
  const sums = new Float64Array(values.length);
  const sizes = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const place = places.get(groups[i]!) ?? places.size;
    places.set(groups[i]!, place);
    sums[place] = sums[place]! + values[i]!;
    sizes[place] = sizes[place]! + 1;
  }
  return { sums: sums.slice(0, places.size), sizes: sizes.slice(0, places.size) };
}

/**
 * Σ |values|, times the rounding error that a sum in another order can have: sums that are nearer
 * than this count as equal.
 */
export function roundingSlack(values: Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += Math.abs(values[i]!);
  return total * 1e-12;
}
