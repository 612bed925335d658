import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { useJudgedRuns } from './judged-runs.ts';

const world = useRunRecords();
const { request, newMetric, newRun } = world;
const { newJudge, newJudgedRun, say, label } = useJudgedRuns(world);

const times = <Item>(count: number, item: Item): Item[] =>
  Array.from({ length: count }, () => item);

const reliabilityOf = (judge: string, query: string) =>
  request('GET', `/metrics/${judge}/reliability?${query}`);

describe("a judge's errors by run", () => {
  test('say of each run how much of what people pass and fail the judge finds, with intervals', async () => {
    const judge = await newJudge();
    const [first, second] = [
      await newJudgedRun({ judge, records: 20, name: 'Before' }),
      await newJudgedRun({ judge, records: 20 }),
    ];
    await say(first, [...times(10, true), ...times(10, false)]);
    await label(first, [...times(9, true), ...times(11, false)]);
    await say(second, times(20, true));
    await label(second, [...times(12, true), ...times(8, false)]);
    const { body } = await reliabilityOf(
      judge,
      `runId=${second.id}&compareWithRunId=${first.id}&compareWithRunId=${second.id}`,
    );
    expect(body.byRun).toMatchObject([
      {
        runId: second.id,
        name: null,
        labels: 20,
        sensitivity: { value: 1, labels: 12, confidenceInterval: { high: 1, level: 0.95 } },
        specificity: { value: 0, labels: 8, confidenceInterval: { low: 0 } },
        meanError: null,
      },
      {
        runId: first.id,
        name: 'Before',
        labels: 20,
        sensitivity: { value: 1, labels: 9 },
        specificity: { value: 10 / 11, labels: 11 },
      },
    ]);
    // statsmodels.stats.proportion.proportion_confint(12, 12, method='wilson')[0]
    expect(body.byRun[0].sensitivity.confidenceInterval.low).toBeCloseTo(0.7575, 4);
  });

  test('of numbers are the mean of judge − people, with an interval', async () => {
    const judge = await newJudge('int');
    const [first, second] = [
      await newJudgedRun({ judge, records: 8 }),
      await newJudgedRun({ judge, records: 8 }),
    ];
    await say(first, [5, 4, 4, 3, 5, 2, 4, 3]);
    await label(first, [4, 4, 3, 3, 4, 2, 3, 1]);
    await say(second, times(8, 4));
    const { byRun } = (
      await reliabilityOf(judge, `runId=${first.id}&compareWithRunId=${second.id}`)
    ).body;
    expect(byRun).toMatchObject([
      { labels: 8, sensitivity: null, specificity: null, meanError: { value: 0.75 } },
      { labels: 0, meanError: { value: null, confidenceInterval: null } },
    ]);
    const { low, high } = byRun[0].meanError.confidenceInterval;
    expect(low).toBeGreaterThan(-0.1);
    expect(low).toBeLessThan(0.75);
    expect(high).toBeCloseTo(1.5 - low, 10);
  });

  test('are counted by the scores of a human metric, in runs that have it', async () => {
    const judge = await newJudge();
    const people = await newMetric({ evalType: 'human', outputType: 'boolean' });
    const [first, second] = [
      await newJudgedRun({ judge, people, records: 2 }),
      await newJudgedRun({ judge, records: 2 }),
    ];
    await say(first, [true, true]);
    await say(second, [true, true]);
    await label(first, [true, false], first.metricVersionIds[1]);
    await label(second, [true, false]);
    const { byRun } = (
      await reliabilityOf(
        judge,
        `runId=${first.id}&humanMetricId=${people}&compareWithRunId=${second.id}`,
      )
    ).body;
    expect(byRun).toMatchObject([
      { labels: 2, sensitivity: { value: 1 }, specificity: { value: 0 } },
      { labels: 0, sensitivity: { value: null } },
    ]);
  });

  test('are told of up to ten runs of the project that have the metric', async () => {
    const judge = await newJudge();
    const run = await newJudgedRun({ judge, records: 0 });
    const other = await newRun();
    const issueOf = async (runIds: string[]) => {
      const { status, body } = await reliabilityOf(
        judge,
        [`runId=${run.id}`, ...runIds.map((id) => `compareWithRunId=${id}`)].join('&'),
      );
      return [status, body.details?.issues?.[0].path];
    };
    expect(await issueOf([missingId])).toEqual([400, '?compareWithRunId']);
    expect(await issueOf([run.id, other.id])).toEqual([400, '?compareWithRunId']);
    expect(await issueOf(times(10, run.id))).toEqual([400, '?compareWithRunId']);
    expect(await issueOf(times(9, run.id))).toEqual([200, undefined]);
  });
});
