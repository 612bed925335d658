import { createRandom, defaultSeed } from './random.ts';
import { type GroupKeys, gatherUnits, roundingSlack } from './units.ts';

const exactUnitsMax = 16;
const flipsCount = 10_000;
const chunkUnits = 8;
const byteValues = 2 ** chunkUnits;

export interface SignFlipResult {
  pValue: number;
  flips: number;
  method: string;
}

/**
 * The two-sided sign-flip permutation test that the mean difference is 0; null below two units
 * (pairs, or groups, which are flipped whole). Fisher, The Design of Experiments (1935), section
 * 21. Up to 16 units every flip is tried and the p-value is the share that is at least as far from
 * 0; above, 10,000 are drawn with a fixed seed and p = (1 + hits) / (1 + flips), which is a valid
 * p-value (Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010) and never 0.
 */
export function signFlipTest({
  differences,
  groups,
  seed = defaultSeed,
}: {
  differences: ArrayLike<number>;
  groups?: GroupKeys;
  seed?: number;
}): SignFlipResult | null {
  const units = gatherUnits({ values: differences, groups });
  if (units === null || units.sums.length < 2) return null;
  const exact = units.sums.length <= exactUnitsMax;
  const sums = exact ? allFlips(units.sums) : drawnFlips(units.sums, seed);
  const hits = countAtLeast(sums, Math.abs(total(units.sums)) - roundingSlack(units.sums));
  const pValue = exact ? hits / sums.length : (1 + hits) / (1 + sums.length);
  return {
    pValue,
    flips: sums.length,
    method: exact ? 'sign-flip, every flip' : `sign-flip, ${flipsCount} flips, seed ${seed}`,
  };
}

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

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
 * sums, so that a random byte flips eight at once: 100,000 pairs take a fraction of a second. Units
 * that are 0 have no sign and are left out.
 */
function drawnFlips(units: Float64Array, seed: number): Float64Array {
  const moving = units.filter((unit) => unit !== 0);
  const random = createRandom({ seed });
  const sums = new Float64Array(flipsCount);
  const words = new Uint32Array(flipsCount / 4);
  const chunk = new Float64Array(chunkUnits);
  for (let from = 0; from < moving.length; from += chunkUnits) {
    chunk.fill(0);
    chunk.set(moving.subarray(from, from + chunkUnits));
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
