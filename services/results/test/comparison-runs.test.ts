import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const setting = useRunRecords();
const { request, newMetric, newRun, newRecord, newTestset } = setting;

const scoredByClients = (outputType: string) => ({ evalType: 'heuristic', outputType });

const compare = (baselineRunId: string, candidateRunId: string, change: object = {}) =>
  request('POST', '/comparisons', { baselineRunId, candidateRunId, ...change });

const issuesOf = ({
  status,
  body,
}: {
  status: number;
  body: { details: { issues?: object[] } };
}) => [status, body.details.issues];

/** A record with a score of each of these metric versions; undefined where it gets none. */
async function scored(
  run: { id: string; metricVersionIds: string[] },
  testcaseId: string | undefined,
  values: unknown[],
  change: object = {},
) {
  const { id } = (await newRecord(run.id, { ...(testcaseId ? { testcaseId } : {}), ...change }))
    .body;
  for (const [place, value] of values.entries())
    if (value !== undefined)
      await request('PUT', `/records/${id}/scores/${run.metricVersionIds[place]}`, {
        score: { value },
      });
  return id as string;
}

/** Two runs of one testset and metric, with a record of each testcase that has a value. */
async function twoRuns({
  outputType = 'int',
  baseline,
  candidate,
}: {
  outputType?: string;
  baseline: unknown[];
  candidate: unknown[];
}) {
  const { testset, testcaseIds } = await newTestset(Math.max(baseline.length, candidate.length));
  const metricId = await newMetric(scoredByClients(outputType));
  const runs = [
    await newRun({ testsetId: testset, metricIds: [metricId] }),
    await newRun({ testsetId: testset, metricIds: [metricId] }),
  ];
  await Promise.all(
    [baseline, candidate].flatMap((values, place) =>
      values.map((value, index) => scored(runs[place], testcaseIds[index], [value])),
    ),
  );
  return { metricId, testset, testcaseIds, baseline: runs[0], candidate: runs[1] };
}

