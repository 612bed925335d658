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
  groups?: GroupKeys | undefined;
}): Units | null {
  const estimate = mean(values);
  if (estimate === null) return null;
  const { sums, sizes } = groups
    ? sumByGroup(values, groups)
    : { sums: Float64Array.from(values), sizes: ones(values.length) };
  return toUnits({ estimate, sums, sizes, valueCount: values.length });
}

const toUnits = (units: Omit<Units, 'residuals'>): Units => ({
  ...units,
  residuals: units.sums.map((sum, unit) => sum - units.sizes[unit]! * units.estimate),
});

/** The units whose sum is not 0; null if there are none. */
export function movingUnits(units: Units): Units | null {
  const slack = roundingSlack(units.sums);
  const isMoving = (_: number, unit: number): boolean => Math.abs(units.sums[unit]!) > slack;
  const sums = units.sums.filter(isMoving);
  if (sums.length === 0) return null;
  const sizes = units.sizes.filter(isMoving);
  const valueCount = sizes.reduce((sum, size) => sum + size, 0);
  return toUnits({
    estimate: units.estimate * (units.valueCount / valueCount),
    sums,
    sizes,
    valueCount,
  });
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

/** Whether the mean would change if other units were drawn. */
export function variesOf({ sums, residuals }: Units): boolean {
  const slack = roundingSlack(sums);
  return residuals.some((residual) => Math.abs(residual) > slack);
}

/**
 * The standard error of the mean over all values, where units were drawn: that of a ratio of sums
 * and sizes (Cochran, Sampling Techniques, 1977, section 6.4), and for single values the usual one.
 */
export function standardErrorOf({ residuals, valueCount }: Units): number {
  const count = residuals.length;
  const squares = residuals.reduce((sum, residual) => sum + residual * residual, 0);
  return Math.sqrt((squares * count) / (count - 1)) / valueCount;
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
