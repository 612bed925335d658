import { drawBinomial } from './binomial.ts';
import { criticalValue, type Interval } from './interval.ts';
import { normalCdf } from './normal.ts';
import { upperProportion } from './proportions.ts';
import { createRandom, defaultSeed } from './random.ts';
import { standardErrorOf, type Units, variesOf } from './units.ts';

const resamplesCount = 10_000;
/** Above this many units a draw for each, 10,000 times over, takes too long. */
const drawnUnitsMax = 10_000;
/** Up to this many distinct values, how often each is drawn is drawn instead. */
const countedValuesMax = 256;
/** A resample whose squares come this near to none, as a part of them, has no spread. */
const noSpread = 1e-12;
/** t statistics that differ by less than this part of them count as equal. */
const rounding = 1e-9;

/** The values that are possible, maybe without an end; a mean lies between them. */
export interface Scale {
  low: number;
  high: number;
}

export interface BootstrapResult {
  /** Null where nearly all units are equal, on a scale without an end: then nothing bounds it. */
  interval: Interval | null;
  /** Of the test that the mean is 0; null where nothing varies, which bounds no such p-value. */
  pValue: number | null;
  method: string;
}

/**
 * The symmetric bootstrap-t interval of a mean and its test (Hall, On symmetric bootstrap
 * confidence intervals, JRSS B 50, 1988): mean ± q · standard error, where q is the quantile of
 * |t| of 10,000 resamples with a fixed seed, cut at the ends of the scale. A resample without
 * spread counts as infinitely far; where q is infinite, since nearly all units are equal, the
 * binomial bound takes the place of the interval. Groups are drawn whole, and the mean is the ratio
 * of their sums and sizes. Above 10,000 units of many distinct values nothing is drawn: the
 * expansion of the same quantile is used (`method` says analytic). The same values in the same
 * order give the same interval. Of at least two units.
 */
export function bootstrapMean(
  units: Units,
  { scale, level = 0.95, seed = defaultSeed }: { scale: Scale; level?: number; seed?: number },
): BootstrapResult {
  const bound = boundOfNearlyEqual(units, { scale, level });
  if (!variesOf(units)) return { ...bound, pValue: null };
  const standardError = standardErrorOf(units);
  const distances = resample(units, seed);
  const observed = Math.abs(units.estimate) / standardError;
  const { criticalDistance, pValue } = distances
    ? drawnTail(distances, { observed, level })
    : expandedTail(units, { observed, level });
  if (criticalDistance === Infinity) return { ...bound, pValue };
  const reach = criticalDistance * standardError;
  return {
    interval: {
      low: Math.max(scale.low, units.estimate - reach),
      high: Math.min(scale.high, units.estimate + reach),
      level,
    },
    pValue,
    method: distances
      ? `symmetric bootstrap-t, ${resamplesCount} resamples, seed ${seed}`
      : 'symmetric bootstrap-t, analytic',
  };
}

/**
 * The interval of a mean of which nearly all units have the same value. The share of the units that
 * have another one is at most that of the exact binomial bound, 1 − (α / 2)^(1 / count) if none
 * were drawn; at worst all of them are at one end of the scale, so that a scale without an end has
 * none. Groups count as equally large.
 */
function boundOfNearlyEqual(
  units: Units,
  { scale: { low, high }, level }: { scale: Scale; level: number },
): Pick<BootstrapResult, 'interval' | 'method'> {
  if (!Number.isFinite(low) || !Number.isFinite(high))
    return { interval: null, method: 'nearly all values are equal, and nothing bounds the others' };
  const values = units.sums.map((sum, unit) => sum / units.sizes[unit]!);
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [value, count] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  const others = upperProportion({
    successes: variesOf(units) ? values.length - count : 0,
    trials: values.length,
    level,
  });
  return {
    interval: { low: value - (value - low) * others, high: value + (high - value) * others, level },
    method: 'binomial bound',
  };
}

interface Tail {
  /** How many standard errors the interval reaches to each side. */
  criticalDistance: number;
  pValue: number;
}

/**
 * By the order statistic at which the interval excludes 0 exactly where p = (1 + hits) / (1 +
 * resamples) is at most 1 − level (Davison and Hinkley, Bootstrap Methods and their Application,
 * 1997, sections 4.2 and 5.2).
 */
function drawnTail(
  distances: Float64Array,
  { observed, level }: { observed: number; level: number },
): Tail {
  const bound = observed * (1 - rounding);
  let hits = 0;
  for (let i = 0; i < distances.length; i++) if (distances[i]! >= bound) hits += 1;
  const rank = Math.ceil((distances.length + 1) * level * (1 - rounding));
  return {
    criticalDistance: distances.sort()[rank - 1] ?? Infinity,
    pValue: (1 + hits) / (1 + distances.length),
  };
}

/** |t| of each resample, unsorted; null where drawing would take too long. */
function resample(units: Units, seed: number): Float64Array | null {
  const count = units.residuals.length;
  const isGrouped = units.valueCount > count;
  const counts = isGrouped || count <= countedValuesMax ? null : countValues(units.residuals);
  if (counts) return drawCounts(counts, count, seed);
  return count > drawnUnitsMax ? null : drawUnits(units, seed);
}

