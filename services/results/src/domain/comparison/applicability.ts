import type { ComparisonWarning } from '@assay/contracts/results';
import type { ComparedMetric, Sides } from './sides.ts';
import type { Column, ValuesOfBoth } from './values.ts';

/** Whether a metric applies to no record of the testcase at this place. */
export const isInapplicable = (
  { notApplicable, values }: Pick<Column, 'notApplicable' | 'values'>,
  place: number,
): boolean => notApplicable.has(place) && Number.isNaN(values[place]);

/** Testcases that have a score in one run, and to which the metric does not apply in the other. */
export function inapplicableAlone(
  metric: ComparedMetric,
  { baseline, candidate }: ValuesOfBoth,
): Record<keyof Sides, number> {
  const before = baseline.columns.get(metric.baseline.metricVersionId)!;
  const after = candidate.columns.get(metric.candidate.metricVersionId)!;
  const alone = { baseline: 0, candidate: 0 };
  if (before.notApplicable.size + after.notApplicable.size === 0) return alone;
  for (const [testcaseId, place] of baseline.places) {
    const other = candidate.places.get(testcaseId);
    if (other === undefined) continue;
    if (isInapplicable(before, place) && !Number.isNaN(after.values[other])) alone.baseline++;
    if (isInapplicable(after, other) && !Number.isNaN(before.values[place])) alone.candidate++;
  }
  return alone;
}

/** Says of how many testcases one run alone has no score, since the metric does not apply. */
export function differentApplicability(alone: Record<keyof Sides, number>): ComparisonWarning[] {
  if (alone.baseline + alone.candidate === 0) return [];
  return [
    {
      code: 'applicability_differs',
      message: `This metric does not apply to ${alone.baseline} testcases in the baseline run alone, and to ${alone.candidate} in the candidate run alone. They are left out.`,
      details: alone,
    },
  ];
}