describe('a comparison', () => {
  test('pairs the runs by testcase and tells what their metric does', async () => {
    const { metricId, baseline, candidate } = await twoRuns({
      outputType: 'boolean',
      baseline: [true, false, false, false, false, false, false, true],
      candidate: [true, true, true, true, true, true, true, false],
    });
    const { status, body } = await compare(baseline.id, candidate.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      baselineRunId: baseline.id,
      candidateRunId: candidate.id,
      metrics: [
        {
          metricId,
          name: 'm',
          evalType: 'heuristic',
          outputType: 'boolean',
          errored: { baseline: 0, candidate: 0 },
          baselineMetricVersionId: baseline.metricVersionIds[0],
          candidateMetricVersionId: candidate.metricVersionIds[0],
          paired: 8,
          unpaired: 0,
          recordsPerTestcase: { baseline: 1, candidate: 1 },
          groups: {
            regressed: 1,
            improved: 6,
            changed: 7,
            bothPass: 1,
            bothFail: 0,
            unpairedBaseline: 0,
            unpairedCandidate: 0,
          },
          baselineMean: 0.25,
          candidateMean: 0.875,
          difference: 0.625,
          confidenceInterval: { low: expect.any(Number), high: expect.any(Number), level: 0.95 },
          method: 'Newcombe paired score, method 10',
          // scipy.stats.binom: 2 * cdf(1, 7, .5) - pmf(1, 7, .5)
          pValue: expect.closeTo(0.0703125, 12),
          adjustedPValue: expect.closeTo(0.0703125, 12),
          test: 'mid-p McNemar',
          // The equation of Connett, Smith and McHugh (1987), by scipy.optimize.brentq
          minimumDetectableDifference: expect.closeTo(0.7949127867342682, 12),
          verdict: 'undecided',
          sentence: expect.stringMatching(
            /^Undecided: the candidate is \+62\.5 points \(95 % interval/,
          ),
          unknownScores: {
            baseline: { expected: 8, missing: 0, failed: 0, invalid: 0 },
            candidate: { expected: 8, missing: 0, failed: 0, invalid: 0 },
          },
          // m = 7; 1 / (2 ** m * scipy.special.beta(12, 7) / beta(6, 6))
          anytimePValue: expect.closeTo(0.6278409090909092, 12),
          anytimeAdjustedPValue: expect.closeTo(0.6278409090909092, 12),
          anytimeInterval: { low: expect.any(Number), high: expect.any(Number), level: 0.95 },
          anytimeMethod: 'Beta(6, 6) mixture of bets',
          anytimeVerdict: 'undecided',
          improved: 6,
          regressed: 1,
          unchanged: 1,
        },
      ],
      errors: expect.objectContaining({ name: 'errors', verdict: 'undecided', pValue: null }),
    });
    const [metric] = (await compare(baseline.id, candidate.id, { level: 0.8 })).body.metrics;
    expect(metric).toMatchObject({ verdict: 'better', confidenceInterval: { level: 0.8 } });
    expect(
      (await compare(candidate.id, baseline.id, { level: 0.8 })).body.metrics[0],
    ).toMatchObject({
      verdict: 'worse',
      difference: -0.625,
    });
  });

  test('of a run with itself finds nothing', async () => {
    const { baseline } = await twoRuns({ baseline: [1, 5, 3], candidate: [] });
    const { body } = await compare(baseline.id, baseline.id);
    expect(body.metrics[0]).toMatchObject({
      paired: 3,
      unpaired: 0,
      difference: 0,
      pValue: 1,
      verdict: 'undecided',
      unchanged: 3,
    });
  });

  test('counts the records of a testcase that have a value, and testcases that only one run has a value for', async () => {
    const { testset, testcaseIds } = await newTestset(5);
    const metricIds = [await newMetric(scoredByClients('int'))];
    const [baseline, candidate] = [
      await newRun({ testsetId: testset, metricIds }),
      await newRun({ testsetId: testset, metricIds }),
    ];
    await scored(baseline, testcaseIds[0], [1]);
    await scored(baseline, testcaseIds[0], [2]);
    // Neither a record without a score nor one whose score is no value of the metric is in the mean.
    await scored(baseline, testcaseIds[0], [undefined]);
    await scored(baseline, testcaseIds[0], ['high']);
    await scored(baseline, testcaseIds[1], [3]);
    await scored(baseline, testcaseIds[2], [3]);
    await scored(baseline, undefined, [5]);
    await scored(candidate, testcaseIds[1], [4]);
    await scored(candidate, testcaseIds[0], [4]);
    await scored(candidate, testcaseIds[2], [undefined]);
    await scored(candidate, testcaseIds[3], [1]);
    const [metric] = (await compare(baseline.id, candidate.id)).body.metrics;
    expect(metric).toMatchObject({
      paired: 2,
      unpaired: 2,
      recordsPerTestcase: { baseline: 1.5, candidate: 1 },
      baselineMean: 2.25,
      candidateMean: 4,
      difference: 1.75,
      improved: 2,
    });
    expect(metric.warnings).toEqual([
      {
        code: 'records_without_testcase',
        message: 'Left out: 1 score of the baseline run, of records without a testcase.',
        details: { run: 'baseline', scores: 1 },
      },
      {
        code: 'unscored_testcases',
        message: 'Without a score that counts: 1 of 4 testcases of the candidate run.',
        details: { run: 'candidate', testcases: 4, unscored: 1 },
      },
      {
        code: 'unpaired_testcases',
        message: '2 testcases have a score in one of the runs only.',
        details: { unpaired: 2 },
      },
      {
        code: 'repeats_differ',
        message:
          'A testcase has 1.5 records in the baseline run and 1 in the candidate run, on average: chance weighs less where there are more.',
        details: { baseline: 1.5, candidate: 1 },
      },
      {
        code: 'too_few_pairs',
        message: '2 pairs: too few for a verdict at this level, and for an interval.',
        details: { pairs: 2, level: 0.95 },
      },
    ]);
    const [reversed] = (await compare(candidate.id, baseline.id)).body.metrics;
    expect(reversed.warnings).toContainEqual(
      expect.objectContaining({
        message: expect.stringMatching(
          /^A testcase has 1 record in the baseline run and 1\.5 in the candidate run, /,
        ),
      }),
    );
  });

  test('of fewer than two pairs is undecided', async () => {
    const { baseline, candidate } = await twoRuns({ baseline: [1, 2], candidate: [5] });
    const few = {
      confidenceInterval: null,
      pValue: null,
      adjustedPValue: null,
      minimumDetectableDifference: null,
      verdict: 'undecided',
    };
    expect((await compare(baseline.id, candidate.id)).body.metrics[0]).toMatchObject({
      ...few,
      paired: 1,
      unpaired: 1,
      difference: 4,
    });
    const { baseline: full, candidate: empty } = await twoRuns({ baseline: [1, 2], candidate: [] });
    expect((await compare(full.id, empty.id)).body.metrics[0]).toMatchObject({
      ...few,
      paired: 0,
      unpaired: 2,
      difference: null,
    });
  });

  test('of several metrics corrects each p-value for the others, and can be asked of some', async () => {
    const { testset, testcaseIds } = await newTestset(7);
    const metricIds = [
      await newMetric(scoredByClients('boolean')),
      await newMetric(scoredByClients('float')),
      await newMetric(),
    ];
    const onlyOnce = await newMetric(scoredByClients('int'));
    const baseline = await newRun({ testsetId: testset, metricIds: [...metricIds, onlyOnce] });
    const candidate = await newRun({ testsetId: testset, metricIds });
    await Promise.all(
      testcaseIds.flatMap((testcaseId, index) => [
        scored(baseline, testcaseId, [false, 0.1 * index]),
        scored(candidate, testcaseId, [true, index === 0 ? 0.2 : 0.1 * index]),
      ]),
    );
    const { metrics } = (await compare(baseline.id, candidate.id)).body;
    expect(metrics.map(({ metricId }: { metricId: string }) => metricId)).toEqual(metricIds);
    // Mid-p: scipy.stats.binom.pmf(0, 7, .5) = 0.0078125, of two metrics that have a p-value; the
    // third has no values.
    expect(metrics[0]).toMatchObject({
      pValue: expect.closeTo(0.0078125, 12),
      adjustedPValue: expect.closeTo(0.015625, 12),
      verdict: 'better',
    });
    expect(metrics[1]).toMatchObject({
      pValue: 1,
      adjustedPValue: 1,
      verdict: 'undecided',
      improved: 1,
      unchanged: 6,
    });
    expect(metrics[2]).toMatchObject({
      pValue: null,
      adjustedPValue: null,
      paired: 0,
      verdict: 'undecided',
    });
    const alone = (
      await compare(baseline.id, candidate.id, { metricIds: [metricIds[0], metricIds[0]] })
    ).body.metrics;
    expect(alone).toHaveLength(1);
    expect(alone[0]).toMatchObject({
      metricId: metricIds[0],
      adjustedPValue: expect.closeTo(0.0078125, 12),
    });
    expect(
      issuesOf(
        await compare(baseline.id, candidate.id, {
          metricIds: [metricIds[0], onlyOnce, missingId],
        }),
      ),
    ).toEqual([
      400,
      [
        { path: '/metricIds/1', message: 'is not a metric of both runs' },
        { path: '/metricIds/2', message: 'is not a metric of both runs' },
      ],
    ]);
  });

  test("takes one value of several annotators' scores, and none before all have scored", async () => {
    const { testset, testcaseIds } = await newTestset(2);
    const metricIds = [await newMetric({ evalType: 'human', outputType: 'int', annotators: 3 })];
    const members = [
      await setting.newMember(),
      await setting.newMember(),
      await setting.newMember(),
    ];
    const runs = [
      await newRun({ testsetId: testset, metricIds }),
      await newRun({ testsetId: testset, metricIds }),
    ];
    const given = async (
      run: { id: string; metricVersionIds: string[] },
      testcaseId: string,
      values: number[],
    ) => {
      const record = await scored(run, testcaseId, []);
      for (const [place, value] of values.entries())
        await request('PUT', `/records/${record}/scores/${run.metricVersionIds[0]}`, {
          score: { value },
          userId: members[place],
        });
    };
    await given(runs[0], testcaseIds[0]!, [1, 1, 5]);
    await given(runs[1], testcaseIds[0]!, [1, 4, 5]);
    await given(runs[0], testcaseIds[1]!, [1, 1, 1]);
    await given(runs[1], testcaseIds[1]!, [5, 5]);
    expect((await compare(runs[0].id, runs[1].id)).body.metrics[0]).toMatchObject({
      paired: 1,
      unpaired: 1,
      baselineMean: 1,
      candidateMean: 4,
    });
  });

  test('takes the newest version of a metric that both runs have, or else the newest of each, and says so', async () => {
    const { testset, testcaseIds } = await newTestset(3);
    const metricId = await newMetric({
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    });
    const body = { testsetId: testset, metricIds: [metricId] };
    const older = await newRun(body);
    const both = await newRun(body);
    for (const run of [older, both])
      for (const testcaseId of testcaseIds) await scored(run, testcaseId, [false]);
    await request('PATCH', `/metrics/${metricId}`, {
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: { trim: true } },
    });
    expect((await request('POST', `/runs/${both.id}/rescore`, {})).status).toBe(202);
    const rescored = (await request('GET', `/runs/${both.id}`)).body;
    expect(rescored.metricVersionIds).toHaveLength(2);
    const newer = await newRun(body);
    for (const testcaseId of testcaseIds) await scored(newer, testcaseId, [true]);
    const versions = ({
      body,
    }: {
      body: { metrics: { baselineMetricVersionId: string; candidateMetricVersionId: string }[] };
    }) =>
      body.metrics.map((metric) => [
        metric.baselineMetricVersionId,
        metric.candidateMetricVersionId,
      ]);
    const [first, second] = rescored.metricVersionIds;
    expect(versions(await compare(older.id, both.id))).toEqual([[first, first]]);
    expect(versions(await compare(both.id, newer.id))).toEqual([[second, second]]);
    expect(versions(await compare(both.id, both.id))).toEqual([[second, second]]);
    const apart = await compare(older.id, newer.id);
    expect(versions(apart)).toEqual([[first, second]]);
    expect(apart.body.metrics[0]).toMatchObject({ paired: 3, improved: 3 });
    expect(apart.body.metrics[0].warnings[0]).toEqual({
      code: 'metric_versions_differ',
      message:
        "The runs were scored with different versions of this metric (changed: builtin), so a difference may be the metric's.",
      details: {
        baselineMetricVersionId: first,
        candidateMetricVersionId: second,
        changes: ['builtin'],
      },
    });
  });
});

