import { createRandom, defaultSeed } from './random.ts';
import { roundingSlack, type Units } from './units.ts';

const exactUnitsMax = 16;
/** Above this many steps, the distribution of whole numbers is drawn instead. */
const exactStepsMax = 1e8;
const flipsCount = 10_000;
const chunkUnits = 8;
const byteValues = 2 ** chunkUnits;

export interface SignFlipResult {
  pValue: number;
  method: string;
}

/**
 * The two-sided sign-flip permutation test that the mean difference is 0 (Fisher, The Design of
 * Experiments, 1935, section 21); groups are flipped whole. The p-value is the share of all flips
 * that are at least as far from 0: of whole numbers by the distribution of their sums, of others up
 * to 16 units by trying each. Else 10,000 are drawn with a fixed seed and p = (1 + hits) / (1 +
 * flips), which is a valid p-value (Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010) and
 * never 0.
 */
export function signFlipTest({ sums }: Units, seed = defaultSeed): SignFlipResult {
  // A unit that is 0 has no sign.
  const moving = sums.filter((sum) => sum !== 0);
  const method = 'sign-flip, every flip';
  if (isCountable(moving)) return { pValue: shareOfSums(moving), method };
  const bound = Math.abs(total(moving)) - roundingSlack(moving);
  if (sums.length <= exactUnitsMax) {
    const flipped = allFlips(moving);
    return { pValue: countAtLeast(flipped, bound) / flipped.length, method };
  }
  return {
    pValue: (1 + countAtLeast(drawnFlips(moving, seed), bound)) / (1 + flipsCount),
    method: `sign-flip, ${flipsCount} flips, seed ${seed}`,
  };
}

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Whether the sums are whole numbers, and few enough to compute the chance of each. */
const isCountable = (units: Float64Array): boolean =>
  units.every(Number.isInteger) &&
  units.length * units.reduce((sum, unit) => sum + Math.abs(unit), 0) <= exactStepsMax;

/**
 * The share of all flips of whole numbers whose sum is at least as far from 0 as theirs: the
 * distribution of the sum of those that are positive, a unit at a time (Pagano and Tritchler, On
 * obtaining permutation distributions in polynomial time, JASA 78, 1983).
 */
function shareOfSums(units: Float64Array): number {
  const sizes = units.map(Math.abs);
  const reach = total(sizes);
  // The chance that the positive ones add up to the place.
  const chances = new Float64Array(reach + 1);
  chances[0] = 1;
  let highest = 0;
  for (const size of sizes) {
    highest += size;
    for (let sum = highest; sum >= 0; sum--)
      chances[sum] = (chances[sum]! + (sum >= size ? chances[sum - size]! : 0)) / 2;
  }
  const distance = Math.abs(total(units));
  let share = 0;
  for (let sum = 0; sum <= reach; sum++)
    if (Math.abs(2 * sum - reach) >= distance) share += chances[sum]!;
  return Math.min(1, Math.max(Number.MIN_VALUE, share));
}

function countAtLeast(sums: Float64Array, bound: number): number {
  let hits = 0;
  for (let i = 0; i < sums.length; i++) if (Math.abs(sums[i]!) >= bound) hits += 1;
  return hits;
}

/** The sum under each of the 2^n flips; bit i of the index flips unit i. */
function allFlips(units: Float64Array): Float64Array {
  const sums = new Float64Array(2 ** units.length);
  sums[0] = total(units);
  for (let flip = 1; flip < sums.length; flip++) {
    const lowest = 31 - Math.clz32(flip & -flip);
    sums[flip] = sums[flip & (flip - 1)]! - 2 * units[lowest]!;
  }
  return sums;
}

/**
 * The sum under each of flipsCount random flips. Eight units share a table of their 256 signed
 * sums, so that a random byte flips eight at once: 100,000 pairs take a fraction of a second.
 */
function drawnFlips(units: Float64Array, seed: number): Float64Array {
  const random = createRandom({ seed });
  const sums = new Float64Array(flipsCount);
  const words = new Uint32Array(flipsCount / 4);
  const chunk = new Float64Array(chunkUnits);
  for (let from = 0; from < units.length; from += chunkUnits) {
    chunk.fill(0);
    chunk.set(units.subarray(from, from + chunkUnits));
    random.fill(words);
    addBytes(sums, words, allFlips(chunk));
  }
  return sums;
}

function addBytes(sums: Float64Array, words: Uint32Array, table: Float64Array): void {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const at = 4 * i;
    sums[at] = sums[at]! + table[word & (byteValues - 1)]!;
    sums[at + 1] = sums[at + 1]! + table[(word >>> 8) & (byteValues - 1)]!;
    sums[at + 2] = sums[at + 2]! + table[(word >>> 16) & (byteValues - 1)]!;
    sums[at + 3] = sums[at + 3]! + table[word >>> 24]!;
  }
}
