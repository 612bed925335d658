import { drawBinomial } from './binomial.ts';
import { quantile } from './describe.ts';
import { criticalValue, type Interval } from './interval.ts';
import { normalCdf, normalQuantile } from './normal.ts';
import { createRandom, defaultSeed } from './random.ts';
import { type GroupKeys, gatherUnits, roundingSlack, type Units } from './units.ts';

const resamplesCount = 10_000;
/** Above this many units a draw for each, 10,000 times over, takes too long. */
const drawnUnitsMax = 10_000;
/** Up to this many distinct values, how often each is drawn is drawn instead. */
const countedValuesMax = 256;

export type BootstrapInterval = Interval & { method: string };

/**
 * The bias-corrected and accelerated bootstrap interval of the mean (Efron, Better bootstrap
 * confidence intervals, JASA 82, 1987), from 10,000 resamples with a fixed seed; null below two
 * units. With `groups`, whole groups are drawn and the mean is over all values drawn. Equal values
 * give an interval without width. Above 10,000 units of many distinct values nothing is drawn: the
 * analytic form of the same interval is used (`method` says abc). The same values in the same order
 * give the same interval.
 */
export function bootstrapMean({
  values,
  groups,
  level = 0.95,
  seed = defaultSeed,
}: {
  values: ArrayLike<number>;
  groups?: GroupKeys;
  level?: number;
  seed?: number;
}): BootstrapInterval | null {
  const units = gatherUnits({ values, groups });
  if (units === null || units.sums.length < 2) return null;
  const slack = roundingSlack(units.sums);
  if (units.residuals.every((residual) => Math.abs(residual) <= slack)) {
    return { low: units.estimate, high: units.estimate, level, method: 'no spread' };
  }
  const shifts = resample(units, groups !== undefined, seed);
  if (shifts === null) return { ...analyticInterval(units, level), method: 'abc, analytic' };
  return {
    ...drawnInterval(units, shifts, level),
    method: `bca, ${resamplesCount} resamples, seed ${seed}`,
  };
}

/** Each resample's mean minus the estimate, unsorted; null where drawing would take too long. */
function resample(units: Units, grouped: boolean, seed: number): Float64Array | null {
  const counts =
    grouped || units.residuals.length <= countedValuesMax ? null : countValues(units.residuals);
  if (counts) return drawCounts(counts, units.residuals.length, seed);
  return units.residuals.length > drawnUnitsMax ? null : drawUnits(units, seed);
}

function drawUnits({ residuals, sizes }: Units, seed: number): Float64Array {
  const random = createRandom({ seed });
  const words = new Uint32Array(residuals.length);
  // Multiply and shift: a unit's chance is off by at most units / 2^32 of itself.
  const scale = residuals.length / 2 ** 32;
  const shifts = new Float64Array(resamplesCount);
  for (let i = 0; i < resamplesCount; i++) {
    random.fill(words);
    let pull = 0;
    let size = 0;
    for (let k = 0; k < words.length; k++) {
      const unit = (words[k]! * scale) | 0;
      pull += residuals[unit]!;
      size += sizes[unit]!;
    }
    shifts[i] = pull / size;
  }
  return shifts;
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
function drawCounts(counts: Map<number, number>, unitCount: number, seed: number): Float64Array {
  const random = createRandom({ seed });
  const values = Float64Array.from(counts.keys());
  const occurrences = Float64Array.from(counts.values());
  const shifts = new Float64Array(resamplesCount);
  for (let i = 0; i < resamplesCount; i++) {
    let toDraw = unitCount;
    let behind = unitCount;
    let pull = 0;
    for (let k = 0; k < values.length && toDraw > 0; k++) {
      const drawn = drawBinomial({ trials: toDraw, probability: occurrences[k]! / behind, random });
      pull += drawn * values[k]!;
      toDraw -= drawn;
      behind -= occurrences[k]!;
    }
    shifts[i] = pull / unitCount;
  }
  return shifts;
}

function drawnInterval(units: Units, shifts: Float64Array, level: number): Interval {
  const bias = biasCorrection(shifts, roundingSlack(units.sums) / units.valueCount);
  const acceleration = jackknifeAcceleration(units);
  const sorted = shifts.sort();
  const z = criticalValue(level);
  const bound = (standard: number) =>
    units.estimate + quantile({ sorted, probability: adjusted({ standard, bias, acceleration }) })!;
  return { low: bound(-z), high: bound(z), level };
}

/**
 * Efron (1987), z0: the normal quantile of the share of resamples below the estimate; those equal
 * to it count half.
 */
function biasCorrection(shifts: Float64Array, slack: number): number {
  let below = 0;
  for (let i = 0; i < shifts.length; i++) {
    if (shifts[i]! < -slack) below += 1;
    else if (shifts[i]! <= slack) below += 0.5;
  }
  const share = below / shifts.length;
  return normalQuantile(Math.min(1 - 0.5 / shifts.length, Math.max(0.5 / shifts.length, share)));
}

/**
 * Efron (1987), equation 4.1: the probability at which the resamples are read in place of that of
 * `standard`.
 */
function adjusted({
  standard,
  bias,
  acceleration,
}: {
  standard: number;
  bias: number;
  acceleration: number;
}): number {
  const shifted = bias + standard;
  const divisor = 1 - acceleration * shifted;
  if (divisor <= 0) return shifted > 0 ? 1 : 0;
  return normalCdf(bias + shifted / divisor);
}

/**
 * A sixth of the skewness of the jackknife means (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, equation 14.15). Leaving out a unit moves the mean by −residual / (count −
 * size), so no mean is computed twice.
 */
function jackknifeAcceleration({ residuals, sizes, valueCount }: Units): number {
  const moves = residuals.map((residual, unit) => residual / (valueCount - sizes[unit]!));
  const centre = moves.reduce((sum, move) => sum + move, 0) / moves.length;
  // Skewness has no scale; measured by the largest move, no power of a tiny one falls to 0.
  const largest = moves.reduce((most, move) => Math.max(most, Math.abs(move - centre)), 0);
  if (largest === 0) return 0;
  let squares = 0;
  let cubes = 0;
  for (let i = 0; i < moves.length; i++) {
    const move = (moves[i]! - centre) / largest;
    squares += move * move;
    cubes += move * move * move;
  }
  return cubes / (6 * squares ** 1.5);
}

/**
 * DiCiccio and Efron, More accurate confidence intervals in exponential families, Biometrika 79
 * (1992): the ABC interval, which for a mean has z0 = a and no curvature, so a bound is estimate +
 * σ w / (1 − a w)² with w = a + z.
 */
function analyticInterval(units: Units, level: number): Interval {
  const squares = units.residuals.reduce((sum, residual) => sum + residual * residual, 0);
  const deviation = Math.sqrt(squares) / units.valueCount;
  const acceleration = jackknifeAcceleration(units);
  const bound = (standard: number) => {
    const shifted = acceleration + standard;
    return units.estimate + (deviation * shifted) / (1 - acceleration * shifted) ** 2;
  };
  const z = criticalValue(level);
  return { low: bound(-z), high: bound(z), level };
}
