import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RepeatSummary } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { finalValue, type Rating, ratingsOf } from '@assay/evaluators/ratings';
import { annotatorAgreement } from './annotator-agreement.ts';
import { calibrateSummary } from './calibrated-summary.ts';
import type { Dependencies } from './dependencies.ts';
import type { MetricStatistics } from './metric-statistics.ts';
import { findRun } from './runs.ts';
import { isSystemMetric, systemMetricOf } from './system-metrics.ts';

export type Summaries = ReturnType<typeof createSummaries>;

export function createSummaries({
  runRecords,
  summarize,
}: Pick<Dependencies, 'runRecords' | 'summarize'>) {
  /**
   * Reads the run's records once: a value per record and metric version with its testcase, and the
   * ratings of records that several people scored.
   */
  async function gather(
    identity: Identity,
    run: RunOutline,
    metrics: readonly MetricVersionOutline[],
  ) {
    const numbering = createNumbering();
    const gathered = new Map(
      metrics.map((metric) => [
        metric.metricVersionId,
        {
          metric,
          values: [] as number[],
          testcases: [] as number[],
          failed: 0,
          rated: [] as Rating[][],
        },
      ]),
    );
    for await (const record of runRecords.streamRatings(identity, {
      runId: run.id,
      withVotes: false,
      withMetrics: metrics.some(isSystemMetric),
    })) {
      const testcase = numbering.numberOf(record.testcaseId);
      for (const [metricVersionId, ratings] of ratingsOf(record.ratings)) {
        const entry = gathered.get(metricVersionId);
        if (!entry) continue;
        const value = finalValue(ratings, {
          metricVersionId,
          outputType: entry.metric.outputType,
          awaited: record.awaited,
        });
        if (value !== undefined) {
          entry.values.push(Number(value));
          entry.testcases.push(testcase);
        }
        if (ratings.length > 1) entry.rated.push(ratings);
      }
      // A metric version that joined the run since the run was read is in no summary yet.
      for (const metricVersionId of record.failed) {
        const entry = gathered.get(metricVersionId);
        if (entry) entry.failed++;
      }
    }
    return { metrics: [...gathered.values()], testcaseIds: numbering.ids };
  }

  async function summaryOf(
    identity: Identity,
    run: RunOutline,
    wanted: readonly MetricVersionOutline[] = run.metrics,
  ) {
    const gathered = await gather(identity, run, wanted);
    const metrics = await Promise.all(
      gathered.metrics.map(async ({ metric, values, testcases, failed, rated }) => {
        const { metricId, metricVersionId, name, evalType, outputType, passingThreshold } = metric;
        const { repeats, ...statistics } = await summarize({
          outputType,
          passingThreshold,
          ...(isSystemMetric(metric) ? { isMeasured: true } : {}),
          values: Float64Array.from(values),
          ...(isRepeated(testcases, gathered.testcaseIds.length)
            ? { testcases: Int32Array.from(testcases) }
            : {}),
        });
        const agreement =
          metric.annotators > 1 ? { agreement: annotatorAgreement(outputType, rated) } : {};
        return {
          metricId,
          metricVersionId,
          name,
          evalType,
          outputType,
          passingThreshold,
          ...(isSystemMetric(metric) ? { lowerIsBetter: true as const } : {}),
          failed,
          ...statistics,
          ...(repeats ? { repeats: named(repeats, gathered.testcaseIds) } : {}),
          ...agreement,
        };
      }),
    );
    return { runId: run.id, metrics };
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
      }: { calibrateWith?: string | undefined; metricIds?: string[] | undefined } = {},
    ) {
      const run = await findRun(runRecords, identity, runId);
      if (!run) throw notFound('run', runId);
      const wanted = metricIds ? namedMetrics(run, metricIds) : run.metrics;
      if (calibrateWith === undefined) return summaryOf(identity, run, wanted);
      const calibrated = await calibrateSummary(runRecords, identity, { run, calibrateWith });
      const summary = await summaryOf(identity, run, wanted);
      const metrics = summary.metrics.map((metric) => {
        const calibration = calibrated.get(metric.metricVersionId);
        return { ...metric, ...(calibration && { calibrated: calibration }) };
      });
      return { ...summary, metrics };
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

/** Numbers testcases; a record without one gets a number of its own. */
function createNumbering() {
  const numbers = new Map<string, number>();
  const ids: (string | null)[] = [];
  return {
    /** The testcase of each number. */
    ids,
    numberOf(testcaseId: string | null): number {
      const known = testcaseId === null ? undefined : numbers.get(testcaseId);
      if (known !== undefined) return known;
      if (testcaseId !== null) numbers.set(testcaseId, ids.length);
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