describe('a comparison is refused', () => {
  test('where a run is not there, or is of another organization', async () => {
    const { baseline } = await twoRuns({ baseline: [1], candidate: [] });
    const isNone = 'does not belong to this organization';
    expect(issuesOf(await compare(missingId, baseline.id))).toEqual([
      400,
      [{ path: '/baselineRunId', message: isNone }],
    ]);
    expect(issuesOf(await compare(baseline.id, missingId))).toEqual([
      400,
      [{ path: '/candidateRunId', message: isNone }],
    ]);
    const body = { baselineRunId: baseline.id, candidateRunId: baseline.id };
    expect(
      issuesOf(
        await request('POST', '/comparisons', body, { identity: { organizationId: missingId } }),
      ),
    ).toEqual([
      400,
      [
        { path: '/baselineRunId', message: isNone },
        { path: '/candidateRunId', message: isNone },
      ],
    ]);
  });

  test('where the runs are of two testsets or two projects', async () => {
    const { baseline } = await twoRuns({ baseline: [1], candidate: [] });
    const otherTestset = await newRun({ testsetId: (await newTestset(1)).testset });
    const noTestset = await newRun();
    for (const other of [otherTestset, noTestset])
      expect(issuesOf(await compare(baseline.id, other.id))).toEqual([
        400,
        [{ path: '/candidateRunId', message: "is a run of another testset than the baseline's" }],
      ]);
    const project = (await request('POST', '/projects', { name: 'other', description: '' })).body
      .id;
    const otherProject = (await request('POST', `/projects/${project}/runs`, { metricIds: [] }))
      .body;
    expect(issuesOf(await compare(noTestset.id, otherProject.id))).toEqual([
      400,
      [{ path: '/candidateRunId', message: "is a run of another project than the baseline's" }],
    ]);
  });

  test('at a level that is none, and without a metric', async () => {
    const { baseline, candidate } = await twoRuns({ baseline: [1], candidate: [1] });
    for (const change of [{ level: 1 }, { level: 0.5 }, { level: 'high' }, { metricIds: [] }])
      expect((await compare(baseline.id, candidate.id, change)).status).toBe(400);
  });
});
