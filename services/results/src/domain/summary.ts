import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type {
  ErrorsCounting,
  MetricSummary,
  RepeatSummary,
  RunBreakdown,
} from '@assay/contracts/results';
import type { RatedRecord, RunOutline } from '@assay/contracts/run-records';
import { passes, statedScale, thresholdOf, worstOf } from '@assay/contracts/scale';
import { finalValue, type Rating, ratingsOf } from '@assay/evaluators/ratings';
import { annotatorAgreement } from './annotator-agreement.ts';
import { isBrokenDownByRunsAlone } from './breakdown/buckets.ts';
import { breakDownRun } from './breakdown/run-breakdown.ts';
import { calibrateSummary } from './calibrated-summary.ts';
import type { Dependencies } from './dependencies.ts';
import { countError, errorWarnings, noErrors, warningsOfMetric } from './error-counts.ts';
import { errorsMetric } from './errors-metric.ts';
import type { KeptResults } from './kept-results.ts';
import type { MetricStatistics } from './metric-statistics.ts';
import { createPassTally } from './pass-bounds.ts';
import { openRatings } from './rated-records.ts';
import { findRun } from './runs.ts';
import { systemMetricOf } from './system-metrics.ts';
import {
  type Absence,
  absenceOf,
  absentRecords,
  expectationOf,
  unknownKindOf,
} from './unknown-scores.ts';

export type Summaries = ReturnType<typeof createSummaries>;

