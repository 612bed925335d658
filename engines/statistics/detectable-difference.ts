import { criticalValue } from './interval.ts';
import { normalQuantile } from './normal.ts';
import { type GroupKeys, gatherUnits } from './units.ts';

/**
 * The smallest true mean difference that this many pairs, with the spread that they have, would
 * show as different from 0 with `power` at this two-sided level: (z of the level + z of the power)
 * · standard error of the mean (Chow, Shao, Wang and Lokhnygina, Sample Size Calculations in
 * Clinical Research, 2018, section 3.1). Null below two units; 0 where the pairs do not differ in
 * spread. With `groups` the standard error is that of a mean of whole groups.
 */
export function minimumDetectableDifference({
  differences,
  groups,
  level = 0.95,
  power = 0.8,
}: {
  differences: ArrayLike<number>;
  groups?: GroupKeys;
  level?: number;
  power?: number;
}): number | null {
  const units = gatherUnits({ values: differences, groups });
  if (units === null || units.residuals.length < 2) return null;
  const count = units.residuals.length;
  const squares = units.residuals.reduce((sum, residual) => sum + residual * residual, 0);
  const standardError = Math.sqrt((squares * count) / (count - 1)) / units.valueCount;
  return (criticalValue(level) + normalQuantile(power)) * standardError;
}
