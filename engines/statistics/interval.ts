import { normalQuantile } from './normal.ts';

/** A two-sided confidence interval; `level` is its confidence, such as 0.95. */
export interface Interval {
  low: number;
  high: number;
  level: number;
}

/**
 * How many standard errors a two-sided interval of this level reaches to each side: 1.96 at 0.95.
 */
export const criticalValue = (level: number): number => normalQuantile(1 - (1 - level) / 2);

/**
 * The interval of a difference that says what its verdict says: cut at 0 when the verdict is
 * decided, drawn to 0 when it is not. It stays a confidence set, that of a test which at 0 is the
 * one of the verdict, and at every other difference the interval's own.
 */
export function fitToVerdict(
  interval: Interval | null,
  verdict: 'better' | 'worse' | 'undecided',
): Interval | null {
  if (interval === null) return null;
  const { low, high, level } = interval;
  return {
    low: verdict === 'better' ? Math.max(0, low) : verdict === 'undecided' ? Math.min(0, low) : low,
    high:
      verdict === 'worse' ? Math.min(0, high) : verdict === 'undecided' ? Math.max(0, high) : high,
    level,
  };
}
