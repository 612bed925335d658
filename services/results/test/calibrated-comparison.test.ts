import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { calibrate } from '../src/domain/calibration.ts';

const { request, newMetric, newRun, newRecord, newTestset } = useRunRecords();

type Value = boolean | number;

const testcasesCount = 48;
/** Half of the testcases pass by the baseline; by the candidate one does not, and two others do. */
const baselineTruth = (place: number): boolean => place % 2 === 0;
const candidateTruth = (place: number): boolean =>
  (place % 2 === 0 && place !== 2) || place % 24 === 1;
/** The judge is kinder to the candidate: it lets every fourth failure pass. */
const candidateJudged = (place: number): boolean => candidateTruth(place) || place % 4 === 3;

/** Two runs of one testset, whose records have judgements, and maybe a metric of people. */
async function judgedRuns({
  outputType = 'boolean',
  withHuman = false,
  otherMetrics = [] as object[],
  records = testcasesCount,
} = {}) {
  const judge = await newMetric({ evalType: 'ai', outputType, promptTemplate: 'Judge' });
  const others = await Promise.all(otherMetrics.map((metric) => newMetric(metric)));
  const human = withHuman ? [await newMetric({ evalType: 'human', outputType })] : [];
  const { testset, testcaseIds } = await newTestset(records);
  const side = async () => {
    const run = await newRun({ testsetId: testset, metricIds: [judge, ...human, ...others] });
    const recordIds: string[] = await Promise.all(
      testcaseIds.map(async (testcaseId) => (await newRecord(run.id, { testcaseId })).body.id),
    );
    const [judgeVersion, humanVersion] = run.metricVersionIds as string[];
    return {
      id: run.id as string,
      judgeVersion: judgeVersion!,
      versions: run.metricVersionIds as string[],
      judged: (value: (place: number) => Value, versionId = judgeVersion!) =>
        accept(
          run.id,
          versionId,
          recordIds.map((recordId, place) => ({ recordId, value: value(place) })),
        ),
      label: (
        value: (place: number) => Value,
        { to = records, versionId = withHuman ? humanVersion! : judgeVersion! } = {},
      ) =>
        Promise.all(
          recordIds.slice(0, to).map((recordId, place) =>
            request('PUT', `/records/${recordId}/scores/${versionId}`, {
              score: { value: value(place) },
            }),
          ),
        ),
    };
  };
  return {
    judge,
    human: human[0],
    others,
    testcaseIds,
    baseline: await side(),
    candidate: await side(),
  };
}

/** Hands judgements over as the scoring service does. */
async function accept(
  runId: string,
  metricVersionId: string,
  values: { recordId: string; value: Value }[],
) {
  const provenance = { metricVersionId, evaluator: 'judge', durationMs: 1, attempts: 1 };
  const judgements = values.map(({ recordId, value }) => ({
    recordId,
    metricVersionId,
    outcome: { kind: 'score', source: 'ai', provenance, value, votes: [value], reasoning: '' },
  }));
  const { body } = await request(
    'POST',
    '/internal/judgements',
    { runId, judgements },
    { identity: { role: 'service' } },
  );
  expect(body.accepted).toBe(values.length);
}

type Runs = Awaited<ReturnType<typeof judgedRuns>>;

const compare = async (
  { baseline, candidate }: Runs,
  calibrateWith: unknown,
  change: object = {},
) =>
  request('POST', '/comparisons', {
    baselineRunId: baseline.id,
    candidateRunId: candidate.id,
    calibrateWith,
    ...change,
  });

const expectedOf = ({ testcaseIds }: Runs, labels: number) =>
  calibrate(
    testcaseIds.map((testcaseId, place) => ({
      testcaseId,
      judged: Number(candidateJudged(place)) - Number(baselineTruth(place)),
      label:
        place < labels ? Number(candidateTruth(place)) - Number(baselineTruth(place)) : undefined,
    })),
    { level: 0.95, scale: { low: -1, high: 1 }, errorMax: 1 },
  ).figures!;

async function labelled(to: number, { withHuman = false } = {}) {
  const runs = await judgedRuns({ withHuman });
  await runs.baseline.judged(baselineTruth);
  await runs.candidate.judged(candidateJudged);
  await runs.baseline.label(baselineTruth, { to });
  await runs.candidate.label(candidateTruth, { to });
  return runs;
}

