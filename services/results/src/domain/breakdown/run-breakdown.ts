import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { ErrorsCounting, RunBreakdown } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { statedScale } from '@assay/contracts/scale';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import type { Dependencies } from '../dependencies.ts';
import { openRatings } from '../rated-records.ts';
import { findBuckets } from './buckets.ts';

type BreakdownDependencies = Pick<Dependencies, 'runRecords' | 'ask' | 'summarize'>;

/** The values of a run's records: of each metric at the place of the record, or NaN. */
interface RecordValues {
  places: Map<string, number>;
  testcases: Map<string, string | null>;
  /** The number of each record's testcase; a record without one has its own. */
  numbers: number[];
  columns: Map<string, number[]>;
}

/** The metrics of a run by the values of a field, or by the tags of its records. */
export async function breakDownRun(
  { runRecords, ask, summarize }: BreakdownDependencies,
  identity: Identity,
  {
    run,
    metrics,
    errors,
    breakdownBy,
  }: {
    run: RunOutline;
    metrics: readonly MetricVersionOutline[];
    errors: ErrorsCounting;
    breakdownBy: string;
  },
): Promise<RunBreakdown> {
  const gathered = await gatherRecords({ runRecords }, identity, { run, metrics, errors });
  const { by, rows, other } = await findBuckets({ runRecords, ask }, identity, {
    breakdownBy,
    path: '?breakdownBy',
    runs: [run],
    members: { of: 'record', testcases: gathered.testcases },
    metrics: metrics.length,
  });
  const shown: RunBreakdown['rows'] = [];
  for (const { value, members } of rows) {
    const summaries = metrics.map(async (metric) => {
      const { metricId, metricVersionId, name, outputType, passingThreshold } = metric;
      const { count, records, mean, passRate, confidenceInterval } = await summarize({
        outputType,
        passingThreshold,
        ...statedScale(metric),
        ...valuesOf(members, metricVersionId, gathered),
      });
      const scale = { name, outputType, ...statedScale(metric) };
      return {
        metricId,
        metricVersionId,
        ...scale,
        count,
        records,
        mean,
        passRate,
        confidenceInterval,
      };
    });
    shown.push({ value, records: members.length, metrics: await Promise.all(summaries) });
  }
  return { by, rows: shown, other: { values: other.values, records: other.members } };
}

async function gatherRecords(
  { runRecords }: Pick<Dependencies, 'runRecords'>,
  identity: Identity,
  {
    run,
    metrics,
    errors,
  }: { run: RunOutline; metrics: readonly MetricVersionOutline[]; errors: ErrorsCounting },
): Promise<RecordValues> {
  const gathered: RecordValues = {
    places: new Map(),
    testcases: new Map(),
    numbers: [],
    columns: new Map(metrics.map(({ metricVersionId }) => [metricVersionId, []])),
  };
  const numbers = new Map<string, number>();
  const { records } = await openRatings(runRecords, identity, { run, metrics, errors });
  for await (const { id, testcaseId, awaited, ratings } of records) {
    const own = testcaseId ?? id;
    const number = numbers.get(own) ?? numbers.size;
    numbers.set(own, number);
    gathered.places.set(id, gathered.numbers.length);
    gathered.numbers.push(number);
    gathered.testcases.set(id, testcaseId);
    const rated = ratingsOf(ratings);
    for (const { metricVersionId, outputType } of metrics) {
      const value = finalValue(rated.get(metricVersionId) ?? [], {
        metricVersionId,
        outputType,
        awaited,
      });
      gathered.columns.get(metricVersionId)!.push(value === undefined ? Number.NaN : Number(value));
    }
  }
  return gathered;
}

/** The values that these records have, with their testcases where one has several records. */
function valuesOf(
  members: readonly string[],
  metricVersionId: string,
  { places, numbers, columns }: RecordValues,
): { values: Float64Array; testcases?: Int32Array } {
  const column = columns.get(metricVersionId)!;
  const scored = members
    .map((id) => places.get(id)!)
    .filter((place) => !Number.isNaN(column[place]));
  const testcases = Int32Array.from(scored, (place) => numbers[place]!);
  return {
    values: Float64Array.from(scored, (place) => column[place]!),
    ...(new Set(testcases).size < scored.length ? { testcases } : {}),
  };
}
