import type { ComparisonWarning } from '@assay/contracts/results';
import { worstOf } from '@assay/contracts/scale';
import { type ErrorCounts, namesInWords, namesOf } from '../error-counts.ts';
import type { ErrorsRule } from '../rated-records.ts';
import { isSystemMetric } from '../system-metrics.ts';
import type { ComparedMetric } from './sides.ts';
import type { ValuesOfBoth } from './values.ts';

/** Says how many records of each run are errors, which, and whether they count. */
export function warnOfErrors(
  { baseline, candidate }: ValuesOfBoth,
  errors: ErrorsRule,
): ComparisonWarning[] {
  const counts = { baseline: baseline.errors.records, candidate: candidate.errors.records };
  if (counts.baseline + counts.candidate === 0) return [];
  const names = namesOf(baseline.errors, candidate.errors);
  const isCounted = errors !== 'exclude';
  return [
    {
      code: isCounted ? 'errors_counted' : 'errors_excluded',
      message: `The system failed on ${inRun(baseline.errors, 'baseline')} and on ${inRun(candidate.errors, 'candidate')}: ${namesInWords(names)}. ${isCounted ? 'Each counts as the worst value.' : 'They are left out.'}`,
      details: { ...counts, names },
    },
  ];
}

const inRun = ({ records, of }: ErrorCounts, run: string): string =>
  `${records} of ${of} records of the ${run} run`;

/** Says where errors do not count in a metric, or stand beside answers that it does not apply to. */
export function warnOfErrorsIn(
  metric: ComparedMetric,
  gathered: ValuesOfBoth,
  errors: ErrorsRule,
): ComparisonWarning[] {
  const sides = ['baseline', 'candidate'] as const;
  const columns = sides.map((side) => {
    const { metricVersionId } = metric[side];
    const { columns, counting, places } = gathered[side];
    const column = columns.get(metricVersionId)!;
    return { ...column, places, isCounting: counting.has(metricVersionId) };
  });
  const warnings: ComparisonWarning[] = [];
  const hasErrors = columns.some(({ errored }) => errored > 0);
  if (hasErrors && !isSystemMetric(metric.candidate) && worstOf(metric.candidate) === undefined)
    warnings.push({
      code: 'errors_excluded',
      message: 'Errors are left out: the scale of this metric has no worst value.',
      details: {},
    });
  else if (
    errors !== 'exclude' &&
    columns.some(({ errored, isCounting }) => errored > 0 && !isCounting)
  )
    warnings.push({
      code: 'errors_not_counted',
      message: 'Errors do not count: too few of the other records have a score of this metric.',
      details: {},
    });
  const numNotApplicable = columns.map(({ notApplicable }) => notApplicable.size);
  if (hasErrors && numNotApplicable.some((count) => count > 0))
    warnings.push({
      code: 'errors_may_not_apply',
      message:
        'This metric does not apply to some testcases. Errors count all the same: whether it applies to them is not known.',
      details: {},
    });
  return warnings;
}