describe('a comparison that is calibrated with people', () => {
  test("has what people would have found, how many labels that is worth, and the judge's bias", async () => {
    const runs = await labelled(36);
    const { metrics } = (await compare(runs, 'people')).body;
    const expected = expectedOf(runs, 36);
    expect(metrics[0].calibrated).toEqual({
      difference: expect.closeTo(expected.estimate, 12),
      confidenceInterval: {
        low: expect.closeTo(expected.interval.low, 12),
        high: expect.closeTo(expected.interval.high, 12),
        level: 0.95,
      },
      pValue: expect.closeTo(expected.pValue, 9),
      adjustedPValue: expect.closeTo(expected.pValue, 9),
      verdict: 'undecided',
      labels: 36,
      labelsWorth: Math.round(expected.labelsWorth),
      judgeBias: {
        difference: expect.closeTo(expected.bias.estimate, 12),
        confidenceInterval: {
          low: expect.closeTo(expected.bias.interval.low, 12),
          high: expect.closeTo(expected.bias.interval.high, 12),
          level: 0.95,
        },
      },
    });
    // 13 of 48 testcases by the judge, which is too kind to 12.
    expect(
      metrics[0].calibrated.difference + metrics[0].calibrated.judgeBias.difference,
    ).toBeCloseTo(13 / 48, 12);
    expect(metrics[0].warnings).toContainEqual({
      code: 'labels_not_drawn',
      message: expect.stringContaining('People chose themselves which 36 testcases to score.'),
      details: { labels: 36 },
    });
  });

  test('says nothing of people who chose where they scored all that the judge did', async () => {
    const runs = await labelled(testcasesCount);
    const [metric] = (await compare(runs, 'people')).body.metrics;
    expect((await compare(runs, undefined)).body.metrics[0].calibrated).toBeUndefined();
    expect(metric.calibrated.verdict).toBe('undecided');
    expect(metric.calibrated.confidenceInterval.low).toBeLessThanOrEqual(0);
    // Without testcases that only the judge scored, nobody chose.
    expect(metric.warnings.map(({ code }: { code: string }) => code)).toEqual([
      'judge_errors_differ',
    ]);
  });

  test('has a reason and no figures with fewer than 30 labels, and with none', async () => {
    const runs = await labelled(29);
    const nothing = {
      difference: null,
      confidenceInterval: null,
      pValue: null,
      adjustedPValue: null,
      verdict: 'undecided',
      labelsWorth: null,
      judgeBias: { difference: null, confidenceInterval: null },
    };
    expect((await compare(runs, 'people')).body.metrics[0].calibrated).toEqual({
      ...nothing,
      labels: 29,
      reason: 'People scored 29 testcases in both runs, and 30 are needed.',
    });
    const unlabelled = await labelled(0);
    expect((await compare(unlabelled, 'people')).body.metrics[0].calibrated).toEqual({
      ...nothing,
      labels: 0,
      reason: 'People have not scored any testcase in both runs of those that the judge scored.',
    });
  });

  test('counts a testcase that people scored in both runs, in one of them it does not', async () => {
    const runs = await labelled(0);
    await runs.baseline.label(baselineTruth, { to: 40 });
    await runs.candidate.label(candidateTruth, { to: 31 });
    expect((await compare(runs, 'people')).body.metrics[0].calibrated.labels).toBe(31);
  });

  test('counts a human metric in place of overrides', async () => {
    const runs = await labelled(36, { withHuman: true });
    const { metrics } = (await compare(runs, { humanMetricId: runs.human })).body;
    expect(metrics.map((metric: { calibrated?: object }) => 'calibrated' in metric)).toEqual([
      true,
      false,
    ]);
    expect(metrics[0].calibrated).toMatchObject({
      labels: 36,
      difference: expect.closeTo(expectedOf(runs, 36).estimate, 12),
    });
    expect((await compare(runs, 'people')).body.metrics[0].calibrated.labels).toBe(0);
  });

  test('corrects p-values for how many metrics there are, of which each is tested once', async () => {
    const clients = { evalType: 'heuristic', outputType: 'boolean' };
    const runs = await judgedRuns({ otherMetrics: [clients] });
    for (const [side, truth] of [
      [runs.baseline, baselineTruth],
      [runs.candidate, candidateTruth],
    ] as const) {
      await side.judged(side === runs.baseline ? baselineTruth : candidateJudged);
      await side.label(truth, { to: 36 });
      await side.label(truth, { versionId: side.versions[1]! });
    }
    const [judge, other] = (await compare(runs, 'people')).body.metrics;
    expect(other.calibrated).toBeUndefined();
    const { pValue, adjustedPValue } = judge.calibrated;
    const [least, most] = [pValue, other.pValue].sort((one, another) => one - another);
    expect(adjustedPValue).toBeCloseTo(
      Math.min(1, pValue === least ? 2 * pValue : Math.max(2 * least, most)),
      9,
    );
    expect(judge.adjustedPValue).toBeCloseTo(
      (await compare(runs, undefined)).body.metrics[0].adjustedPValue,
      12,
    );
  });

  test('takes the mean of what people said of the records of a testcase that they scored', async () => {
    const runs = await labelled(36);
    const more = await newRecord(runs.candidate.id, { testcaseId: runs.testcaseIds[0]! });
    await accept(runs.candidate.id, runs.candidate.judgeVersion, [
      { recordId: more.body.id, value: false },
    ]);
    const calibratedBy = async (repeats: string) =>
      (await compare(runs, 'people', { repeats })).body.metrics[0].calibrated;
    const byMean = await calibratedBy('mean');
    expect(byMean.labels).toBe(36);
    expect(byMean.difference + byMean.judgeBias.difference).toBeCloseTo(12.5 / 48, 12);
    const byLatest = await calibratedBy('latest');
    expect(byLatest.labels).toBe(36);
    expect(byLatest.difference + byLatest.judgeBias.difference).toBeCloseTo(12 / 48, 12);
  });

  test('is refused by a metric that is not a human one of both runs, or has other scores', async () => {
    const runs = await judgedRuns({
      records: 1,
      otherMetrics: [{ evalType: 'human', outputType: 'int' }],
    });
    const issuesOf = async (calibrateWith: unknown) => {
      const { status, body } = await compare(runs, calibrateWith);
      return [status, body.details.issues];
    };
    const path = '/calibrateWith/humanMetricId';
    for (const humanMetricId of [runs.judge, 'none'])
      expect(await issuesOf({ humanMetricId })).toEqual([
        400,
        [{ path, message: 'is not a human metric of both runs' }],
      ]);
    expect(await issuesOf({ humanMetricId: runs.others[0] })).toEqual([
      400,
      [{ path, message: 'has int scores, and those of the judges that are compared are not' }],
    ]);
    for (const calibrateWith of ['nobody', {}, 3, null]) {
      const [status, issues] = await issuesOf(calibrateWith);
      expect(status).toBe(400);
      expect(issues[0].path).toMatch(/^\/calibrateWith/);
    }
  });
});