export function createSummaries({
  runRecords,
  ask,
  summarize,
  inTurn,
  keptResults,
}: Pick<Dependencies, 'runRecords' | 'ask' | 'summarize' | 'inTurn'> & {
  keptResults: KeptResults;
}) {
  /**
   * Reads the run's records once: a value per record and metric version with its testcase, and the
   * ratings of records that several people scored.
   */
  async function gather(
    identity: Identity,
    run: RunOutline,
    { metrics, errors }: { metrics: readonly MetricVersionOutline[]; errors: ErrorsCounting },
  ) {
    const numbering = createNumbering();
    const gathered = new Map(
      [...metrics, errorsMetric].map((metric) => [metric.metricVersionId, newEntry(metric)]),
    );
    const counts = noErrors();
    const { records, counting } = await openRatings(runRecords, identity, {
      run,
      metrics,
      errors,
    });
    for await (const record of records) {
      const testcase = numbering.numberOf(record.testcaseId);
      countError(counts, record);
      const rated = ratingsOf(record.ratings);
      for (const [metricVersionId, entry] of gathered) {
        const { metric } = entry;
        const ratings = rated.get(metricVersionId) ?? [];
        const value = finalValue(ratings, {
          metricVersionId,
          outputType: metric.outputType,
          awaited: record.awaited,
        });
        if (value !== undefined) {
          entry.values.push(Number(value));
          entry.testcases.push(testcase);
        }
        if (ratings.length > 1) entry.rated.push(ratings);
        const unknown = value === undefined && unknownKindOf(record, metric, run);
        if (unknown === 'missing') entry.missing++;
        const outcome = outcomeOf({ record, metric, value, isUnknown: Boolean(unknown) });
        if (outcome) entry.tally.add(testcase, outcome);
      }
      // A metric version that joined the run since the run was read is in no summary yet.
      const { failed, invalid = [], notApplicable = [], error } = record;
      for (const id of failed) count(gathered.get(id), 'failed');
      for (const id of invalid) count(gathered.get(id), 'invalid');
      for (const id of notApplicable) count(gathered.get(id), 'notApplicable');
      for (const id of error?.versions ?? []) count(gathered.get(id), 'errored');
    }
    const { recordCounts, ids: testcaseIds } = numbering;
    const absence = absenceOf(expectationOf(run), recordCounts);
    return { gathered, testcaseIds, counts, counting, absence };
  }

  async function metricOf(
    entry: Entry,
    { testcaseIds, absence, numRecords, minPasses }: SummarizedRun,
  ): Promise<MetricSummary> {
    const { metric, values, testcases, failed, errored, invalid, notApplicable, rated } = entry;
    const { metricId, metricVersionId, name, evalType, outputType, passingThreshold } = metric;
    const { repeats, ...statistics } = await summarize({
      outputType,
      passingThreshold,
      ...statedScale(metric),
      values: Float64Array.from(values),
      ...(isRepeated(testcases, testcaseIds.length)
        ? { testcases: Int32Array.from(testcases) }
        : {}),
    });
    return {
      metricId,
      metricVersionId,
      name,
      evalType,
      outputType,
      passingThreshold,
      ...statedScale(metric),
      failed,
      errored,
      invalid,
      notApplicable,
      expected: numRecords + absentRecords(absence),
      missing: entry.missing + absentRecords(absence),
      passBounds: thresholdOf(metric) !== null ? entry.tally.bounds({ absence, minPasses }) : null,
      ...statistics,
      ...(repeats ? { repeats: named(repeats, testcaseIds) } : {}),
      ...(metric.annotators > 1 ? { agreement: annotatorAgreement(outputType, rated) } : {}),
      ...warningsOfMetric(metric, { errored, invalid }),
    };
  }

  async function summaryOf(
    identity: Identity,
    run: RunOutline,
    {
      metrics = run.metrics,
      errors = 'worst',
      minPasses = 0,
    }: {
      metrics?: readonly MetricVersionOutline[];
      errors?: ErrorsCounting;
      minPasses?: number;
    } = {},
  ) {
    const { gathered, testcaseIds, counts, counting, absence } = await gather(identity, run, {
      metrics,
      errors,
    });
    const summarized = { testcaseIds, absence, numRecords: counts.of, minPasses };
    const ofErrors = gathered.get(errorsMetric.metricVersionId)!;
    gathered.delete(errorsMetric.metricVersionId);
    const [summaries, ofSystem] = await Promise.all([
      Promise.all([...gathered.values()].map((entry) => metricOf(entry, summarized))),
      metricOf(ofErrors, summarized),
    ]);
    const warnings = errorWarnings(counts, {
      errors,
      uncounted: metrics.filter(
        (metric) =>
          gathered.get(metric.metricVersionId)!.errored > 0 &&
          worstOf(metric) !== undefined &&
          !counting.includes(metric),
      ),
    });
    return {
      runId: run.id,
      metrics: summaries,
      errors: withoutIds(ofSystem),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }

  /** The breakdown is kept as the summary is, where nothing else has a part in it. */
  function breakdownOf(
    identity: Identity,
    run: RunOutline,
    {
      metricIds,
      ...request
    }: {
      breakdownBy: string;
      metrics: readonly MetricVersionOutline[];
      metricIds: string[] | undefined;
      errors: ErrorsCounting;
    },
  ): Promise<RunBreakdown> {
    const work = () =>
      inTurn(() => breakDownRun({ runRecords, ask, summarize }, identity, { run, ...request }));
    const { breakdownBy, errors } = request;
    const options = { metricIds, errors, breakdownBy };
    return isBrokenDownByRunsAlone(breakdownBy)
      ? keptResults.of(identity, { kind: 'breakdown', runs: [run], options }, work)
      : work();
  }

  return {
    summaryOf,
    /** With `calibrateWith`, the run's judges are corrected by people's scores. */
    async summary(
      identity: Identity,
      runId: string,
      {
        calibrateWith,
        metricIds,
        breakdownBy,
        errors = 'worst',
        minPasses = 0,
      }: {
        calibrateWith?: string | undefined;
        breakdownBy?: string | undefined;
        metricIds?: string[] | undefined;
        errors?: ErrorsCounting;
        minPasses?: number;
      } = {},
    ) {
      const run = await findRun(runRecords, identity, runId);
      if (!run) throw notFound('run', runId);
      const wanted = metricIds ? namedMetrics(run, metricIds) : run.metrics;
      const summary = await keptResults.of(
        identity,
        { kind: 'summary', runs: [run], options: { metricIds, errors, minPasses } },
        () => inTurn(() => summaryOf(identity, run, { metrics: wanted, errors, minPasses })),
      );
      const broken =
        breakdownBy === undefined
          ? {}
          : {
              breakdown: await breakdownOf(identity, run, {
                breakdownBy,
                metrics: wanted,
                metricIds,
                errors,
              }),
            };
      if (calibrateWith === undefined) return { ...summary, ...broken };
      const calibrated = await inTurn(() =>
        calibrateSummary(runRecords, identity, { run, calibrateWith, errors }),
      );
      const metrics = summary.metrics.map((metric) => {
        const calibration = calibrated.get(metric.metricVersionId);
        return { ...metric, ...(calibration && { calibrated: calibration }) };
      });
      return { ...summary, metrics, ...broken };
    },
  };
}

/**
 * The metrics of these ids: all versions of a run's own, and those of its records themselves.
 * @throws VALIDATION_ERROR where the run has no such metric.
 */
function namedMetrics({ metrics }: RunOutline, metricIds: string[]): MetricVersionOutline[] {
  return [...new Set(metricIds)].flatMap((metricId) => {
    const measured = systemMetricOf(metricId);
    const found = measured ? [measured] : metrics.filter((each) => each.metricId === metricId);
    if (found.length === 0) throw invalidAt('?metricIds', 'is not a metric of the run');
    return found;
  });
}

/** The facts of a run on which the summary of each metric depends. */
interface SummarizedRun {
  testcaseIds: readonly (string | null)[];
  absence: Absence;
  numRecords: number;
  minPasses: number;
}

/**
 * How a record came out by a metric; undefined where the metric does not apply. An error does not
 * pass, also where no value is counted for it.
 */
function outcomeOf({
  record: { error },
  metric,
  value,
  isUnknown,
}: {
  record: RatedRecord;
  metric: MetricVersionOutline;
  value: boolean | number | undefined;
  isUnknown: boolean;
}): 'passed' | 'failed' | 'unknown' | undefined {
  if (isUnknown) return 'unknown';
  if (value === undefined) return error ? 'failed' : undefined;
  return passes(metric, value) ? 'passed' : 'failed';
}

/** The values of one metric in a run, and the states of the records that have none. */
interface Entry {
  metric: MetricVersionOutline;
  values: number[];
  testcases: number[];
  failed: number;
  errored: number;
  invalid: number;
  notApplicable: number;
  /** Records that there are without a score, which is still to come. */
  missing: number;
  tally: ReturnType<typeof createPassTally>;
  rated: Rating[][];
}

const newEntry = (metric: MetricVersionOutline): Entry => ({
  metric,
  values: [],
  testcases: [],
  failed: 0,
  errored: 0,
  invalid: 0,
  notApplicable: 0,
  missing: 0,
  tally: createPassTally(),
  rated: [],
});

function count(
  entry: Entry | undefined,
  state: 'failed' | 'errored' | 'invalid' | 'notApplicable',
): void {
  if (entry) entry[state]++;
}

/** The errors metric is none of the run: it has no ids, and no repeats are told of it. */
function withoutIds({
  metricId: _metricId,
  metricVersionId: _metricVersionId,
  repeats: _repeats,
  passBounds: _passBounds,
  ...errors
}: MetricSummary) {
  return errors;
}

/** Numbers testcases; a record without one gets a number of its own. */
function createNumbering() {
  const numbers = new Map<string, number>();
  const ids: (string | null)[] = [];
  /** The records of each testcase; of a record without one, as many as any testcase can have. */
  const recordCounts: number[] = [];
  return {
    /** The testcase of each number. */
    ids,
    recordCounts,
    numberOf(testcaseId: string | null): number {
      const known = testcaseId === null ? undefined : numbers.get(testcaseId);
      if (known !== undefined) {
        recordCounts[known]!++;
        return known;
      }
      if (testcaseId !== null) numbers.set(testcaseId, ids.length);
      recordCounts.push(testcaseId === null ? Infinity : 1);
      return ids.push(testcaseId) - 1;
    },
  };
}

/** True if a number below `count` is there twice. */
function isRepeated(numbers: readonly number[], count: number): boolean {
  const seen = new Uint8Array(count);
  for (const number of numbers) {
    if (seen[number] === 1) return true;
    seen[number] = 1;
  }
  return false;
}

/** With the ids of the testcases in place of their numbers. */
const named = (
  { flaky, ...repeats }: NonNullable<MetricStatistics['repeats']>,
  testcaseIds: readonly (string | null)[],
): RepeatSummary => ({
  ...repeats,
  flaky: {
    count: flaky.count,
    testcases: flaky.testcases.map(({ testcase, ...figures }) => ({
      testcaseId: testcaseIds[testcase]!,
      ...figures,
    })),
  },
});
