import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Repeats } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import type { Dependencies } from '../dependencies.ts';
import { countError, type ErrorCounts, noErrors } from '../error-counts.ts';
import { errorsMetric } from '../errors-metric.ts';
import type { Fill } from '../filled-records.ts';
import { judgeOf, type Raters } from '../judged-values.ts';
import { type Label, labelOf } from '../labels.ts';
import { type ErrorsRule, isErrored, type OpenRatings, openRatings } from '../rated-records.ts';
import { noneUnknown, type UnknownCounts, unknownKindOf } from '../unknown-scores.ts';
import type { ComparedMetric, Sides } from './sides.ts';

/** One metric version's values in a run, at the places of their testcases. */
export interface Column {
  /** Booleans as 0 and 1; NaN where a testcase has no value. */
  values: number[];
  /** How many records have a value. */
  records: number[];
  /** The latest record that has one. */
  recordIds: (string | undefined)[];
  /** Testcases that have a value. */
  valued: number;
  /** Values of records that are of no testcase. */
  unnamed: number;
  /** Records that nobody scored, since their system gave no answer. */
  errored: number;
  /** The places of the testcases to which the metric does not apply. */
  notApplicable: Set<number>;
  /** Records that there are without a score that anybody knows. */
  unknown: UnknownCounts;
  /** Of a judge: judge − people, and people's values, for the records that people scored too. */
  labels: { errors: number[]; people: number[] };
}

/** A record's inputs and expected; the hash is undefined where a run has none, or none is read. */
export interface Content {
  recordId: string;
  hash: string | undefined;
}

/** A run's values by testcase. Flat, since a run may have a hundred thousand. */
export interface RunValues {
  /** Where in the columns each testcase of the run stands. */
  places: Map<string, number>;
  /** The records of each testcase, at its place. */
  recordCounts: number[];
  /** The content of each testcase, by its latest record; absent records have no content. */
  contents: Content[];
  /** By metric version; that of the errors metric, too. */
  columns: Map<string, Column>;
  errors: ErrorCounts;
  /** The metric versions in which errors count. */
  counting: ReadonlySet<string>;
}

/** The values of both runs that these metrics compare. */
export async function gatherSides(
  { streamRatings }: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  {
    sides,
    metrics,
    repeats,
    errors,
    fill,
    withHashes = false,
    labelsBy,
  }: {
    sides: Sides;
    metrics: readonly ComparedMetric[];
    repeats: Repeats;
    errors: ErrorsRule;
    /** What the unknown scores of each run count; nothing where it is left out. */
    fill?: Record<keyof Sides, Fill> | undefined;
    /** Also reads what shows that testcases were changed. */
    withHashes?: boolean;
    /**
     * Also reads people's scores of the records that judges scored: of the judges' metrics, or of a
     * metric of theirs.
     */
    labelsBy?: 'people' | ComparedMetric;
  },
): Promise<ValuesOfBoth> {
  const gather = async (side: keyof Sides) => {
    const ofSide = metrics.map((metric) => metric[side]);
    const ratings = await openRatings({ streamRatings }, identity, {
      run: sides[side],
      metrics: ofSide,
      errors,
      fill: fill?.[side],
      // A judgement stays where a person overrode it.
      withVotes: labelsBy !== undefined && ofSide.some(({ evalType }) => evalType === 'ai'),
      withHashes,
    });
    return gatherValues(ratings, {
      run: sides[side],
      metrics: [...ofSide, errorsMetric],
      judges: labelsBy === undefined ? [] : metrics.map(ratersIn(sides, side, labelsBy)),
      repeats,
    });
  };
  const [baseline, candidate] = await Promise.all([gather('baseline'), gather('candidate')]);
  return { baseline, candidate };
}

/** The values of one run that these metrics have, in the order of its records. */
export const gatherRun = async (
  { streamRatings }: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  {
    repeats,
    ...wanted
  }: {
    run: RunOutline;
    metrics: readonly MetricVersionOutline[];
    repeats: Repeats;
    errors: ErrorsRule;
  },
): Promise<RunValues> =>
  gatherValues(await openRatings({ streamRatings }, identity, wanted), {
    ...wanted,
    judges: [],
    repeats,
  });

/** Reads a run's records once, in their order. */
async function gatherValues(
  { records, counting }: OpenRatings,
  {
    run,
    metrics,
    judges,
    repeats,
  }: {
    run: RunOutline;
    metrics: readonly MetricVersionOutline[];
    judges: readonly Raters[];
    repeats: Repeats;
  },
): Promise<RunValues> {
  const places = new Map<string, number>();
  const recordCounts: number[] = [];
  const contents: Content[] = [];
  const columns = new Map(metrics.map(({ metricVersionId }) => [metricVersionId, newColumn()]));
  const errors = noErrors();
  for await (const record of records) {
    const { id, testcaseId, awaited } = record;
    const ratings = ratingsOf(record.ratings);
    if (!record.isAbsent) countError(errors, record);
    for (const raters of judges) {
      const { evalType, metricVersionId } = raters.judge;
      if (evalType !== 'ai' || record.error || record.filled?.includes(metricVersionId)) continue;
      const label = labelOf(record, ratings, raters);
      if (label) addLabel(columns.get(metricVersionId)!, label);
    }
    const place = testcaseId === null ? undefined : placeOf(testcaseId, places, columns);
    if (place !== undefined && !record.isAbsent) {
      contents[place] = { recordId: id, hash: record.contentHash };
      recordCounts[place] = (recordCounts[place] ?? 0) + 1;
    }
    for (const metric of metrics) {
      const { metricVersionId, outputType } = metric;
      const column = columns.get(metricVersionId)!;
      if (isErrored(record, metricVersionId)) column.errored++;
      if (place !== undefined && record.notApplicable?.includes(metricVersionId))
        column.notApplicable.add(place);
      const value = finalValue(ratings.get(metricVersionId) ?? [], {
        metricVersionId,
        outputType,
        awaited,
      });
      const unknown = value === undefined ? unknownKindOf(record, metric, run) : undefined;
      if (unknown && !record.isAbsent) column.unknown[unknown]++;
      if (value !== undefined)
        addValue(column, place, {
          value: Number(value),
          recordId: id,
          repeats,
        });
    }
  }
  if (repeats === 'mean') for (const column of columns.values()) averageRepeats(column);
  const versions = counting.map(({ metricVersionId }) => metricVersionId);
  return { places, recordCounts, contents, columns, errors, counting: new Set(versions) };
}

