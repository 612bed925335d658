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
