import type { ComparedMetric } from '@assay/comparison/figures';
import { holmAdjust } from '@assay/statistics/holm';
import type { Verdict } from '../../text/verdicts.ts';

/** A p-value that is computed may be this far above its exact value, as a part of it. */
const rounding = 1e-9;

interface Compared {
  metrics: ComparedMetric[];
  errors: ComparedMetric;
}

/**
 * Returns the verdict of each metric in comparisons with one baseline, by Holm's correction over all
 * tests of all of them: of many runs, one would look better by luck.
 */
export function correctedVerdicts(
  comparisons: Compared[],
  level: number,
): (metric: ComparedMetric) => Verdict {
  const tested = comparisons.flatMap(({ metrics, errors }) => [...metrics, errors]);
  const adjusted = holmAdjust(tested.map(({ pValue }) => pValue));
  const verdicts = new Map(
    tested.map((metric, place) => {
      const pValue = adjusted[place]!;
      const isShown = pValue !== null && pValue <= (1 - level) * (1 + rounding);
      return [metric, isShown ? metric.verdict : ('undecided' as const)];
    }),
  );
  return (metric) => verdicts.get(metric) ?? metric.verdict;
}