const newColumn = (): Column => ({
  values: [],
  records: [],
  recordIds: [],
  valued: 0,
  unnamed: 0,
  errored: 0,
  notApplicable: new Set(),
  unknown: noneUnknown(),
  labels: { errors: [], people: [] },
});

/** A metric in a run, and those who score by it; people by their metric of the same type. */
const ratersIn =
  (sides: Sides, side: keyof Sides, labelsBy: 'people' | ComparedMetric) =>
  (metric: ComparedMetric): Raters => {
    const human = labelsBy === 'people' ? undefined : labelsBy[side];
    const isOfType = human?.outputType === metric[side].outputType;
    return { ...judgeOf(sides[side], metric[side]), human: isOfType ? human : undefined };
  };

function addLabel({ labels }: Column, { judge, human }: Label): void {
  labels.errors.push(Number(judge) - Number(human));
  labels.people.push(Number(human));
}

function placeOf(
  testcaseId: string,
  places: RunValues['places'],
  columns: RunValues['columns'],
): number {
  const known = places.get(testcaseId);
  if (known !== undefined) return known;
  for (const { values, records, recordIds } of columns.values()) {
    values.push(Number.NaN);
    records.push(0);
    recordIds.push(undefined);
  }
  const place = places.size;
  places.set(testcaseId, place);
  return place;
}

/** Adds a record's value: to those before it, whose mean is made at the end, or in their place. */
function addValue(
  column: Column,
  place: number | undefined,
  { value, recordId, repeats }: { value: number; recordId: string; repeats: Repeats },
): void {
  if (place === undefined) {
    column.unnamed++;
    return;
  }
  const before = column.records[place] === 0 ? undefined : column.values[place]!;
  if (before === undefined) column.valued++;
  column.values[place] = before === undefined || repeats === 'latest' ? value : before + value;
  column.records[place]!++;
  column.recordIds[place] = recordId;
}

/** Digits of a mean: sums of the same scores in another order differ after these. */
const meanDigits = 12;

function averageRepeats({ values, records }: Column): void {
  for (const [place, count] of records.entries())
    if (count > 1) values[place] = Number((values[place]! / count).toPrecision(meanDigits));
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

/** The testcases of either run, in no order. */
export const testcasesOfEither = ({ baseline, candidate }: ValuesOfBoth): Set<string> =>
  new Set([...baseline.places.keys(), ...candidate.places.keys()]);

/** A testcase's value in a run, from how many records, and the latest of them. */
interface RunValue {
  value: number;
  records: number;
  recordId: string;
}

/** A testcase with its values: undefined where a run has none. */
export interface TestcaseValues {
  testcaseId: string;
  baseline: RunValue | undefined;
  candidate: RunValue | undefined;
}

export interface Pair extends TestcaseValues {
  baseline: RunValue;
  candidate: RunValue;
}

/**
 * The pairs of one metric among these testcases, one by one: at a hundred thousand, a list of them
 * would be large.
 */
export function* pairsOf(
  testcaseIds: Iterable<string>,
  gathered: ValuesOfBoth,
  metric: ComparedMetric,
): Generator<Pair> {
  for (const testcase of valuesOf(testcaseIds, gathered, metric))
    if (testcase.baseline && testcase.candidate) yield testcase as Pair;
}

/** What both runs have of one metric for these testcases, one by one. */
export function* valuesOf(
  testcaseIds: Iterable<string>,
  { baseline, candidate }: ValuesOfBoth,
  metric: ComparedMetric,
): Generator<TestcaseValues> {
  const valueInBaseline = readerOf(baseline, metric.baseline);
  const valueInCandidate = readerOf(candidate, metric.candidate);
  for (const testcaseId of testcaseIds)
    yield {
      testcaseId,
      baseline: valueInBaseline(testcaseId),
      candidate: valueInCandidate(testcaseId),
    };
}

function readerOf(
  { places, columns }: RunValues,
  { metricVersionId }: MetricVersionOutline,
): (testcaseId: string) => RunValue | undefined {
  const { values, records, recordIds } = columns.get(metricVersionId)!;
  return (testcaseId) => {
    const place = places.get(testcaseId);
    if (place === undefined || Number.isNaN(values[place])) return undefined;
    return { value: values[place]!, records: records[place]!, recordId: recordIds[place]! };
  };
}
