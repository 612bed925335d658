import { logFactorial } from './binomial.ts';
import type { Interval } from './interval.ts';
import type { PairedCounts } from './proportions.ts';

/** The pairs that one run alone passes, and all pairs. */
export interface ChangedPairs extends Pick<PairedCounts, 'candidateOnly' | 'baselineOnly'> {
  pairs: number;
}

/** The bets are spread like a Beta(6, 6): good from some twenty to some thousand changed pairs. */
const shape = 6;

/**
 * The p-value of equal pass rates that holds however often one looks: at most a share α of all
 * sequences of pairs ever has one of α or less. It is the inverse of an e-process, the likelihood
 * of the pairs that changed under a Beta(6, 6) mixture of coins against that of a fair coin.
 * Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Stat. 41
 * (1970); Johari, Koomen, Pekelis and Walsh, Always valid inference, Oper. Res. 70 (2022).
 */
export function anytimePassRateTest({
  candidateOnly,
  baselineOnly,
}: Pick<ChangedPairs, 'candidateOnly' | 'baselineOnly'>): number {
  const logWealth =
    (candidateOnly + baselineOnly) * Math.LN2 +
    logBeta(shape + candidateOnly, shape + baselineOnly) -
    logBeta(shape, shape);
  return toPValue(logWealth);
}

/** 1 / e^logWealth, at most 1 and above 0. */
export const toPValue = (logWealth: number): number =>
  Math.max(Number.MIN_VALUE, Math.min(1, Math.exp(-logWealth)));

/** log B(a, b) of whole numbers. */
const logBeta = (a: number, b: number): number =>
  logFactorial(a - 1) + logFactorial(b - 1) - logFactorial(a + b - 1);

/**
 * The interval of the difference of paired pass rates, candidate − baseline, that holds it at every
 * look with the chance `level`; null without pairs. It has each difference against which no mixture
 * of bets has gained 1 / (1 − level): so it excludes 0 where the test above decides. Exact for pairs
 * of any distribution. Waudby-Smith and Ramdas, Estimating means of bounded random variables by
 * betting, JRSS B 86 (2024), with the mixture of Cover, Universal portfolios, Math. Finance 1
 * (1991).
 */
export function anytimePassRateInterval({
  level = 0.95,
  ...changed
}: ChangedPairs & { level?: number }): Interval | null {
  const { candidateOnly, baselineOnly, pairs } = changed;
  if (pairs === 0) return null;
  const difference = (candidateOnly - baselineOnly) / pairs;
  const isRuledOut = (mean: number): boolean => logGain(changed, mean) > -Math.log(1 - level);
  return {
    low: farthest({ from: difference, to: -1, isRuledOut }),
    high: farthest({ from: difference, to: 1, isRuledOut }),
    level,
  };
}

/** To 1e-10 of the scale. */
const bisectionsCount = 34;

/** How far one can go from a mean that is not ruled out before one comes to means that are. */
function farthest({
  from,
  to,
  isRuledOut,
}: {
  from: number;
  to: number;
  isRuledOut: (mean: number) => boolean;
}): number {
  let [held, beyond] = [from, to];
  for (let step = 0; step < bisectionsCount; step++) {
    const middle = (held + beyond) / 2;
    if (isRuledOut(middle)) beyond = middle;
    else held = middle;
  }
  return held;
}

/**
 * Bets between none and all, on either side of 0. The more pairs, the fewer bets gain anything, the
 * closer they have to stand.
 */
const betsMin = 512;
const betsMax = 2048;
const betsPerRoot = 16;

/**
 * log of the gain of a Beta(6, 6) mixture of bets that the mean difference is not `mean`: of each
 * bet, the product of 1 + bet · (difference − mean), which never is below 0.
 */
function logGain({ candidateOnly, baselineOnly, pairs }: ChangedPairs, mean: number): number {
  const unchanged = pairs - candidateOnly - baselineOnly;
  const betsCount = Math.min(betsMax, Math.max(betsMin, Math.ceil(betsPerRoot * Math.sqrt(pairs))));
  const gains = new Float64Array(2 * betsCount - 1);
  let most = -Infinity;
  for (let i = 0; i < gains.length; i++) {
    const part = (i + 1) / betsCount - 1;
    const bet = part > 0 ? part / (1 + mean) : part / (1 - mean);
    const gain =
      (shape - 1) * Math.log1p(-part * part) +
      times(candidateOnly, Math.log1p(bet * (1 - mean))) +
      times(baselineOnly, Math.log1p(-bet * (1 + mean))) +
      times(unchanged, Math.log1p(-bet * mean));
    gains[i] = gain;
    if (gain > most) most = gain;
  }
  let sum = 0;
  for (const gain of gains) sum += Math.exp(gain - most);
  return most + Math.log(sum / betsCount) - logDensitySum;
}

/** None of something is worth nothing, also where one would be worth −∞. */
const times = (count: number, worth: number): number => (count === 0 ? 0 : count * worth);

/** log ∫ (1 − x²)⁵ dx from −1 to 1. */
const logDensitySum = (2 * shape - 1) * Math.LN2 + logBeta(shape, shape);

/**
 * Whether pairs that are still to come can decide anything: whether the test would decide if they
 * changed as often as those before, and differed by one end of the interval.
 */
export function canDecidePassRates({
  level = 0.95,
  toCome,
  ...changed
}: ChangedPairs & { level?: number; toCome: number }): boolean {
  const interval = anytimePassRateInterval({ ...changed, level });
  if (interval === null) return true;
  const { candidateOnly, baselineOnly, pairs } = changed;
  const changing = (candidateOnly + baselineOnly) / pairs;
  return [interval.low, interval.high].some((difference) => {
    const share = Math.max(changing, Math.abs(difference));
    return (
      anytimePassRateTest({
        candidateOnly: candidateOnly + Math.round((toCome * (share + difference)) / 2),
        baselineOnly: baselineOnly + Math.round((toCome * (share - difference)) / 2),
      }) <=
      1 - level
    );
  });
}
