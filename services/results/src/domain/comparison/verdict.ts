import type { Verdict } from '@assay/contracts/results';
import { holmAdjust } from '@assay/statistics/holm';

/** A p-value that is computed may be this far above its exact value, as a part of it. */
const rounding = 1e-9;

export interface TestResult {
  pValue: number | null;
  difference: number | null;
  lowerIsBetter?: true | undefined;
}

export interface Decision {
  adjustedPValue: number | null;
  verdict: Verdict;
}

/**
 * Which of the metrics that are compared together got better or worse: those whose p-value, by
 * Holm's correction over those that have one, is at most 1 − level. So the chance that any metric
 * without a true difference is not `undecided` is at most 1 − level.
 */
export function decide(metrics: readonly TestResult[], level: number): Decision[] {
  const adjusted = holmAdjust(metrics.map(({ pValue }) => pValue));
  return metrics.map((metric, place) => ({
    adjustedPValue: adjusted[place]!,
    verdict: verdictOf({ ...metric, adjustedPValue: adjusted[place]!, level }),
  }));
}

/** Where less is better, a better candidate is one whose difference is below 0. */
const opposite = { better: 'worse', worse: 'better', undecided: 'undecided' } as const;

/** The verdict that the sign of a difference would have where more is better. */
export const signOf = (
  verdict: Verdict,
  { lowerIsBetter }: Pick<TestResult, 'lowerIsBetter'>,
): Verdict => (lowerIsBetter ? opposite[verdict] : verdict);

function verdictOf({
  adjustedPValue,
  difference,
  lowerIsBetter,
  level,
}: Omit<TestResult, 'pValue'> & { adjustedPValue: number | null; level: number }): Verdict {
  if (adjustedPValue === null || adjustedPValue > (1 - level) * (1 + rounding) || !difference)
    return 'undecided';
  return difference > 0 === !lowerIsBetter ? 'better' : 'worse';
}
