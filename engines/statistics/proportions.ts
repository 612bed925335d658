import { logFactorial } from './binomial.ts';
import { criticalValue, type Interval } from './interval.ts';

/**
 * The score interval of a proportion; null without trials.
 * Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
 */
export function wilsonInterval({
  successes,
  trials,
  level = 0.95,
}: {
  successes: number;
  trials: number;
  level?: number;
}): Interval | null {
  if (trials === 0) return null;
  const z2 = criticalValue(level) ** 2;
  const centre = (successes + z2 / 2) / (trials + z2);
  const reach =
    Math.sqrt(z2 * ((successes * (trials - successes)) / trials + z2 / 4)) / (trials + z2);
  // At the ends the bound is exact; the subtraction leaves a rounding error.
  return {
    low: successes === 0 ? 0 : centre - reach,
    high: successes === trials ? 1 : centre + reach,
    level,
  };
}

/**
 * The upper end of the exact two-sided interval of a proportion: the share at which so few
 * successes, or fewer, have the chance (1 − level) / 2. Clopper and Pearson, The use of confidence
 * or fiducial limits illustrated in the case of the binomial, Biometrika 26 (1934).
 */
export function upperProportion({
  successes,
  trials,
  level = 0.95,
}: {
  successes: number;
  trials: number;
  level?: number;
}): number {
  const chance = (1 - level) / 2;
  if (successes >= trials) return 1;
  if (successes === 0) return 1 - chance ** (1 / trials);
  let [low, high] = [successes / trials, 1];
  for (let step = 0; step < bisectionsCount; step++) {
    const share = (low + high) / 2;
    if (chanceOfAtMost({ successes, trials, share }) > chance) low = share;
    else high = share;
  }
  return high;
}

const bisectionsCount = 60;

function chanceOfAtMost({
  successes,
  trials,
  share,
}: {
  successes: number;
  trials: number;
  share: number;
}): number {
  let chance = 0;
  for (let k = 0; k <= successes; k++)
    chance += Math.exp(
      logFactorial(trials) -
        logFactorial(k) -
        logFactorial(trials - k) +
        k * Math.log(share) +
        (trials - k) * Math.log1p(-share),
    );
  return chance;
}

/** How many pairs passed in both runs, in one alone, and in neither. */
export interface PairedCounts {
  both: number;
  candidateOnly: number;
  baselineOnly: number;
  neither: number;
}

/**
 * The two-sided mid-p value of McNemar's test: the pairs that changed against a fair coin, that
 * which was observed counted by half. Twice the smaller binomial tail, less the chance of what was
 * observed; where as many changed one way as the other, 1 less half of it; 1 where none changed.
 * Fagerland, Lydersen and Laake, The McNemar test for binary matched-pairs data: mid-p and
 * asymptotic are better than exact conditional, BMC Med. Res. Methodol. 13 (2013).
 */
export function midPMcNemar({
  candidateOnly,
  baselineOnly,
}: Pick<PairedCounts, 'candidateOnly' | 'baselineOnly'>): number {
  const trials = candidateOnly + baselineOnly;
  if (trials === 0) return 1;
  const smaller = Math.min(candidateOnly, baselineOnly);
  const chance = Math.exp(
    logFactorial(trials) -
      logFactorial(smaller) -
      logFactorial(trials - smaller) -
      trials * Math.LN2,
  );
  if (candidateOnly === baselineOnly) return 1 - chance / 2;
  // Each term from the one above it, P(k − 1) = P(k) · k / (n − k + 1), until they no longer count.
  let tail = 1;
  let term = 1;
  for (let k = smaller; k > 0 && term > tail * 1e-17; k -= 1) {
    term *= k / (trials - k + 1);
    tail += term;
  }
  return Math.max(Number.MIN_VALUE, chance * (2 * tail - 1));
}

/**
 * The score interval of the difference of paired pass rates, candidate − baseline; null without
 * pairs. Newcombe, Improved confidence intervals for the difference between binomial proportions
 * based on paired data, Statistics in Medicine 17 (1998) 2635–2650, method 10.
 */
export function newcombePairedInterval({
  level = 0.95,
  ...counts
}: PairedCounts & { level?: number }): Interval | null {
  const { both, candidateOnly, baselineOnly, neither } = counts;
  const trials = both + candidateOnly + baselineOnly + neither;
  const candidate = wilsonInterval({ successes: both + candidateOnly, trials, level });
  const baseline = wilsonInterval({ successes: both + baselineOnly, trials, level });
  if (candidate === null || baseline === null) return null;
  const candidateRate = (both + candidateOnly) / trials;
  const baselineRate = (both + baselineOnly) / trials;
  const difference = (candidateOnly - baselineOnly) / trials;
  const phi = correctedPhi(counts);
  const down = combined(candidateRate - candidate.low, baseline.high - baselineRate, phi);
  const up = combined(candidate.high - candidateRate, baselineRate - baseline.low, phi);
  return { low: Math.max(-1, difference - down), high: Math.min(1, difference + up), level };
}

const combined = (first: number, second: number, phi: number): number =>
  Math.sqrt(Math.max(0, first * first - 2 * phi * first * second + second * second));

/**
 * The correlation of the two runs; a positive one is drawn towards 0 by half a pair in the
 * numerator, and 0 where a margin is empty.
 */
function correctedPhi({ both, candidateOnly, baselineOnly, neither }: PairedCounts): number {
  const trials = both + candidateOnly + baselineOnly + neither;
  const margins =
    (both + candidateOnly) *
    (baselineOnly + neither) *
    (both + baselineOnly) *
    (candidateOnly + neither);
  if (margins === 0) return 0;
  const product = both * neither - candidateOnly * baselineOnly;
  return (product > 0 ? Math.max(product - trials / 2, 0) : product) / Math.sqrt(margins);
}
