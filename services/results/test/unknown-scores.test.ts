import { payloads, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { create, request, newMetric, newRun, newTestset } = useRunRecords();

const boolean = { evalType: 'heuristic', outputType: 'boolean', builtin: undefined };
const int = { evalType: 'heuristic', outputType: 'int', builtin: undefined };

/** The value of a record, `missing` for one without a score, `absent` for no record, or an error. */
type Answer = boolean | number | 'missing' | 'absent' | 'error';

const times = (count: number, ...answers: Answer[]): Answer[] =>
  Array.from({ length: count }, () => answers).flat();

/** A run over these testcases, with the answers of each in their order. */
async function runOf(
  metricId: string,
  { testset, testcaseIds }: { testset: string; testcaseIds: string[] },
  answers: Answer[],
  more: { repeats?: number } = {},
): Promise<string> {
  const run = await newRun({ testsetId: testset, metricIds: [metricId], ...more });
  const { outputs, ...unanswered } = payloads;
  const lines = answers.flatMap((answer, index): object[] => {
    if (answer === 'absent') return [];
    const record = { ...unanswered, testcaseId: testcaseIds[index % testcaseIds.length] };
    if (answer === 'error') return [{ ...record, error: { message: 'down' } }];
    const scores = answer === 'missing' ? [] : [{ metricId, score: { value: answer } }];
    return [{ ...record, outputs, scores }];
  });
  await request('POST', `/runs/${run.id}/records/bulk`, undefined, {
    raw: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  return run.id;
}

/** Compares two runs of one metric, as they are and with unknown scores against the candidate. */
async function comparedTwice(baseline: Answer[], candidate: Answer[], metric: object = boolean) {
  const metricId = await newMetric(metric);
  const testcases = await newTestset(baseline.length);
  const baselineRunId = await runOf(metricId, testcases, baseline);
  const candidateRunId = await runOf(metricId, testcases, candidate);
  const compare = async (more: object = {}) =>
    (await create('/comparisons', { baselineRunId, candidateRunId, ...more })).metrics[0];
  return {
    known: await compare(),
    filled: await compare({ unknownScores: 'against_candidate' }),
    compare,
  };
}

const none = { missing: 0, failed: 0, invalid: 0 };

describe('scores that nobody knows', () => {
  test('are counted in both runs, by their reason, and left out where nothing else is asked', async () => {
    const { known } = await comparedTwice(
      [...times(18, 3), 9, 'missing'],
      [...times(17, 3), 'error', 'absent', 'missing'],
      int,
    );
    expect(known).toMatchObject({
      paired: 18,
      unknownScores: {
        baseline: { ...none, expected: 20, missing: 1, invalid: 1 },
        candidate: { ...none, expected: 20, missing: 2 },
      },
    });
    expect(known.unknownScores).not.toHaveProperty('areFilledIn');
  });

  test('count as the worst in the candidate, also those of records that it lacks', async () => {
    const { known, filled } = await comparedTwice(times(20, true), [
      ...times(10, true),
      ...times(5, 'missing', 'absent'),
    ]);
    expect(known).toMatchObject({ paired: 10, verdict: 'undecided', difference: 0 });
    expect(filled).toMatchObject({
      paired: 20,
      verdict: 'worse',
      candidateMean: 0.5,
      unknownScores: { areFilledIn: true, candidate: { ...none, expected: 20, missing: 10 } },
    });
  });

  test('count as the best in the baseline', async () => {
    const { filled } = await comparedTwice(
      [...times(9, true), 'missing', 'absent'],
      [...times(9, true), false, false],
    );
    expect(filled).toMatchObject({ paired: 11, baselineMean: 1, candidateMean: 9 / 11 });
  });

  test('on testcases that both runs lack make a pair that speaks against the candidate', async () => {
    const { filled } = await comparedTwice(
      [...times(9, true), 'absent'],
      [...times(9, true), 'absent'],
    );
    expect(filled).toMatchObject({ paired: 10, baselineMean: 1, candidateMean: 0.9 });
  });

  test('are not filled in where the scale has no end for them', async () => {
    const { compare } = await comparedTwice(times(3, true), times(3, true));
    const latency = await compare({ metricIds: ['latency'], unknownScores: 'against_candidate' });
    expect(latency.unknownScores).toMatchObject({ areFilledIn: false, candidate: { missing: 3 } });
  });

  test('of people are filled in only where their metric is named', async () => {
    const { filled, compare } = await comparedTwice(times(4, true), [true, true, true, 'missing'], {
      evalType: 'human',
      outputType: 'boolean',
      builtin: undefined,
    });
    expect(filled.unknownScores).toMatchObject({ areFilledIn: false });
    const named = await compare({
      metricIds: [filled.metricId],
      unknownScores: 'against_candidate',
    });
    expect(named).toMatchObject({ paired: 4, unknownScores: { areFilledIn: true } });
  });
});

describe('the pass rate over all that a run expects', () => {
  async function boundsOf(answers: Answer[], { repeats = 1, minPasses = 0 } = {}) {
    const metricId = await newMetric(boolean);
    const testcases = await newTestset(answers.length / repeats);
    const runId = await runOf(metricId, testcases, answers, { repeats });
    const path = `/runs/${runId}/summary?minPasses=${minPasses}`;
    return (await request('GET', path)).body.metrics[0];
  }

  test('has an error as failed, and unknown scores from all failed to all passed', async () => {
    const metric = await boundsOf([
      ...times(5, true),
      'error',
      'error',
      'missing',
      'absent',
      false,
    ]);
    expect(metric).toMatchObject({
      expected: 10,
      missing: 2,
      passBounds: { testcases: 10, low: 0.5, high: 0.7, known: 0.625 },
    });
  });

  test('counts a testcase by the share of its records, or by so many that pass', async () => {
    // Of two testcases with three records each, one has two passes, one a pass and a missing score.
    const answers: Answer[] = [true, true, true, false, false, 'missing'];
    expect((await boundsOf(answers, { repeats: 3 })).passBounds).toMatchObject({
      testcases: 2,
      low: expect.closeTo((2 / 3 + 1 / 3) / 2, 9),
      high: expect.closeTo((2 / 3 + 2 / 3) / 2, 9),
    });
    expect((await boundsOf(answers, { repeats: 3, minPasses: 2 })).passBounds).toEqual({
      testcases: 2,
      low: 0.5,
      high: 1,
      known: 1,
    });
  });

  test('is null where nothing passes or fails', async () => {
    const metricId = await newMetric(boolean);
    const testcases = await newTestset(2);
    const runId = await runOf(metricId, testcases, times(2, true));
    const { body } = await request('GET', `/runs/${runId}/summary?metricIds=latency`);
    expect(body.metrics[0].passBounds).toBeNull();
    expect(body.errors).not.toHaveProperty('passBounds');
  });
});

test('a comparison says the result of each metric, and of errors, in a sentence', async () => {
  const { known, compare } = await comparedTwice(times(10, true), times(10, false));
  expect(known.sentence).toMatch(/^Worse: the candidate is 100\.0 points lower \(95 % interval /);
  expect((await compare()).sentence).toBe(known.sentence);
});
