import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, projectId, newMetric, newRun, newRecord, newTestset } = useRunRecords();

type Value = boolean | number;

/** Runs of one testset; of each the values of the records of each testcase, oldest first. */
async function runsOf(outputType: string, ...runs: Value[][][]) {
  const { testset, testcaseIds } = await newTestset(runs[0]!.length);
  const metricId = await newMetric({ evalType: 'heuristic', outputType });
  const created: {
    id: string;
    score: (testcaseId: string | undefined, value: Value) => Promise<void>;
  }[] = [];
  for (const values of runs) {
    const run = await newRun({ testsetId: testset, metricIds: [metricId] });
    const score = async (testcaseId: string | undefined, value: Value) => {
      const { id } = (await newRecord(run.id, { testcaseId })).body;
      await request('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
        score: { value },
      });
    };
    await Promise.all(
      values.map(async (repeats, index) => {
        for (const value of repeats) await score(testcaseIds[index], value);
      }),
    );
    created.push({ ...run, score });
  }
  const [baselineRunId, candidateRunId] = created.map(({ id }) => id);
  const sides = { baselineRunId, candidateRunId };
  const compare = async (change: object = {}) =>
    (await request('POST', '/comparisons', { ...sides, ...change })).body.metrics[0];
  const pairs = async (change: object = {}, list = 'pairs') => {
    const query = new URLSearchParams({ ...sides, metricId, ...change } as never);
    return (await request('GET', `/comparisons/${list}?${query}`)).body.data;
  };
  const summary = async () =>
    (await request('GET', `/runs/${created[0]!.id}/summary`)).body.metrics[0];
  return { compare, pairs, summary, runs: created, testcaseIds: testcaseIds as string[] };
}

const times = <Item>(count: number, item: Item): Item[] => new Array<Item>(count).fill(item);

describe('a comparison of runs with several records of a testcase', () => {
  const mostlyPasses = [true, true, true, true, false];
  const mostlyFails = [false, false, false, false, true];

  test('goes by the mean of the records, so that the latest cannot turn the verdict round', async () => {
    const { compare, summary } = await runsOf(
      'boolean',
      times(20, mostlyPasses),
      times(20, mostlyFails),
    );
    expect(await compare()).toMatchObject({
      paired: 20,
      recordsPerTestcase: { baseline: 5, candidate: 5 },
      baselineMean: 0.8,
      candidateMean: 0.2,
      difference: expect.closeTo(-0.6, 12),
      regressed: 20,
      improved: 0,
      verdict: 'worse',
    });
    expect(await compare({ repeats: 'latest' })).toMatchObject({
      baselineMean: 0,
      candidateMean: 1,
      verdict: 'better',
      recordsPerTestcase: { baseline: 5, candidate: 5 },
    });
    expect(await summary()).toMatchObject({ count: 20, records: 100, mean: 0.8, passRate: 0.8 });
  });

  test('counts each testcase once, however many records it has', async () => {
    const { compare } = await runsOf(
      'boolean',
      [times(9, true), [false], [false]],
      [[true], times(3, false), [true, false]],
    );
    expect(await compare()).toMatchObject({
      paired: 3,
      recordsPerTestcase: { baseline: 11 / 3, candidate: 2 },
      baselineMean: expect.closeTo(1 / 3, 12),
      candidateMean: expect.closeTo(0.5, 12),
      improved: 1,
      regressed: 0,
      unchanged: 2,
    });
  });

  test('takes means of the same scores in another order for equal', async () => {
    const { compare } = await runsOf(
      'float',
      [
        [0.1, 0.2, 0.3],
        [0.5, 0.5],
      ],
      [
        [0.3, 0.2, 0.1],
        [0.5, 0.5],
      ],
    );
    expect(await compare()).toMatchObject({ difference: 0, unchanged: 2 });
  });

  test('lists a testcase in a group by most of its records, with how many there are', async () => {
    const { compare, pairs } = await runsOf(
      'boolean',
      [mostlyPasses, mostlyPasses, mostlyFails, [true, false]],
      [mostlyPasses, mostlyFails, mostlyFails, [true, true]],
    );
    expect((await compare()).groups).toMatchObject({
      bothPass: 1,
      regressed: 1,
      bothFail: 1,
      improved: 1,
    });
    const [regressed] = await pairs({ show: 'regressed' });
    expect(regressed).toMatchObject({
      baselineValue: 0.8,
      candidateValue: 0.2,
      numRecords: { baseline: 5, candidate: 5 },
    });
    const [improved] = await pairs({ show: 'improved' });
    expect(improved).toMatchObject({
      baselineValue: 0.5,
      candidateValue: true,
      numRecords: { baseline: 2, candidate: 2 },
    });
    const flips = await pairs({ repeats: 'latest' }, 'flips');
    expect(flips).toMatchObject([
      { baselineValue: false, candidateValue: true, direction: 'improved' },
      { baselineValue: false, candidateValue: true, direction: 'improved' },
    ]);
  });

  test('refuses another way to take repeats', async () => {
    const { status, body } = await request('POST', '/comparisons', {
      candidateRunId: 'a',
      repeats: 'median',
    });
    expect([status, body.details.issues[0].path]).toEqual([400, '/repeats']);
  });
});