describe('a summary that is calibrated with people', () => {
  const summaryOf = (runId: string, query = '') => request('GET', `/runs/${runId}/summary${query}`);

  test("has the pass rate that people would have given, and the judge's bias", async () => {
    const runs = await labelled(36);
    const { id } = runs.candidate;
    const [metric] = (await summaryOf(id, '?calibrateWith=people')).body.metrics;
    const { figures } = calibrate(
      runs.testcaseIds.map((testcaseId, place) => ({
        testcaseId,
        judged: Number(candidateJudged(place)),
        label: place < 36 ? Number(candidateTruth(place)) : undefined,
      })),
      { level: 0.95, scale: { low: 0, high: 1 }, errorMax: 1 },
    );
    expect(metric.calibrated).toEqual({
      mean: expect.closeTo(figures!.estimate, 12),
      passRate: expect.closeTo(figures!.estimate, 12),
      confidenceInterval: {
        low: expect.closeTo(figures!.interval.low, 12),
        high: expect.closeTo(figures!.interval.high, 12),
        level: 0.95,
      },
      labels: 36,
      labelsWereDrawn: false,
      judgeBias: {
        mean: expect.closeTo(figures!.bias.estimate, 12),
        confidenceInterval: {
          low: expect.closeTo(figures!.bias.interval.low, 12),
          high: expect.closeTo(figures!.bias.interval.high, 12),
          level: 0.95,
        },
      },
    });
    expect((await summaryOf(id)).body.metrics[0].calibrated).toBeUndefined();
  });

  test('has the pass rate of scores from 1 to 5 by the threshold of the judge', async () => {
    const runs = await judgedRuns({ outputType: 'int', withHuman: true });
    await runs.baseline.judged((place) => (place % 2 === 0 ? 5 : 3));
    await runs.baseline.label((place) => (place % 2 === 0 ? 4 : 2));
    const path = `?calibrateWith=${runs.human}`;
    const [metric, human] = (await summaryOf(runs.baseline.id, path)).body.metrics;
    expect(human.calibrated).toBeUndefined();
    expect(metric.calibrated).toMatchObject({
      mean: expect.closeTo(3, 12),
      passRate: expect.closeTo(0.5, 12),
      labels: testcasesCount,
      judgeBias: { mean: expect.closeTo(1, 12) },
    });
  });

  test('has a reason and no figures with few labels, and is refused by what is no human metric', async () => {
    const runs = await labelled(3);
    const { id } = runs.baseline;
    expect((await summaryOf(id, '?calibrateWith=people')).body.metrics[0].calibrated).toEqual({
      mean: null,
      passRate: null,
      confidenceInterval: null,
      labels: 3,
      labelsWereDrawn: false,
      judgeBias: { mean: null, confidenceInterval: null },
      reason: 'People scored 3 testcases, and 30 are needed.',
    });
    const { status, body } = await summaryOf(id, `?calibrateWith=${runs.judge}`);
    expect([status, body.details.issues]).toEqual([
      400,
      [
        {
          path: '?calibrateWith',
          message: 'is neither `people` nor a human metric of the run',
        },
      ],
    ]);
  });
});