/** Sums over the units of a resample: of residuals r and sizes n, and of their products. */
interface Moments {
  count: number;
  r: number;
  n: number;
  rr: number;
  rn: number;
  nn: number;
}

/**
 * |mean − estimate| / standard error of a resample. Its own residuals are r − n · shift, whose
 * squares add up to what the moments tell.
 */
function distanceOf({ count, r, n, rr, rn, nn }: Moments): number {
  const shift = r / n;
  const squares = rr - 2 * shift * rn + shift * shift * nn;
  if (squares <= noSpread * rr) return Infinity;
  return Math.abs(r) / Math.sqrt((squares * count) / (count - 1));
}

function drawUnits({ residuals, sizes }: Units, seed: number): Float64Array {
  const random = createRandom({ seed });
  const count = residuals.length;
  const words = new Uint32Array(count);
  // Multiply and shift: a unit's chance is off by at most units / 2^32 of itself.
  const scale = count / 2 ** 32;
  const distances = new Float64Array(resamplesCount);
  for (let i = 0; i < resamplesCount; i++) {
    random.fill(words);
    let [r, n, rr, rn, nn] = [0, 0, 0, 0, 0];
    for (let k = 0; k < count; k++) {
      const unit = (words[k]! * scale) | 0;
      const residual = residuals[unit]!;
      const size = sizes[unit]!;
      r += residual;
      n += size;
      rr += residual * residual;
      rn += residual * size;
      nn += size * size;
    }
    distances[i] = distanceOf({ count, r, n, rr, rn, nn });
  }
  return distances;
}

/**
 * How often each distinct value occurs, in order of first occurrence (so that a change of every
 * sign changes no draw); null if too many.
 */
function countValues(values: Float64Array): Map<number, number> | null {
  const counts = new Map<number, number>();
  for (let i = 0; i < values.length; i++) {
    counts.set(values[i]!, (counts.get(values[i]!) ?? 0) + 1);
    if (counts.size > countedValuesMax) return null;
  }
  return counts;
}

/**
 * A multinomial draw as a chain of binomial ones: the same distribution as unit by unit, at a cost
 * that does not grow with the units.
 */
function drawCounts(counts: Map<number, number>, count: number, seed: number): Float64Array {
  const random = createRandom({ seed });
  const values = Float64Array.from(counts.keys());
  const occurrences = Float64Array.from(counts.values());
  const distances = new Float64Array(resamplesCount);
  for (let i = 0; i < resamplesCount; i++) {
    let toDraw = count;
    let behind = count;
    let [r, rr] = [0, 0];
    for (let k = 0; k < values.length && toDraw > 0; k++) {
      const drawn = drawBinomial({ trials: toDraw, probability: occurrences[k]! / behind, random });
      r += drawn * values[k]!;
      rr += drawn * values[k]! ** 2;
      toDraw -= drawn;
      behind -= occurrences[k]!;
    }
    distances[i] = distanceOf({ count, r, n: count, rr, rn: r, nn: count });
  }
  return distances;
}

/**
 * The tail of |t| by its Edgeworth expansion, and the quantile by its inverse (Hall, The Bootstrap
 * and Edgeworth Expansion, 1992, section 2.6 with (2.55) for q2; here for the standard error with
 * divisor n − 1): P(|t| ≤ x) ≈ 2 Φ(x) − 1 + 2 q2(x) φ(x) / n. The p-value is never below that of
 * 10,000 resamples without a hit.
 */
function expandedTail(
  { residuals }: Units,
  { observed, level }: { observed: number; level: number },
): Tail {
  const count = residuals.length;
  const { skewness, kurtosis } = shapeOf(residuals);
  const q2 = (x: number) =>
    x *
    ((kurtosis * (x ** 2 - 3)) / 12 -
      (skewness ** 2 * (x ** 4 + 2 * x ** 2 - 3)) / 18 -
      (x ** 2 + 1) / 4);
  const z = criticalValue(level);
  const density = Math.exp(-(observed ** 2) / 2) / Math.sqrt(2 * Math.PI);
  const tail = 2 * normalCdf(-observed) - (2 * q2(observed) * density) / count;
  return {
    criticalDistance: z - q2(z) / count,
    pValue: Math.min(1, Math.max(1 / (1 + resamplesCount), tail)),
  };
}

/** The skewness and the excess kurtosis of values that add up to 0. */
function shapeOf(values: Float64Array): { skewness: number; kurtosis: number } {
  // Neither has a scale; measured by the largest value, no power of a tiny one falls to 0.
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let [squares, cubes, fourths] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]! / largest;
    squares += value ** 2;
    cubes += value ** 3;
    fourths += value ** 4;
  }
  const variance = squares / values.length;
  return {
    skewness: cubes / values.length / variance ** 1.5,
    kurtosis: fourths / values.length / variance ** 2 - 3,
  };
}
