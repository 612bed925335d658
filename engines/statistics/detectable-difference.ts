import { criticalValue } from './interval.ts';
import { normalQuantile } from './normal.ts';
import type { PairedCounts } from './proportions.ts';
import { studentQuantile } from './student.ts';
import { standardErrorOf, type Units } from './units.ts';

/** The power with which a detectable difference would be found. */
const power = 0.8;

/**
 * The smallest true mean difference that this many units, with the spread that they have, would
 * show as different from 0 with 80 % power at this two-sided level: (t of the level + t of the
 * power) · standard error of the mean (Chow, Shao, Wang and Lokhnygina, Sample Size Calculations in
 * Clinical Research, 2018, section 3.1, with the quantiles of Student's t). 0 where the units do
 * not differ in spread. Of at least two units.
 */
export function detectableMeanDifference(units: Units, level: number): number {
  const degrees = units.residuals.length - 1;
  const quantiles = studentQuantile(1 - (1 - level) / 2, degrees) + studentQuantile(power, degrees);
  return quantiles * standardErrorOf(units);
}

/**
 * The smallest true difference of paired pass rates that this many pairs would find with 80 % power
 * at this two-sided level, if as many of them change as did, a share ψ: the δ of z(level) √ψ +
 * z(power) √(ψ − δ²) = δ √n (Connett, Smith and McHugh, Sample size and power for pair-matched
 * case-control studies, Statistics in Medicine 6, 1987). Null where δ would exceed ψ, which no
 * difference can: then none is detectable.
 */
export function detectablePassRateDifference(
  { both, candidateOnly, baselineOnly, neither }: PairedCounts,
  level: number,
): number | null {
  const count = both + candidateOnly + baselineOnly + neither;
  const changed = (candidateOnly + baselineOnly) / count;
  const [a, b] = [criticalValue(level), normalQuantile(power)];
  // Squared, it is quadratic in δ; its larger root has δ √n ≥ a √ψ.
  const root = count + b ** 2 - a ** 2;
  if (root < 0) return null;
  const difference =
    (Math.sqrt(changed) * (a * Math.sqrt(count) + b * Math.sqrt(root))) / (count + b ** 2);
  return difference > 0 && difference <= changed ? difference : null;
}
