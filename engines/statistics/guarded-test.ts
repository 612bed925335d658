import { bootstrapMean, type Scale } from './bootstrap.ts';
import type { Interval } from './interval.ts';
import { signFlipTest } from './permutation.ts';
import { movingUnits, type Units } from './units.ts';

export interface GuardedResult {
  pValue: number;
  /** `held` where the flips alone would decide at this level, and the guard does not. */
  guard: 'agrees' | 'held';
  test: string;
  interval: Interval | null;
  method: string;
}

/**
 * The test that a mean difference is 0: sign flips, exact where the runs could be swapped, guarded
 * against skew by the symmetric bootstrap-t on all units or on those that changed, whichever has
 * the smaller p-value. The p-value is the larger one of flips and guard (ADR 37). The guard says
 * nothing where all units, or all that changed, are equal. The interval is that of the bootstrap of
 * all units. Of at least two units.
 */
export function guardedMeanTest(
  units: Units,
  { scale, level = 0.95 }: { scale: Scale; level?: number },
): GuardedResult {
  const flips = signFlipTest(units);
  const all = bootstrapMean(units, { scale, level });
  const guard = (): number => {
    // The changed units are asked only where they can change the result.
    if (all.pValue === null || all.pValue <= flips.pValue) return 0;
    const moving = movingUnits(units);
    if (moving === null || moving.sums.length === units.sums.length) return all.pValue;
    if (moving.sums.length < 2) return all.pValue;
    return Math.min(all.pValue, bootstrapMean(moving, { scale, level }).pValue ?? 0);
  };
  const guardPValue = guard();
  return {
    pValue: Math.max(flips.pValue, guardPValue),
    guard: flips.pValue <= 1 - level && guardPValue > 1 - level ? 'held' : 'agrees',
    test: all.pValue === null ? flips.method : `${flips.method}, guarded by ${all.method}`,
    interval: all.interval,
    method: all.method,
  };
}
