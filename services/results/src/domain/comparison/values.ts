import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RatedRecord } from '@assay/contracts/run-records';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import type { Dependencies } from '../dependencies.ts';
import type { ComparedMetric, Sides } from './sides.ts';

/**
 * One metric version's values in a run, at the places of their testcases: of each the latest record
 * that has one.
 */
interface Column {
  /** Booleans as 0 and 1; NaN where a testcase has no value. */
  values: number[];
  recordIds: (string | undefined)[];
  /** Testcases that have a value. */
  valued: number;
  /** Values of records that are of no testcase. */
  unnamed: number;
}

/** A run's values by testcase. Flat, since a run may have a hundred thousand. */
export interface RunValues {
  /** Where in the columns each testcase of the run stands. */
  places: Map<string, number>;
  /** By metric version. */
  columns: Map<string, Column>;
}

/** The values of both runs that these metrics compare. */
export async function gatherSides(
  { streamRatings }: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  { sides, metrics }: { sides: Sides; metrics: readonly ComparedMetric[] },
): Promise<ValuesOfBoth> {
  const gather = (side: keyof Sides) =>
    gatherValues(
      streamRatings(identity, { runId: sides[side].id, withVotes: false }),
      metrics.map((metric) => metric[side]),
    );
  const [baseline, candidate] = await Promise.all([gather('baseline'), gather('candidate')]);
  return { baseline, candidate };
}

/** Reads a run's records once, in their order. */
async function gatherValues(
  records: AsyncIterable<RatedRecord>,
  metrics: readonly MetricVersionOutline[],
): Promise<RunValues> {
  const places = new Map<string, number>();
  const columns = new Map(metrics.map(({ metricVersionId }) => [metricVersionId, newColumn()]));
  for await (const { id, testcaseId, awaited, ratings: given } of records) {
    const ratings = ratingsOf(given);
    const place = testcaseId === null ? undefined : placeOf(testcaseId, places, columns);
    for (const { metricVersionId, outputType } of metrics) {
      const value = finalValue(ratings.get(metricVersionId) ?? [], {
        metricVersionId,
        outputType,
        awaited,
      });
      if (value !== undefined)
        setValue(columns.get(metricVersionId)!, place, { value: Number(value), recordId: id });
    }
  }
  return { places, columns };
}

const newColumn = (): Column => ({ values: [], recordIds: [], valued: 0, unnamed: 0 });

function placeOf(
  testcaseId: string,
  places: RunValues['places'],
  columns: RunValues['columns'],
): number {
  const known = places.get(testcaseId);
  if (known !== undefined) return known;
  for (const { values, recordIds } of columns.values()) {
    values.push(Number.NaN);
    recordIds.push(undefined);
  }
  const place = places.size;
  places.set(testcaseId, place);
  return place;
}

function setValue(
  column: Column,
  place: number | undefined,
  { value, recordId }: { value: number; recordId: string },
): void {
  if (place === undefined) {
    column.unnamed++;
    return;
  }
  if (Number.isNaN(column.values[place])) column.valued++;
  column.values[place] = value;
  column.recordIds[place] = recordId;
}

/**
 * The testcases of both runs, in the order of their ids: the same runs give the same order,
 * whichever of them is the baseline.
 */
export const commonTestcases = ({ baseline, candidate }: ValuesOfBoth): string[] =>
  [...baseline.places.keys()].filter((testcaseId) => candidate.places.has(testcaseId)).sort();

export interface ValuesOfBoth {
  baseline: RunValues;
  candidate: RunValues;
}

export interface Pair {
  testcaseId: string;
  baseline: { value: number; recordId: string };
  candidate: { value: number; recordId: string };
}

/**
 * The pairs of one metric among these testcases, one by one: at a hundred thousand, a list of them
 * would be large.
 */
export function* pairsOf(
  testcaseIds: readonly string[],
  { baseline, candidate }: ValuesOfBoth,
  metric: ComparedMetric,
): Generator<Pair> {
  const valuesOfBaseline = readerOf(baseline, metric.baseline);
  const valuesOfCandidate = readerOf(candidate, metric.candidate);
  for (const testcaseId of testcaseIds) {
    const pair = {
      testcaseId,
      baseline: valuesOfBaseline(testcaseId),
      candidate: valuesOfCandidate(testcaseId),
    };
    if (!Number.isNaN(pair.baseline.value) && !Number.isNaN(pair.candidate.value)) yield pair;
  }
}

function readerOf(
  { places, columns }: RunValues,
  { metricVersionId }: MetricVersionOutline,
): (testcaseId: string) => Pair['baseline'] {
  const { values, recordIds } = columns.get(metricVersionId)!;
  return (testcaseId) => {
    const place = places.get(testcaseId)!;
    return { value: values[place]!, recordId: recordIds[place]! };
  };
}
