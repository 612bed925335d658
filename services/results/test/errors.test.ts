import { payloads, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { create, request, newMetric, newRun, newTestset } = useRunRecords();

const boolean = { evalType: 'heuristic', outputType: 'boolean' };
const int = { evalType: 'heuristic', outputType: 'int' };
const down = { name: 'ConnectionError', message: 'model down' };

/** What a record's system did: answered, with these scores, or failed. */
type Answer = { scores: unknown[] } | { error: object };

const answered = (...scores: unknown[]): Answer => ({ scores });
const failed = (error: object = down): Answer => ({ error });
const times = (count: number, answer: Answer): Answer[] => Array(count).fill(answer);

/** Two runs over the same testcases, scored by clients. */
async function compared({
  metrics = [boolean],
  baseline,
  candidate,
}: {
  metrics?: object[];
  baseline: Answer[];
  candidate: Answer[];
}) {
  const { testset, testcaseIds } = await newTestset(baseline.length);
  const metricIds: string[] = [];
  for (const metric of metrics) metricIds.push(await newMetric({ builtin: undefined, ...metric }));
  const runIds: string[] = [];
  for (const answers of [baseline, candidate]) {
    const run = await newRun({ testsetId: testset, metricIds });
    const lines = answers.map((answer, index) => {
      const { outputs: _outputs, ...unanswered } = payloads;
      const record = { ...unanswered, testcaseId: testcaseIds[index] };
      if ('error' in answer) return { ...record, error: answer.error };
      const scores = answer.scores.flatMap((value, place) =>
        value === undefined ? [] : [{ metricId: metricIds[place], score: { value } }],
      );
      return { ...record, outputs: payloads.outputs, scores };
    });
    const reply = await request('POST', `/runs/${run.id}/records/bulk`, undefined, {
      raw: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    for (const line of reply.text.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ status: 201 });
    runIds.push(run.id);
  }
  const [baselineRunId, candidateRunId] = runIds as [string, string];
  return {
    metricIds,
    baselineRunId,
    candidateRunId,
    compare: (more: object = {}) =>
      create('/comparisons', { baselineRunId, candidateRunId, ...more }),
    summary: async (runId: string, query = '') =>
      (await request('GET', `/runs/${runId}/summary${query}`)).body,
  };
}

describe('a candidate that crashes on 38 of 40 testcases that the baseline answers rightly', () => {
  const crashing = () =>
    compared({
      baseline: times(40, answered(true)),
      candidate: [...times(38, failed()), ...times(2, answered(true))],
    });

  test('passes 5 % of them, not all of the two that it answered', async () => {
    const { summary, candidateRunId } = await crashing();
    const { metrics, errors, warnings } = await summary(candidateRunId);
    expect(metrics[0]).toMatchObject({ count: 40, errored: 38, failed: 0, passRate: 0.05 });
    expect(errors).toMatchObject({
      name: 'errors',
      lowerIsBetter: true,
      count: 40,
      mean: 0.95,
      confidenceInterval: { level: 0.95 },
    });
    expect(errors).not.toHaveProperty('metricId');
    expect(warnings).toEqual([
      {
        code: 'errors_counted',
        message:
          'The system failed on 38 of 40 records: ConnectionError (38). Each counts as the worst value.',
        details: { errored: 38, names: [{ name: 'ConnectionError', count: 38 }] },
      },
    ]);
    const listed = await create('/run-summaries', { runIds: [candidateRunId] });
    expect(listed.items[0]).toMatchObject({
      metrics: [{ passRate: 0.05, errored: 38 }],
      errors: { mean: 0.95 },
    });
  });

  test('is worse, in the metric and in errors, which no metric hides', async () => {
    const { compare } = await crashing();
    const { metrics, errors, warnings } = await compare();
    expect(metrics[0]).toMatchObject({
      verdict: 'worse',
      paired: 40,
      errored: { baseline: 0, candidate: 38 },
      candidateMean: 0.05,
      regressed: 38,
    });
    expect(errors).toMatchObject({
      name: 'errors',
      verdict: 'worse',
      lowerIsBetter: true,
      baselineMean: 0,
      candidateMean: 0.95,
      regressed: 38,
      errored: { baseline: 0, candidate: 38 },
      adjustedPValue: expect.any(Number),
    });
    expect(warnings).toMatchObject([
      {
        code: 'errors_counted',
        details: { baseline: 0, candidate: 38, names: [{ name: 'ConnectionError', count: 38 }] },
      },
    ]);
  });

  test('is compared on what it answered where errors are excluded, and is worse in errors', async () => {
    const { compare, summary, candidateRunId } = await crashing();
    const { metrics, errors, warnings } = await compare({ errors: 'exclude' });
    expect(metrics[0]).toMatchObject({ verdict: 'undecided', paired: 2, candidateMean: 1 });
    expect(errors).toMatchObject({ verdict: 'worse' });
    expect(warnings).toMatchObject([{ code: 'errors_excluded' }]);
    const listed = await create('/run-summaries', { runIds: [candidateRunId], errors: 'exclude' });
    expect(listed.items[0]).toMatchObject({
      metrics: [{ passRate: 1, count: 2, errored: 38 }],
      errors: { mean: 0.95, count: 40 },
    });
    const excluded = await summary(candidateRunId, '?errors=exclude');
    expect(excluded).toMatchObject({
      metrics: [{ count: 2, passRate: 1, errored: 38 }],
      warnings: [{ code: 'errors_excluded' }],
    });
  });

  test('shows its pairs with the worst value, and by the errors themselves', async () => {
    const { baselineRunId, candidateRunId, metricIds } = await crashing();
    const pairsOf = async (metricId: string) => {
      const query = `baselineRunId=${baselineRunId}&candidateRunId=${candidateRunId}&metricId=${metricId}`;
      const reply = await request('GET', `/comparisons/pairs?${query}&show=regressed&limit=100`);
      return reply.body.data;
    };
    for (const [metricId, value] of [
      [metricIds[0]!, false],
      ['errors', true],
    ] as const) {
      const pairs = await pairsOf(metricId);
      expect(pairs).toHaveLength(38);
      expect(pairs[0]).toMatchObject({ candidateValue: value, candidate: { error: down } });
    }
  });
});

describe('errors', () => {
  test('count as the bad end of a scale', async () => {
    const { summary, baselineRunId } = await compared({
      metrics: [int],
      baseline: [...times(9, answered(4)), failed()],
      candidate: times(10, answered(4)),
    });
    expect((await summary(baselineRunId)).metrics[0]).toMatchObject({ mean: 3.7, count: 10 });
  });

  test('of equal number on the same testcases change no other p-value, and are undecided', async () => {
    const scores = [...times(12, answered(true)), ...times(12, answered(false))];
    const { compare } = await compared({
      baseline: [...scores, failed()],
      candidate: [...scores.toReversed(), failed()],
    });
    const { metrics, errors } = await compare();
    expect(errors).toMatchObject({ verdict: 'undecided', pValue: null, adjustedPValue: null });
    expect(metrics[0].adjustedPValue).toBe(metrics[0].pValue);
  });

  test('are told by a cut name in every sentence, and by the whole one beside it', async () => {
    const name = 'N'.repeat(256);
    const { compare, summary, candidateRunId } = await compared({
      baseline: [answered(true)],
      candidate: [{ error: { name, message: '' } }],
    });
    for (const { warnings } of [await compare(), await summary(candidateRunId)]) {
      expect(warnings[0].message).toContain(`: ${'N'.repeat(120)}… (1). Each`);
      expect(warnings[0].details.names).toEqual([{ name, count: 1 }]);
    }
  });

  test('are left out of latency, tokens and cost', async () => {
    const { testset, testcaseIds } = await newTestset(2);
    const run = await newRun({ testsetId: testset });
    const { outputs: _outputs, ...unanswered } = payloads;
    const metrics = { latencyMs: 100 };
    await create(`/runs/${run.id}/records`, { ...payloads, metrics, testcaseId: testcaseIds[0] });
    await create(`/runs/${run.id}/records`, {
      ...unanswered,
      error: down,
      metrics: { latencyMs: 9000 },
      testcaseId: testcaseIds[1],
    });
    const { body } = await request('GET', `/runs/${run.id}/summary?metricIds=latency`);
    expect(body.metrics[0]).toMatchObject({ count: 1, mean: 100 });
    expect(body.errors).toMatchObject({ mean: 0.5 });
  });

  test('do not count in a metric that clients have scored too few other records by', async () => {
    const { summary, baselineRunId } = await compared({
      baseline: [...times(5, answered(true)), ...times(5, answered(undefined)), failed()],
      candidate: times(11, answered(true)),
    });
    const { metrics, warnings } = await summary(baselineRunId);
    expect(metrics[0]).toMatchObject({ count: 5, passRate: 1, errored: 1 });
    expect(warnings.map(({ code }: { code: string }) => code)).toEqual([
      'errors_counted',
      'errors_not_counted',
    ]);
  });

  const limited = failed({ name: 'RateLimitError', message: 'slow down', status: 429 });

  test('by a provider’s limits alone decide nothing, and are told', async () => {
    const { compare } = await compared({
      baseline: times(40, answered(true)),
      candidate: [...times(20, limited), ...times(20, answered(true))],
    });
    const { metrics, errors, warnings } = await compare();
    for (const row of [metrics[0], errors]) {
      const { verdict, confidenceInterval, pValue, warnings } = row;
      expect(verdict).toBe('undecided');
      expect(confidenceInterval.low).toBeLessThanOrEqual(0);
      expect(confidenceInterval.high).toBeGreaterThanOrEqual(0);
      expect(pValue ?? 1).toBeGreaterThan(0.05);
      expect(warnings.at(-1).code).toBe('limits_differ');
    }
    expect(metrics[0].candidateMean).toBe(0.5);
    expect(warnings.at(-1)).toMatchObject({
      code: 'limits_differ',
      details: { baseline: 0, candidate: 20 },
    });
  });

  test('by a limit that leave no pair without them say so, and speak of no interval', async () => {
    const { compare } = await compared({
      baseline: times(12, answered(true)),
      candidate: times(12, limited),
    });
    const [metric] = (await compare()).metrics;
    expect([metric.verdict, metric.confidenceInterval]).toEqual(['undecided', null]);
    expect(metric.sentence).toContain('too few of the 12 pairs are left');
    expect(metric.warnings.at(-1).message).not.toContain('interval');
  });

  test('beside answers that a metric does not apply to are warned of', async () => {
    const { compare } = await compared({
      baseline: [...times(10, answered(true)), answered(null), answered(true)],
      candidate: [failed(), ...times(10, answered(true)), answered(null)],
    });
    const { metrics } = await compare();
    const codes = metrics[0].warnings.map(({ code }: { code: string }) => code);
    expect(codes).toContain('errors_may_not_apply');
    const differs = metrics[0].warnings.find(
      ({ code }: { code: string }) => code === 'applicability_differs',
    );
    expect(differs.details).toEqual({ baseline: 1, candidate: 1 });
    // That a metric does not apply is no score that is missing, and is told once.
    expect(codes).not.toContain('unscored_testcases');
    expect(codes).not.toContain('unpaired_testcases');
    expect(metrics[0].unpaired).toBe(0);
  });
});

test('scores that do not fit their metric are counted in the summary, and not in the mean', async () => {
  const { summary, baselineRunId } = await compared({
    baseline: [...times(2, answered(true)), ...times(8, answered(0))],
    candidate: times(10, answered(true)),
  });
  expect((await summary(baselineRunId)).metrics[0]).toMatchObject({
    count: 2,
    passRate: 1,
    failed: 0,
    invalid: 8,
    warnings: [{ code: 'invalid_scores', details: { invalid: 8 } }],
  });
});
