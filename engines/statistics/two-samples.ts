import { logFactorial } from './binomial.ts';
import { mean, standardDeviation } from './describe.ts';
import { studentTail } from './student.ts';

/** How often something happened. */
export interface Successes {
  successes: number;
  trials: number;
}

/** Probabilities that differ by less than this part of them count as equal. */
const rounding = 1e-9;

/**
 * The two-sided mid-p value of Fisher's exact test that two shares are equal: the chance of all
 * tables with these margins that are no likelier than the one observed, which itself counts by
 * half; 1 where a margin is empty. Lydersen, Fagerland and Laake, Recommended tests for association
 * in 2 × 2 tables, Statistics in Medicine 28 (2009).
 */
export function midPFisher(one: Successes, other: Successes): number {
  const trials = one.trials + other.trials;
  const successes = one.successes + other.successes;
  const least = Math.max(0, successes - other.trials);
  const most = Math.min(successes, one.trials);
  if (least === most) return 1;
  const chanceOf = (inOne: number): number =>
    Math.exp(
      logChoose(one.trials, inOne) +
        logChoose(other.trials, successes - inOne) -
        logChoose(trials, successes),
    );
  const observed = chanceOf(one.successes);
  let sum = 0;
  for (let inOne = least; inOne <= most; inOne++) {
    const chance = chanceOf(inOne);
    if (chance <= observed * (1 + rounding)) sum += chance;
  }
  return Math.min(1, Math.max(Number.MIN_VALUE, sum - observed / 2));
}

const logChoose = (count: number, chosen: number): number =>
  logFactorial(count) - logFactorial(chosen) - logFactorial(count - chosen);

/**
 * The two-sided p-value of the test that two means are equal, whatever their variances: t with the
 * degrees of freedom of Welch, rounded down (The generalization of 'Student's' problem when several
 * different population variances are involved, Biometrika 34, 1947). Null below two values on a
 * side, and where neither varies.
 */
export function welchTest(one: ArrayLike<number>, other: ArrayLike<number>): number | null {
  const [spread, otherSpread] = [standardDeviation(one), standardDeviation(other)];
  if (spread === null || otherSpread === null) return null;
  const [variance, otherVariance] = [spread ** 2 / one.length, otherSpread ** 2 / other.length];
  const sum = variance + otherVariance;
  if (sum === 0) return null;
  const degrees =
    sum ** 2 / (variance ** 2 / (one.length - 1) + otherVariance ** 2 / (other.length - 1));
  const distance = Math.abs(mean(one)! - mean(other)!) / Math.sqrt(sum);
  return 2 * studentTail(distance, Math.max(1, Math.floor(degrees * (1 + rounding))));
}
