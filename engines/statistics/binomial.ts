import type { Random } from './random.ts';

const factorialsMax = 256;
function tabulate(): Float64Array {
  const table = new Float64Array(factorialsMax);
  for (let n = 2; n < factorialsMax; n++) table[n] = table[n - 1]! + Math.log(n);
  return table;
}
const logFactorials = tabulate();

/** log n!, from a table, and from Stirling's series (error below 1e-16 relative from 256 on). */
export function logFactorial(n: number): number {
  if (n < factorialsMax) return logFactorials[n]!;
  return (
    (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n) - 1 / (360 * n ** 3)
  );
}

/**
 * How many of `trials` succeed, each with `probability`; exact in distribution, its cost bounded
 * whatever the size.
 */
export function drawBinomial({
  trials,
  probability,
  random,
}: {
  trials: number;
  probability: number;
  random: Random;
}): number {
  if (trials === 0 || probability <= 0) return 0;
  if (probability >= 1) return trials;
  if (probability > 0.5)
    return trials - drawBinomial({ trials, probability: 1 - probability, random });
  return trials * probability < 10
    ? drawByInversion(trials, probability, random)
    : drawByRejection(trials, probability, random);
}

/**
 * Walks the distribution function up from 0; for means below 10, where a value above 110 has no
 * weight that a double could hold.
 */
function drawByInversion(trials: number, probability: number, random: Random): number {
  const odds = probability / (1 - probability);
  const none = (1 - probability) ** trials;
  for (;;) {
    let remaining = random.uniform();
    let weight = none;
    for (let k = 0; k <= Math.min(trials, 110); k++) {
      if (remaining <= weight) return k;
      remaining -= weight;
      weight *= (odds * (trials - k)) / (k + 1);
    }
  }
}

/**
 * Hörmann, The generation of binomial random variates, J. Statist. Comput. Simul. 46 (1993),
 * algorithm BTRS.
 */
function drawByRejection(trials: number, probability: number, random: Random): number {
  const spread = Math.sqrt(trials * probability * (1 - probability));
  const b = 1.15 + 2.53 * spread;
  const a = -0.0873 + 0.0248 * b + 0.01 * probability;
  const alpha = (2.83 + 5.1 / b) * spread;
  const logOdds = Math.log(probability / (1 - probability));
  const mode = Math.floor((trials + 1) * probability);
  const atMode = logFactorial(mode) + logFactorial(trials - mode);
  for (;;) {
    const u = random.uniform() - 0.5;
    const v = random.uniform();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + trials * probability + 0.5);
    if (k < 0 || k > trials) continue;
    if (us >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    const height = Math.log((v * alpha) / (a / (us * us) + b));
    if (height <= atMode - logFactorial(k) - logFactorial(trials - k) + (k - mode) * logOdds)
      return k;
  }
}
