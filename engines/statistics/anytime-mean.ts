import { toPValue } from './anytime-proportions.ts';
import type { Scale } from './bootstrap.ts';
import type { Interval } from './interval.ts';
import { standardErrorOf, type Units, variesOf } from './units.ts';

/**
 * The variance of the effects, in standard deviations, that the test is made for: it decides
 * soonest where a mean is 0.14 standard deviations from 0, which a hundred pairs or two show.
 */
const effectVariance = 0.02;

export interface AnytimeMean {
  /** 1 where nothing varies: the values do not show how far others would differ. */
  pValue: number;
  /** Null where so few units bound nothing. */
  interval: Interval | null;
}

/**
 * The test that a mean difference is 0, and its interval, both of which hold however often one
 * looks: at most a share α of all sequences ever has a p-value of α or less, or an interval of the
 * level 1 − α without the mean. The inverse of an e-process, the t statistic's likelihood under a
 * normal mixture of effects against that without one. Exact for normal differences whatever their
 * variance, and approximate for others. Lai, On confidence sequences, Ann. Stat. 4 (1976); Gönen,
 * Johnson, Lu and Westfall, The Bayesian two-sample t test, Am. Stat. 59 (2005); Pérez-Ortiz,
 * Lardy, de Heide and Grünwald, E-statistics, group invariance and anytime-valid testing, Ann.
 * Stat. 52 (2024). Of at least two units.
 */
export function anytimeMean(
  units: Units,
  { scale, level = 0.95 }: { scale: Scale; level?: number },
): AnytimeMean {
  const count = units.sums.length;
  const standardError = standardErrorOf(units);
  // The squares of the smallest numbers there are add up to 0.
  if (!variesOf(units) || standardError === 0) return { pValue: 1, interval: null };
  const distance = criticalDistance(count, level);
  const reach = distance * standardError;
  return {
    pValue: toPValue(logWealth(count, units.estimate / standardError)),
    interval:
      distance === Infinity
        ? null
        : {
            low: Math.max(scale.low, units.estimate - reach),
            high: Math.min(scale.high, units.estimate + reach),
            level,
          },
  };
}

/** log of the likelihood ratio of a t statistic of so many units. */
function logWealth(count: number, t: number): number {
  const growth = 1 + count * effectVariance;
  const square = (t * t) / (count - 1);
  return (count * (Math.log1p(square) - Math.log1p(square / growth)) - Math.log(growth)) / 2;
}

/** The t statistic at which the likelihood ratio is 1 / (1 − level). */
function criticalDistance(count: number, level: number): number {
  const growth = 1 + count * effectVariance;
  const ratio = Math.exp((Math.log(growth) - 2 * Math.log(1 - level)) / count);
  if (ratio >= growth) return Infinity;
  return Math.sqrt(((count - 1) * (ratio - 1)) / (1 - ratio / growth));
}

/**
 * Whether units that are still to come can decide anything: whether the test would decide if they
 * spread like those before, and differed by one end of the interval on average.
 */
export function canDecideMean(
  units: Units,
  { scale, level = 0.95, toCome }: { scale: Scale; level?: number; toCome: number },
): boolean {
  const { interval } = anytimeMean(units, { scale, level });
  if (interval === null) return true;
  const count = units.sums.length;
  const all = count + toCome;
  const standardError = standardErrorOf(units) * Math.sqrt(count / all);
  return [interval.low, interval.high].some((mean) => {
    const estimate = (count * units.estimate + toCome * mean) / all;
    return toPValue(logWealth(all, estimate / standardError)) <= 1 - level;
  });
}
