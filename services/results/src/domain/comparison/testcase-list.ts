import type { Identity } from '@assay/contracts/define';
import { type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import type { ErrorsCounting, Repeats, TestcaseOrder } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { standardDeviation } from '@assay/statistics/describe';
import type { Dependencies } from '../dependencies.ts';
import { type ListedRecord, readListed, shownValue } from './listed-records.ts';
import { isPassing } from './pair-groups.ts';
import { checkComparable, comparedMetric } from './sides.ts';
import { createStretches, descendingKey, type Order, stretchOf } from './stretches.ts';
import { gatherRun } from './values.ts';

/** Places that are kept of one list: each has the values of up to eight runs. */
const placesMax = 5000;

export interface WantedTestcases {
  baselineRunId: string;
  candidateRunIds: string[];
  metricId: string;
  order: TestcaseOrder;
  passingRunIds?: string[] | undefined;
  failingRunIds?: string[] | undefined;
  repeats: Repeats;
  errors: ErrorsCounting;
  previews: PreviewRequest | undefined;
  page: PageRequest;
}

/** A run, and the version of the metric by which its values are shown. */
interface ComparedRun {
  run: RunOutline;
  metric: MetricVersionOutline;
}

/** The value of a testcase in one run. */
interface RunValue {
  value: number;
  records: number;
  recordId: string;
}

/** A testcase with its value in each run, in their order. */
interface TestcaseOfRuns {
  testcaseId: string;
  runs: (RunValue | undefined)[];
  disagreement: number | null;
  /** Runs in which it does not pass. */
  failures: number;
}

export interface ComparedTestcase {
  testcaseId: string;
  disagreement: number | null;
  runs: {
    value: boolean | number | null;
    passes: boolean | null;
    record: ListedRecord | null;
    numRecords: number;
  }[];
}

/** Testcases of several runs, with the value and the record of each. */
export function createTestcaseList({ runRecords }: Pick<Dependencies, 'runRecords'>) {
  const stretches = createStretches<TestcaseOfRuns>();

  async function placesAfter(
    identity: Identity,
    compared: ComparedRun[],
    { order, passingRunIds = [], failingRunIds = [], repeats, errors, page }: WantedTestcases,
  ) {
    const of = JSON.stringify([
      identity.organizationId,
      compared.map(({ run, metric }) => [run.id, run.changes, metric.metricVersionId]),
      [order, passingRunIds, failingRunIds, repeats, errors],
    ]);
    return stretches(of, page.after, async () => {
      const testcases = await gatherTestcases(runRecords, identity, { compared, repeats, errors });
      return stretchOf(testcases, {
        isShown: hasOutcomes(compared, { passingRunIds, failingRunIds }),
        order: orders[order],
        after: page.after,
        most: placesMax,
      });
    });
  }

  return {
    async testcases(identity: Identity, wanted: WantedTestcases): Promise<Page<ComparedTestcase>> {
      const compared = await findRuns(runRecords, identity, wanted);
      const { limit, after } = wanted.page;
      const { places, isLast } = await placesAfter(identity, compared, wanted);
      const from = after === undefined ? 0 : places.findIndex(({ key }) => key > after);
      const page = from === -1 ? [] : places.slice(from, from + limit);
      const { items, read } = await readListed(runRecords, identity, {
        places: page,
        previews: wanted.previews,
        recordsOf: ({ runs }) =>
          runs.flatMap((value, place) =>
            value ? [{ runId: compared[place]!.run.id, recordId: value.recordId }] : [],
          ),
        toItem: (place, records) => toItem(place, { compared, records }),
      });
      const last = page[read - 1];
      const hasMore = last !== undefined && (!isLast || last !== places.at(-1));
      return { items, next: hasMore ? last.key : null };
    },
  };
}

/**
 * The runs of a request, each with the newest version of the metric that all have, or else its own.
 * @throws VALIDATION_ERROR where one is not there, is named twice, is of another testset, or has no
 * such metric.
 */
async function findRuns(
  { readRuns }: Pick<Dependencies['runRecords'], 'readRuns'>,
  identity: Identity,
  {
    baselineRunId,
    candidateRunIds,
    metricId,
    passingRunIds = [],
    failingRunIds = [],
  }: WantedTestcases,
): Promise<ComparedRun[]> {
  const runIds = [baselineRunId, ...candidateRunIds];
  const { runs } = await readRuns(identity, { runIds });
  const first = runs.find(({ id }) => id === runIds[0]);
  const issues = runIds.flatMap((runId, place): Issue[] => {
    const path = place === 0 ? '?baselineRunId' : `?candidateRunIds/${place - 1}`;
    const refused = (message: string) => [{ path, message }];
    const run = runs.find(({ id }) => id === runId);
    if (!run) return refused('does not belong to this organization');
    if (runIds.indexOf(runId) < place) return refused('is named twice');
    if (first && run.projectId !== first.projectId)
      return refused("is a run of another project than the baseline's");
    if (first && run.testsetId !== first.testsetId)
      return refused("is a run of another testset than the baseline's");
    return [];
  });
  for (const [name, filtered] of Object.entries({ passingRunIds, failingRunIds }))
    if (filtered.some((runId) => !runIds.includes(runId)))
      issues.push({ path: `?${name}`, message: 'names a run that is not compared' });
  if (issues.length > 0) throw invalid(issues);
  const named = runIds.map((runId) => runs.find(({ id }) => id === runId)!);
  const shared = named[0]!.metrics.findLast(
    (metric) =>
      metric.metricId === metricId &&
      named.every(({ metrics }) =>
        metrics.some(({ metricVersionId }) => metricVersionId === metric.metricVersionId),
      ),
  );
  return named.map((run) => {
    const own = comparedMetric({ baseline: named[0]!, candidate: run }, metricId);
    if (!own) throw invalidAt('?metricId', 'is not a metric of all of the runs');
    const newest = {
      baseline: newestOf(named[0]!, own.baseline),
      candidate: newestOf(run, own.candidate),
    };
    const metric = shared ?? newest.candidate;
    if (!shared) checkComparable(newest, '?metricId');
    return { run, metric };
  });
}

/** The newest version of a metric in a run; that of records themselves has one alone. */
const newestOf = ({ metrics }: RunOutline, metric: MetricVersionOutline): MetricVersionOutline =>
  metrics.findLast(({ metricId }) => metricId === metric.metricId) ?? metric;

/** The testcases that any of the runs has a value of, in the order of their ids. */
async function gatherTestcases(
  runRecords: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  {
    compared,
    repeats,
    errors,
  }: { compared: ComparedRun[] } & Pick<WantedTestcases, 'repeats' | 'errors'>,
): Promise<Iterable<TestcaseOfRuns>> {
  const found = new Map<string, (RunValue | undefined)[]>();
  // One after the other: of a run that was read only its values are kept.
  for (const [number, { run, metric }] of compared.entries()) {
    const { places, columns } = await gatherRun(runRecords, identity, {
      run,
      metrics: [metric],
      repeats,
      errors,
    });
    const { values, records, recordIds } = columns.get(metric.metricVersionId)!;
    for (const [testcaseId, place] of places) {
      if (Number.isNaN(values[place])) continue;
      const runs = found.get(testcaseId) ?? new Array<undefined>(compared.length).fill(undefined);
      runs[number] = {
        value: values[place]!,
        records: records[place]!,
        recordId: recordIds[place]!,
      };
      found.set(testcaseId, runs);
    }
  }
  return [...found.keys()].sort().map((testcaseId) => {
    const runs = found.get(testcaseId)!;
    return {
      testcaseId,
      runs,
      disagreement: disagreementOf(runs),
      failures: failuresIn(runs, compared),
    };
  });
}

const disagreementOf = (runs: (RunValue | undefined)[]): number | null =>
  standardDeviation(Float64Array.from(runs.flatMap((run) => (run ? [run.value] : []))));

const failuresIn = (runs: (RunValue | undefined)[], compared: ComparedRun[]): number =>
  runs.filter((run, place) => run && isPassing(compared[place]!.metric, run.value) === false)
    .length;

const orders: Record<TestcaseOrder, Order<TestcaseOfRuns>> = {
  disagreement: {
    // Where runs have no value, nobody knows whether they agree: last.
    keyOf: ({ testcaseId, disagreement }) =>
      `${disagreement === null ? '~' : descendingKey(disagreement)} ${testcaseId}`,
    isById: false,
  },
  failures: {
    keyOf: ({ testcaseId, failures }) => `${descendingKey(failures)} ${testcaseId}`,
    isById: false,
  },
  oldest: { keyOf: ({ testcaseId }) => testcaseId, isById: true },
};

/** Whether a testcase passes, and fails, in the runs in which it is to. */
function hasOutcomes(
  compared: ComparedRun[],
  { passingRunIds, failingRunIds }: { passingRunIds: string[]; failingRunIds: string[] },
): (testcase: TestcaseOfRuns) => boolean {
  const wanted = compared.flatMap(({ run, metric }, place) => [
    ...(passingRunIds.includes(run.id) ? [{ metric, place, isPass: true }] : []),
    ...(failingRunIds.includes(run.id) ? [{ metric, place, isPass: false }] : []),
  ]);
  return ({ runs }) =>
    wanted.every(({ metric, place, isPass }) => {
      const value = runs[place]?.value;
      return value !== undefined && isPassing(metric, value) === isPass;
    });
}

const toItem = (
  { testcaseId, disagreement, runs }: TestcaseOfRuns,
  { compared, records }: { compared: ComparedRun[]; records: Map<string, ListedRecord> },
): ComparedTestcase => ({
  testcaseId,
  disagreement,
  runs: runs.map((of, place) => {
    const { metric } = compared[place]!;
    return {
      value: shownValue(of?.value, metric.outputType),
      passes: of ? isPassing(metric, of.value) : null,
      record: (of && records.get(of.recordId)) ?? null,
      numRecords: of?.records ?? 0,
    };
  }),
});
