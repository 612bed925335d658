import { inSentence } from '@assay/contracts/cut-text';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { ErrorsCounting, SummaryWarning } from '@assay/contracts/results';
import type { RatedRecord } from '@assay/contracts/run-records';
import { type StatedScale, worstOf } from '@assay/contracts/scale';

/** The records of a run whose system failed. */
export interface ErrorCounts {
  records: number;
  /** Records in all. */
  of: number;
  /** Those that a provider's limits caused. */
  byLimit: number;
  /** How many have each name. */
  names: Map<string, number>;
}

export const noErrors = (): ErrorCounts => ({ records: 0, of: 0, byLimit: 0, names: new Map() });

export function countError(counts: ErrorCounts, { error }: Pick<RatedRecord, 'error'>): void {
  counts.of++;
  if (!error) return;
  counts.records++;
  if (error.isByLimit) counts.byLimit++;
  counts.names.set(error.name, (counts.names.get(error.name) ?? 0) + 1);
}

/** Names of errors that a warning tells. */
const namesMax = 20;

/** How often each name came in these runs together, the most frequent first. */
export function namesOf(...runs: ErrorCounts[]): { name: string; count: number }[] {
  const names = new Map<string, number>();
  for (const run of runs)
    for (const [name, count] of run.names) names.set(name, (names.get(name) ?? 0) + count);
  return [...names]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, namesMax);
}

/** Errors in words: "ConnectionError (9), TimeoutError (3)". */
export const namesInWords = (names: { name: string; count: number }[]): string =>
  names.map(({ name, count }) => `${inSentence(name)} (${count})`).join(', ');

/**
 * Says of a metric that errors do not count in it, since no value would be the worst, and how many
 * of its scores do not fit it.
 */
export function warningsOfMetric(
  metric: StatedScale,
  { errored, invalid }: { errored: number; invalid: number },
): { warnings?: SummaryWarning[] } {
  const warnings: SummaryWarning[] = [];
  if (errored > 0 && worstOf(metric) === undefined)
    warnings.push({
      code: 'errors_excluded',
      message: 'Errors are left out: the scale of this metric has no worst value.',
      details: { errored },
    });
  if (invalid > 0)
    warnings.push({
      code: 'invalid_scores',
      message:
        invalid === 1
          ? 'One score does not fit the type or the scale of this metric: it is in no mean.'
          : `${invalid} scores do not fit the type or the scale of this metric: they are in no mean.`,
      details: { invalid },
    });
  return warnings.length > 0 ? { warnings } : {};
}

/** Tells a reader of a summary the names of its errors, and the metrics in which they do not count. */
export function errorWarnings(
  counts: ErrorCounts,
  {
    errors,
    uncounted,
  }: {
    errors: ErrorsCounting;
    /** Metrics in which errors would count if more of the other records had a score. */
    uncounted: readonly Pick<MetricVersionOutline, 'name'>[];
  },
): SummaryWarning[] {
  const { records, of } = counts;
  if (records === 0) return [];
  const names = namesOf(counts);
  const failed = `The system failed on ${records} of ${of} ${of === 1 ? 'record' : 'records'}: ${namesInWords(names)}.`;
  const details = { errored: records, names };
  if (errors === 'exclude')
    return [{ code: 'errors_excluded', message: `${failed} They are left out.`, details }];
  const counted: SummaryWarning = {
    code: 'errors_counted',
    message: `${failed} Each counts as the worst value.`,
    details,
  };
  if (uncounted.length === 0) return [counted];
  const metrics = uncounted.map(({ name }) => name);
  return [
    counted,
    {
      code: 'errors_not_counted',
      message: `Errors do not count in ${metrics.join(', ')}: too few of the other records have a score.`,
      details: { metrics },
    },
  ];
}