describe('a summary of a run with several records of a testcase', () => {
  test('tells the chance of at least one and of all passing, and the testcases that are flaky', async () => {
    const { summary, testcaseIds } = await runsOf('boolean', [
      [true, true, true, false],
      [true, false, true, false],
      [true, true, true, true],
      [false, false, false, false],
    ]);
    const { repeats, ...metric } = await summary();
    expect(metric).toMatchObject({
      count: 4,
      records: 16,
      passRate: 9 / 16,
      distribution: [
        { value: false, count: 7 },
        { value: true, count: 9 },
      ],
    });
    expect(repeats).toMatchObject({
      recordsPerTestcase: 4,
      // Within: sqrt((0.75 + 1) / 12).
      standardDeviationWithin: expect.closeTo(Math.sqrt(1.75 / 12), 12),
      flaky: {
        count: 2,
        testcases: [
          { testcaseId: testcaseIds[1], records: 4, passRate: 0.5, mean: 0.5 },
          { testcaseId: testcaseIds[0], records: 4, passRate: 0.75, mean: 0.75 },
        ],
      },
    });
    const passes = repeats.passes.map(
      ({ k, testcases, passAtK, passHatK }: Record<string, { value: number }>) => [
        k,
        testcases,
        passAtK!.value,
        passHatK!.value,
      ],
    );
    // Of 3, 2, 4 and 0 passes in 4 records: 1 − C(failures, k) / C(4, k), and C(passes, k) / C(4, k).
    expect(passes).toEqual([
      [1, 4, 9 / 16, 9 / 16],
      [2, 4, (1 + 5 / 6 + 1) / 4, (1 / 2 + 1 / 6 + 1) / 4].map((x) => expect.closeTo(x, 12)),
      [3, 4, 3 / 4, (1 / 4 + 1) / 4].map((x) => expect.closeTo(x, 12)),
      [4, 4, 3 / 4, 1 / 4],
    ]);
    for (const { passAtK, passHatK } of repeats.passes)
      for (const { value, confidenceInterval } of [passAtK, passHatK])
        expect([confidenceInterval.low <= value, confidenceInterval.high >= value]).toEqual([
          true,
          true,
        ]);
  });

  test('goes by the passing threshold where scores are numbers, and counts records without a testcase each', async () => {
    const { summary, runs } = await runsOf('int', [
      [5, 3],
      [2, 2],
    ]);
    await runs[0]!.score(undefined, 5);
    await runs[0]!.score(undefined, 5);
    expect(await summary()).toMatchObject({
      count: 4,
      records: 6,
      mean: (4 + 2 + 5 + 5) / 4,
      passRate: (1 / 2 + 0 + 1 + 1) / 4,
      repeats: { recordsPerTestcase: 1.5, flaky: { count: 1 } },
    });
  });

  test('says nothing of repeats where each testcase has one record', async () => {
    const { summary } = await runsOf('boolean', [[true], [false], []]);
    const metric = await summary();
    expect([metric.count, metric.records, metric.repeats]).toEqual([2, 2, undefined]);
  });
});

describe('a run with repeats', () => {
  test('expects that many records of each testcase', async () => {
    const { testset, testcaseIds } = await newTestset(2);
    const run = await newRun({ testsetId: testset, repeats: 3 });
    expect(run).toMatchObject({ repeats: 3, numExpectedRecords: 6, status: 'awaiting_execution' });
    for (const testcaseId of [...testcaseIds, ...testcaseIds])
      await newRecord(run.id, { testcaseId });
    const read = async () => (await request('GET', `/runs/${run.id}`)).body;
    expect((await read()).status).toBe('running_execution');
    for (const testcaseId of testcaseIds) await newRecord(run.id, { testcaseId });
    expect(await read()).toMatchObject({ status: 'completed', repeats: 3, numRecords: 6 });
    expect(await newRun({ testsetId: testset })).toMatchObject({
      repeats: 1,
      numExpectedRecords: 2,
    });
  });

  test('needs a testset, and from 1 to 100 repeats', async () => {
    const { testset } = await newTestset(1);
    const refusals = [
      { repeats: 2 },
      { testsetId: testset, repeats: 0 },
      { testsetId: testset, repeats: 101 },
      { testsetId: testset, repeats: 1.5 },
    ];
    for (const refused of refusals) {
      const path = `/projects/${projectId()}/runs`;
      const { status, body } = await request('POST', path, { metricIds: [], ...refused });
      expect([status, body.details.issues[0].path]).toEqual([400, '/repeats']);
    }
  });
});
