import type { ComparedMetric } from '@assay/comparison/figures';
import type { Verdict } from '../../text/verdicts.ts';

/** A p-value that is computed may be this far above its exact value, as a part of it. */
const rounding = 1e-9;

interface ComparedRuns {
  metrics: ComparedMetric[];
  errors: ComparedMetric;
}

/**
 * Returns the verdict of each metric in comparisons with one baseline, by Holm's correction over all
 * tests of all of them: of many runs, one would look better by luck.
 */
export function correctedVerdicts(
  comparisons: ComparedRuns[],
  level: number,
): (metric: ComparedMetric) => Verdict {
  const tested = comparisons.flatMap(({ metrics, errors }) => [...metrics, errors]);
  const adjusted = adjustByHolm(tested);
  const verdicts = new Map(
    tested.map((metric) => {
      const pValue = adjusted.get(metric);
      const isShown = pValue !== undefined && pValue <= (1 - level) * (1 + rounding);
      return [metric, isShown ? metric.verdict : ('undecided' as const)];
    }),
  );
  return (metric) => verdicts.get(metric) ?? metric.verdict;
}

/** The p-values of those that were tested, corrected for how many there are. */
function adjustByHolm(metrics: ComparedMetric[]): Map<ComparedMetric, number> {
  const tested = metrics
    .flatMap((metric) => (metric.pValue === null ? [] : [{ metric, pValue: metric.pValue }]))
    .sort((one, other) => one.pValue - other.pValue);
  const adjusted = new Map<ComparedMetric, number>();
  let floor = 0;
  for (const [rank, { metric, pValue }] of tested.entries()) {
    floor = Math.max(floor, Math.min(1, pValue * (tested.length - rank)));
    adjusted.set(metric, floor);
  }
  return adjusted;
}
