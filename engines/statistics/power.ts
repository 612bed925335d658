import { logFactorial } from './binomial.ts';
import { criticalValue } from './interval.ts';
import { normalCdf } from './normal.ts';
import { midPMcNemar } from './proportions.ts';
import { studentCdf, studentQuantile } from './student.ts';

/** Up to so many pairs, the power of McNemar's test is summed over all of its tables. */
const summedPairsMax = 500;
/** Standard deviations of a binomial count beyond which nothing counts. */
const tailDeviations = 6.5;
/** A p-value that is computed may be this far above its exact value, as a part of it. */
const rounding = 1e-9;

interface PlannedRates {
  pairs: number;
  /** The share ψ of pairs that change: at least `difference`. */
  changeRate: number;
  /** The size δ of the difference of the pass rates. */
  difference: number;
  level: number;
}

/**
 * The chance that so many pairs show a difference of pass rates, in its direction, by the mid-p
 * McNemar test: summed over the numbers of pairs that change, and of these of the ones that improve;
 * beyond 500 pairs Φ((δ√n − z√ψ) / √(ψ − δ²)) (Connett, Smith and McHugh, Sample size and power
 * for pair-matched case-control studies, Statistics in Medicine 6, 1987).
 */
export function passRatePower({ pairs, changeRate, difference, level }: PlannedRates): number {
  if (pairs > summedPairsMax) {
    const spread = Math.sqrt(Math.max(changeRate - difference ** 2, Number.MIN_VALUE));
    const reach = difference * Math.sqrt(pairs) - criticalValue(level) * Math.sqrt(changeRate);
    return normalCdf(reach / spread);
  }
  const improving = Math.min(1, (changeRate + difference) / (2 * changeRate));
  let power = 0;
  let critical = -1;
  const [least, most] = likelyCounts(pairs, changeRate);
  for (let changed = least; changed <= most; changed++) {
    critical = criticalCount({ changed, from: critical, level });
    if (critical < 0) continue;
    power +=
      binomialChance(changed, pairs, changeRate) * chanceOfAtMost(critical, changed, 1 - improving);
  }
  return Math.min(1, power);
}

/**
 * The largest number of pairs that change to the other side with which the test still decides; −1
 * if none does. It grows with `changed`, so the last one is where the search begins.
 */
function criticalCount({
  changed,
  from,
  level,
}: {
  changed: number;
  from: number;
  level: number;
}): number {
  const decides = (against: number): boolean =>
    2 * against < changed &&
    midPMcNemar({ candidateOnly: against, baselineOnly: changed - against }) <=
      (1 - level) * (1 + rounding);
  let critical = from;
  while (decides(critical + 1)) critical++;
  return critical;
}

function likelyCounts(trials: number, probability: number): [number, number] {
  const reach = tailDeviations * Math.sqrt(trials * probability * (1 - probability)) + 1;
  return [
    Math.max(0, Math.floor(trials * probability - reach)),
    Math.min(trials, Math.ceil(trials * probability + reach)),
  ];
}

function binomialChance(count: number, trials: number, probability: number): number {
  if (probability <= 0) return count === 0 ? 1 : 0;
  if (probability >= 1) return count === trials ? 1 : 0;
  return Math.exp(
    logFactorial(trials) -
      logFactorial(count) -
      logFactorial(trials - count) +
      count * Math.log(probability) +
      (trials - count) * Math.log1p(-probability),
  );
}

function chanceOfAtMost(most: number, trials: number, probability: number): number {
  const [least] = likelyCounts(trials, probability);
  let chance = 0;
  for (let count = least; count <= most; count++)
    chance += binomialChance(count, trials, probability);
  return chance;
}

interface PlannedMean {
  units: number;
  /** The standard deviation of a unit's difference. */
  deviation: number;
  /** The size of the mean difference. */
  difference: number;
  level: number;
}

/**
 * The chance that so many units show a mean difference, by the quantiles of Student's t (Chow, Shao,
 * Wang and Lokhnygina, Sample Size Calculations in Clinical Research, 2018, section 3.1); 0 where
 * the flips of so few could decide nothing at this level.
 */
export function meanPower({ units, deviation, difference, level }: PlannedMean): number {
  if (units < 2 || 2 ** (1 - units) > 1 - level) return 0;
  if (deviation === 0) return 1;
  const degrees = units - 1;
  const reach = (difference * Math.sqrt(units)) / deviation;
  return studentCdf(reach - studentQuantile(1 - (1 - level) / 2, degrees), degrees);
}

/** The least whole number from 1 on, up to `max`, that reaches the power; null if none does. */
export function leastThatReaches(
  power: number,
  powerOf: (count: number) => number,
  max: number,
): number | null {
  let high = 1;
  while (powerOf(high) < power) {
    if (high >= max) return null;
    high = Math.min(max, high * 2);
  }
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (powerOf(middle) >= power) high = middle;
    else low = middle;
  }
  return high;
}

const differenceSteps = 26;

/** The least difference up to `max` that is found with the power; null if even `max` is not. */
export function detectableDifference(
  power: number,
  powerOf: (difference: number) => number,
  max: number,
): number | null {
  if (!(powerOf(max) >= power)) return null;
  let [low, high] = [0, max];
  for (let step = 0; step < differenceSteps; step++) {
    const middle = (low + high) / 2;
    if (powerOf(middle) >= power) high = middle;
    else low = middle;
  }
  return high;
}
