import type { Repeats } from '@assay/contracts/results';
import { ratingsOf } from '@assay/evaluators/ratings';
import type { JudgedTestcase } from './calibration.ts';
import type { ReadRecord } from './filled-records.ts';
import { humanValue, judgementsOf, judgeValue, type Raters, type Value } from './judged-values.ts';

/** Whose values of a run's records are gathered, and the number that each value stands for. */
export interface JudgedMetric extends Raters {
  numberOf: (value: Value) => number;
}

/** The mean of some values, or the latest of them. */
interface Values {
  sum: number;
  count: number;
  latest: number;
}

interface TestcaseValues {
  judged: Values;
  labels: Values;
  isErrored: boolean;
}

/**
 * The values of a run's testcases by the judge of each metric, and by people. Each
 * is the mean of its records, for people of those that they scored, or that of the latest. A record
 * without a testcase stands for itself, under its own id. Reads the run's records once, with votes.
 */
export async function gatherJudged(
  records: AsyncIterable<ReadRecord>,
  metrics: readonly JudgedMetric[],
  repeats: Repeats,
): Promise<JudgedTestcase[][]> {
  const gathered = metrics.map((metric) => ({
    metric,
    testcases: new Map<string, TestcaseValues>(),
  }));
  for await (const record of records) {
    const ratings = ratingsOf(record.ratings);
    for (const { metric, testcases } of gathered) {
      const judgements = judgementsOf(record, metric.judge.metricVersionId);
      const judged = judgeValue(judgements, ratings, metric.judge);
      if (judged === undefined) continue;
      const testcaseId = record.testcaseId ?? record.id;
      const values = testcases.get(testcaseId) ?? newValues();
      testcases.set(testcaseId, values);
      addValue(values.judged, metric.numberOf(judged));
      if (record.error || record.filled?.includes(metric.judge.metricVersionId)) {
        values.isErrored = true;
        continue;
      }
      const label = humanValue(record, ratings, metric);
      if (label !== undefined) addValue(values.labels, metric.numberOf(label));
    }
  }
  const result = ({ sum, count, latest }: Values): number =>
    repeats === 'latest' ? latest : sum / count;
  return gathered.map(({ testcases }) =>
    [...testcases].map(([testcaseId, { judged, labels, isErrored }]) => ({
      testcaseId,
      judged: result(judged),
      isErrored,
      label: labels.count === 0 ? undefined : result(labels),
    })),
  );
}

const newValues = (): TestcaseValues => ({
  judged: noValues(),
  labels: noValues(),
  isErrored: false,
});

const noValues = (): Values => ({ sum: 0, count: 0, latest: Number.NaN });

function addValue(values: Values, value: number): void {
  values.sum += value;
  values.count++;
  values.latest = value;
}
