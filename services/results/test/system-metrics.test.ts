import { payloads, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const setting = useRunRecords();
const { newMetric, newRun, newTestset, request } = setting;

interface Took {
  latencyMs?: number;
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: number;
}

/** Two runs of one testset, whose records took so much. */
async function measuredRuns(baseline: Took[], candidate: Took[], metricIds: string[] = []) {
  const { testset, testcaseIds } = await newTestset(Math.max(baseline.length, candidate.length));
  const runs = [];
  for (const took of [baseline, candidate]) {
    const run = await newRun({ testsetId: testset, metricIds });
    const lines = took.map((metrics, index) =>
      JSON.stringify({ ...payloads, testcaseId: testcaseIds[index], metrics }),
    );
    await request('POST', `/runs/${run.id}/records/bulk`, undefined, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    runs.push(run.id as string);
  }
  const [baselineRunId, candidateRunId] = runs as [string, string];
  return { baselineRunId, candidateRunId };
}

const took = (count: number, latencyMs: (index: number) => number): Took[] =>
  Array.from({ length: count }, (_, index) => ({ latencyMs: latencyMs(index) }));
const compare = async (body: object) => (await request('POST', '/comparisons', body)).body;

describe('what answers took', () => {
  test('is better where it is less: a faster candidate is better, and its interval lies below 0', async () => {
    const runs = await measuredRuns(
      took(30, (index) => 900 + 10 * (index % 7)),
      took(30, (index) => 700 + 10 * (index % 5)),
    );
    const metricIds = ['latency'];
    const [latency] = (await compare({ ...runs, metricIds })).metrics;
    expect(latency).toMatchObject({
      metricId: 'latency',
      name: 'Latency in ms',
      outputType: 'float',
      lowerIsBetter: true,
      paired: 30,
      improved: 30,
      regressed: 0,
      verdict: 'better',
      anytimeVerdict: 'better',
      groups: { improved: 30, regressed: 0, bothPass: 0, bothFail: 0 },
    });
    expect(latency.difference).toBeLessThan(-190);
    expect(latency.confidenceInterval.low).toBeLessThan(-200);
    expect(latency.confidenceInterval.high).toBeLessThan(-150);
    const swapped = {
      baselineRunId: runs.candidateRunId,
      candidateRunId: runs.baselineRunId,
      metricIds,
    };
    const [slower] = (await compare(swapped)).metrics;
    expect(slower).toMatchObject({ verdict: 'worse', regressed: 30, improved: 0 });
    expect(slower.confidenceInterval.low).toBeGreaterThan(150);
    const query = new URLSearchParams({
      ...swapped,
      metricIds: '',
      metricId: 'latency',
      limit: '1',
    });
    query.delete('metricIds');
    const flips = (await request('GET', `/comparisons/flips?${query}`)).body;
    expect(flips.data[0].direction).toBe('regressed');
    const pairs = await request('GET', `/comparisons/pairs?${query}&show=regressed`);
    expect(pairs.body.data[0].candidateValue).toBeGreaterThan(800);
  });

  test('is compared only where it is asked for, beside the metrics of the runs', async () => {
    const metricId = await newMetric({ evalType: 'human', outputType: 'boolean' });
    const runs = await measuredRuns(
      took(3, () => 1),
      took(3, () => 2),
      [metricId],
    );
    const idsOf = ({ metrics }: { metrics: { metricId: string }[] }) =>
      metrics.map((metric) => metric.metricId);
    expect(idsOf(await compare(runs))).toEqual([metricId]);
    const both = await compare({ ...runs, metricIds: [metricId, 'cost', 'latency'] });
    expect(idsOf(both)).toEqual([metricId, 'cost', 'latency']);
    expect(both.metrics[1]).toMatchObject({ paired: 0, verdict: 'undecided', pValue: null });
    const wrong = await compare({ ...runs, metricIds: ['speed'] });
    expect(wrong.details.issues[0].path).toBe('/metricIds/0');
  });

  test('has no interval where all values are equal, since nothing bounds the others', async () => {
    const runs = await measuredRuns(
      took(20, () => 500),
      took(20, () => 500),
    );
    const [latency] = (await compare({ ...runs, metricIds: ['latency'] })).metrics;
    expect(latency).toMatchObject({
      difference: 0,
      confidenceInterval: null,
      verdict: 'undecided',
      unchanged: 20,
    });
    const query = 'metricIds=latency';
    const { metrics } = (await request('GET', `/runs/${runs.candidateRunId}/summary?${query}`))
      .body;
    expect(metrics[0]).toMatchObject({
      mean: 500,
      confidenceInterval: null,
      distribution: [{ low: 500, high: 500, count: 20 }],
    });
  });

  test('is summarized by its own values, from the least to the largest', async () => {
    const metricId = await newMetric({ evalType: 'human', outputType: 'boolean' });
    const records = Array.from({ length: 11 }, (_, index) => ({
      latencyMs: 1000 + 100 * index,
      inputTokens: 400,
      outputTokens: index,
      costUsd: index / 1e6,
    }));
    const { candidateRunId: runId } = await measuredRuns([], records, [metricId]);
    const path = `/runs/${runId}/summary`;
    expect((await request('GET', path)).body.metrics).toHaveLength(1);
    const all = (
      await request('GET', `${path}?metricIds=latency&metricIds=cost&metricIds=${metricId}`)
    ).body.metrics;
    expect(all.map(({ metricId }: { metricId: string }) => metricId)).toEqual([
      'latency',
      'cost',
      metricId,
    ]);
    const [latency, cost] = all;
    expect(latency).toMatchObject({ count: 11, mean: 1500, passRate: null, lowerIsBetter: true });
    expect(latency.distribution).toHaveLength(10);
    expect(latency.distribution[0]).toEqual({ low: 1000, high: 1100, count: 1 });
    expect(latency.distribution[9]).toEqual({ low: 1900, high: 2000, count: 2 });
    expect(latency.confidenceInterval.low).toBeGreaterThan(1200);
    expect(latency.confidenceInterval.high).toBeLessThan(1800);
    expect(cost.mean).toBeCloseTo(5e-6, 12);
    const refused = await request('GET', `${path}?metricIds=speed`);
    expect(refused.body.details.issues[0].path).toBe('?metricIds');
    const { items } = (
      await request('POST', '/run-summaries', {
        runIds: [runId],
        metricIds: ['output_tokens', metricId],
      })
    ).body;
    expect(items[0].metrics.map(({ mean }: { mean: number }) => mean)).toEqual([null, 5]);
  });

  test('is planned for in its own unit, from a pilot and from figures', async () => {
    const runs = await measuredRuns(
      took(40, (index) => 900 + 37 * (index % 11)),
      took(40, (index) => 900 + 37 * (index % 7)),
    );
    const plan = async (body: object) =>
      (await request('POST', '/plans', { metricId: 'latency', difference: 50, ...body })).body;
    const pilot = await plan({
      pilotRunId: runs.candidateRunId,
      pilotBaselineRunId: runs.baselineRunId,
    });
    expect(pilot).toMatchObject({ name: 'Latency in ms', costUsd: 0 });
    expect(pilot.testcases).toBeGreaterThan(10);
    expect(pilot.testcases).toBeLessThan(1000);
    expect(pilot.withThisTestset.detectableDifference).toBeGreaterThan(10);
    expect((await plan({ standardDeviation: 100 })).testcases).toBe(34);
    const metricId = await newMetric({ evalType: 'human', outputType: 'int' });
    const tooFar = await plan({ metricId, standardDeviation: 1 });
    expect(tooFar.details.issues[0].path).toBe('/difference');
  });

  test('of several records of a testcase counts with their mean', async () => {
    const { testset, testcaseIds } = await newTestset(1);
    const run = await newRun({ testsetId: testset });
    for (const latencyMs of [100, 300])
      await setting.newRecord(run.id, { testcaseId: testcaseIds[0], metrics: { latencyMs } });
    const { metrics } = (await request('GET', `/runs/${run.id}/summary?metricIds=latency`)).body;
    expect(metrics[0]).toMatchObject({ count: 1, records: 2, mean: 200 });
  });
});
