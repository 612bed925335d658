import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RatedRecord, RunOutline } from '@assay/contracts/run-records';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import { unknownKindOf } from './unknown-scores.ts';

/** The values that the unknown scores of a run count as. */
export interface Fill {
  /** The value of each metric version whose unknown scores count; booleans as 0 and 1. */
  values: ReadonlyMap<string, number>;
  /** Records that testcases lack: how many of each, by metric version. */
  absent: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** A record as it is read: its values, and those that stand in the place of unknown ones. */
export interface ReadRecord extends RatedRecord {
  /** Metric versions whose value stands in the place of an unknown one. */
  filled?: readonly string[];
  /** A record that the run lacks. */
  isAbsent?: true;
}

/** Who gives a value that stands in the place of an unknown one. */
const nobody = 'unknown';

interface FillingOptions {
  run: Pick<RunOutline, 'stopping'>;
  metrics: readonly MetricVersionOutline[];
  fill: Fill;
}

/** The record with a value in the place of each unknown score of these metrics. */
export function withFilledScores(
  record: RatedRecord,
  { run, metrics, fill }: FillingOptions,
): ReadRecord {
  const ratings = ratingsOf(record.ratings);
  const unknown = metrics.filter((metric) => {
    const { metricVersionId, outputType } = metric;
    if (!fill.values.has(metricVersionId)) return false;
    const value = finalValue(ratings.get(metricVersionId) ?? [], {
      metricVersionId,
      outputType,
      awaited: record.awaited,
    });
    return value === undefined && unknownKindOf(record, metric, run) !== undefined;
  });
  if (unknown.length === 0) return record;
  const filled = unknown.map(({ metricVersionId }) => metricVersionId);
  const isOther = (id: string) => !filled.includes(id);
  return {
    ...record,
    filled,
    awaited: record.awaited.filter(isOther),
    ratings: [
      ...record.ratings.filter(({ metricVersionId }) => isOther(metricVersionId)),
      ...unknown.map((metric) => filledRating(metric, fill)),
    ],
  };
}

/** The records that a run lacks, each with the values that it counts. */
export function* absentRecordsOf({
  metrics,
  fill,
}: Omit<FillingOptions, 'run'>): Generator<ReadRecord> {
  for (const [testcaseId, counts] of fill.absent)
    for (let index = 0; index < Math.max(...counts.values()); index++) {
      const counting = metrics.filter(
        ({ metricVersionId }) => (counts.get(metricVersionId) ?? 0) > index,
      );
      yield {
        id: `${testcaseId}/absent/${index}`,
        testcaseId,
        ratings: counting.map((metric) => filledRating(metric, fill)),
        awaited: [],
        failed: [],
        filled: counting.map(({ metricVersionId }) => metricVersionId),
        isAbsent: true,
      };
    }
}

function filledRating(
  { metricVersionId, evalType, outputType }: MetricVersionOutline,
  { values }: Fill,
) {
  const value = values.get(metricVersionId)!;
  return {
    metricVersionId,
    userId: nobody,
    source: evalType,
    value: outputType === 'boolean' ? value === 1 : value,
  };
}
