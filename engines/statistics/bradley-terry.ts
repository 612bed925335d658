import type { Interval } from './interval.ts';
import { createRandom, defaultSeed } from './random.ts';

/** The wins in one testcase: `wins[i * count + j]` is how often item i won against item j. */
export type Wins = Float64Array;

export interface Strength {
  /** The logarithm of the strength; those of all items add up to 0. */
  strength: number;
  confidenceInterval: Interval;
}

interface FitOptions {
  /** Logarithms from which the steps begin. */
  start?: Float64Array;
  /** The change of a logarithm in one step below which the steps end. */
  precision?: number;
}

const stepsMax = 10_000;
const finePrecision = 1e-10;
/** Of a resample, whose strengths are one draw of many. */
const coarsePrecision = 1e-5;
const resamplesCount = 2000;
/** Added to the wins of each item against each other one: half a tie for both. */
const prior = 0.5;

/**
 * The maximum-likelihood strengths of the Bradley–Terry model, in which item i wins against item j
 * with the chance 1 / (1 + exp(sⱼ − sᵢ)), as logarithms that add up to 0; a tie is half a win for
 * each. By the minorization–maximization algorithm of Hunter, MM algorithms for generalized
 * Bradley–Terry models, Ann. Statist. 32 (2004), section 2. Every item must have won against every
 * group of the others (his assumption 1): else the likelihood has no maximum.
 */
export function bradleyTerry(
  wins: Wins,
  count: number,
  { start = new Float64Array(count), precision = finePrecision }: FitOptions = {},
): Float64Array {
  let strengths = Float64Array.from(start, Math.exp);
  const won = new Float64Array(count);
  for (let i = 0; i < count; i++)
    for (let j = 0; j < count; j++) won[i] = won[i]! + (i === j ? 0 : wins[i * count + j]!);
  for (let step = 0; step < stepsMax; step++) {
    const updated = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      let expected = 0;
      for (let j = 0; j < count; j++) {
        if (i === j) continue;
        const met = wins[i * count + j]! + wins[j * count + i]!;
        expected += met / (strengths[i]! + strengths[j]!);
      }
      updated[i] = won[i]! / expected;
    }
    const scaled = withMeanOne(updated);
    const change = scaled.reduce(
      (most, value, i) => Math.max(most, Math.abs(Math.log(value / strengths[i]!))),
      0,
    );
    strengths = scaled;
    if (change < precision) break;
  }
  return strengths.map((value) => Math.log(value));
}

/** Strengths whose geometric mean is 1. */
function withMeanOne(values: Float64Array): Float64Array<ArrayBuffer> {
  const shift = values.reduce((sum, value) => sum + Math.log(value), 0) / values.length;
  return Float64Array.from(values, (value) => Math.exp(Math.log(value) - shift));
}

/**
 * The strengths of items that meet in testcases, with percentile intervals of 2,000 resamples of
 * the testcases (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 13.3).
 *
 * Half a tie against each other item keeps the strengths finite. Testcases that all say the same
 * would give an interval without width, so two imagined ones are drawn from too: in one, each item
 * wins against those after it, in the other it loses to them (after the added successes and
 * failures of Agresti and Caffo, The American Statistician 54, 2000).
 */
export function bradleyTerryIntervals(
  testcases: readonly Wins[],
  { count, level = 0.95, seed = defaultSeed }: { count: number; level?: number; seed?: number },
): Strength[] {
  const estimates = bradleyTerry(sumOf(testcases, count), count);
  const pool = [...testcases, ...imagined(testcases, count)];
  const random = createRandom({ seed });
  const drawn = Array.from({ length: count }, () => new Float64Array(resamplesCount));
  for (let resample = 0; resample < resamplesCount; resample++) {
    const wins = withPrior(count);
    for (let draw = 0; draw < pool.length; draw++)
      add(wins, pool[Math.floor(random.uniform() * pool.length)]!);
    const fitted = bradleyTerry(wins, count, { start: estimates, precision: coarsePrecision });
    fitted.forEach((strength, item) => {
      drawn[item]![resample] = strength;
    });
  }
  return drawn.map((strengths, item) => ({
    strength: estimates[item]!,
    confidenceInterval: percentiles(strengths.sort(), { level, around: estimates[item]! }),
  }));
}

function withPrior(count: number): Wins {
  const wins = new Float64Array(count * count).fill(prior);
  for (let i = 0; i < count; i++) wins[i * count + i] = 0;
  return wins;
}

function sumOf(testcases: readonly Wins[], count: number): Wins {
  const wins = withPrior(count);
  for (const testcase of testcases) add(wins, testcase);
  return wins;
}

function add(wins: Wins, more: Wins): void {
  for (let place = 0; place < wins.length; place++) wins[place] = wins[place]! + more[place]!;
}

/** Of items that met at all; those that did not are not made to. */
function imagined(testcases: readonly Wins[], count: number): Wins[] {
  const met = new Float64Array(count * count);
  for (const testcase of testcases) add(met, testcase);
  const [inOrder, reversed] = [new Float64Array(count * count), new Float64Array(count * count)];
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) {
      if (met[i * count + j]! + met[j * count + i]! === 0) continue;
      inOrder[i * count + j] = 1;
      reversed[j * count + i] = 1;
    }
  return [inOrder, reversed];
}

/** The interval holds the estimate, which the imagined testcases may leave beside it. */
function percentiles(
  sorted: Float64Array,
  { level, around }: { level: number; around: number },
): Interval {
  const outside = Math.floor(((1 - level) / 2) * sorted.length);
  return {
    low: Math.min(around, sorted[outside]!),
    high: Math.max(around, sorted[sorted.length - 1 - outside]!),
    level,
  };
}
