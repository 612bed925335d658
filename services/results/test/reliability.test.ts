import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, newMetric, newMember, newRun, newRecords } = useRunRecords();

type Value = boolean | number;

const promptTemplate = 'Judge {{ outputs.answer }}';

/**
 * A run with a judge, and maybe a metric of people, and records; judgements are handed over as the
 * scoring service would.
 */
async function judged({
  outputType = 'boolean',
  records,
  annotators,
}: {
  outputType?: string;
  records: number;
  annotators?: number;
}) {
  const judge = await newMetric({ evalType: 'ai', outputType, promptTemplate });
  const human =
    annotators === undefined
      ? undefined
      : await newMetric({ evalType: 'human', outputType, annotators });
  const run = await newRun({ metricIds: human ? [judge, human] : [judge] });
  const recordIds = await newRecords(run.id, records);
  const [judgeVersion, humanVersion] = run.metricVersionIds as string[];

  const accept = async (
    metricVersionId: string,
    outcomes: {
      recordId: string;
      votes?: Value[];
      value: Value;
      reasoning: string;
      cachedVotes?: number;
    }[],
  ) => {
    const made = { metricVersionId, evaluator: 'judge', durationMs: 1, attempts: 1 };
    const judgements = outcomes.map(({ recordId, cachedVotes, ...outcome }) => ({
      recordId,
      metricVersionId,
      outcome: { kind: 'score', source: 'ai', provenance: { ...made, cachedVotes }, ...outcome },
    }));
    const reply = await request(
      'POST',
      '/internal/judgements',
      { runId: run.id, judgements },
      { identity: { role: 'service' } },
    );
    expect(reply.body.accepted).toBe(outcomes.length);
  };
  return {
    run,
    judge,
    human,
    judgeVersion: judgeVersion!,
    humanVersion: humanVersion!,
    recordIds,
    accept,
    /** One vote a record, or none where undefined. */
    say: (values: (Value | undefined)[], metricVersionId = judgeVersion!) =>
      accept(
        metricVersionId,
        values.flatMap((value, index) =>
          value === undefined
            ? []
            : [
                {
                  recordId: recordIds[index]!,
                  value,
                  votes: [value],
                  reasoning: `Because of ${index}.`,
                },
              ],
        ),
      ),
    give: async (
      values: (Value | undefined)[],
      { versionId = judgeVersion!, userId }: { versionId?: string; userId?: string } = {},
    ) => {
      const as = userId ? asMember(userId) : undefined;
      const put = (value: Value | undefined, index: number) =>
        value === undefined
          ? undefined
          : request(
              'PUT',
              `/records/${recordIds[index]}/scores/${versionId}`,
              { score: { value } },
              as,
            );
      await Promise.all(values.map(put));
    },
    rescore: () => request('POST', `/runs/${run.id}/rescore`, {}),
    reliability: async (query = '') =>
      (await request('GET', `/metrics/${judge}/reliability?runId=${run.id}${query}`)).body,
  };
}

const times = <Item>(count: number, item: Item): Item[] =>
  Array.from({ length: count }, () => item);

describe("a judge's reliability", () => {
  test("is Cohen's kappa of the judge and what people made of its scores: 0.4 for the textbook's 20, 5, 10 and 15", async () => {
    const { run, judge, judgeVersion, recordIds, say, give, reliability } = await judged({
      records: 50,
    });
    await say([...times(25, true), ...times(25, false)]);
    await give([...times(20, true), ...times(5, false), ...times(10, true), ...times(15, false)]);
    const { disagreements, ...rest } = await reliability();
    expect(rest).toEqual({
      metricId: judge,
      metricVersionId: judgeVersion,
      runId: run.id,
      humanMetricId: null,
      outputType: 'boolean',
      compared: 50,
      agreement: {
        measure: "Cohen's kappa",
        value: expect.closeTo(0.4, 12),
        // numpy.quantile(kappa(rng.multinomial(50, [.4, .1, .2, .3], 1_000_000)), [.025, .975])
        confidenceInterval: {
          low: expect.closeTo(0.14, 1),
          high: expect.closeTo(0.64, 1),
          level: 0.95,
        },
        exact: 0.7,
        // statsmodels.stats.proportion.proportion_confint(35, 50, method='wilson')
        exactConfidenceInterval: {
          low: expect.closeTo(0.562, 3),
          high: expect.closeTo(0.809, 3),
          level: 0.95,
        },
      },
      byRun: [
        {
          runId: run.id,
          name: null,
          metricVersionId: judgeVersion,
          labels: 50,
          sensitivity: {
            value: 20 / 30,
            labels: 30,
            confidenceInterval: {
              low: expect.closeTo(0.488, 3),
              high: expect.closeTo(0.808, 3),
              level: 0.95,
            },
          },
          specificity: {
            value: 15 / 20,
            labels: 20,
            confidenceInterval: {
              low: expect.closeTo(0.531, 3),
              high: expect.closeTo(0.888, 3),
              level: 0.95,
            },
          },
          meanError: null,
        },
      ],
      confusionMatrix: [
        { judge: false, human: false, count: 15 },
        { judge: false, human: true, count: 10 },
        { judge: true, human: false, count: 5 },
        { judge: true, human: true, count: 20 },
      ],
      testRetest: null,
    });
    expect(disagreements).toHaveLength(15);
    expect(disagreements[0]).toEqual({
      recordId: recordIds[20],
      judge: true,
      human: false,
      reasoning: 'Because of 20.',
    });
  });

  test('weighs ints by the square of their distance, and takes what the annotators of a human metric came to together', async () => {
    const setting = await judged({ outputType: 'int', records: 16, annotators: 2 });
    const { human, humanVersion, recordIds, say, give, reliability } = setting;
    const first = [1, 2, 3, 4, 5, 3, 2, 1, 4, 5, 5, 2, 3, 3, 1];
    const second = [1, 2, 3, 5, 4, 3, 1, 1, 4, 5, 3, 2, 4, 3, 2];
    await say([...first, 5]);
    const [ada, bob] = [await newMember(), await newMember()];
    // The lower of two is their median; the last record lacks an annotator, and has no value yet.
    await give([...second, 1], { versionId: humanVersion, userId: ada });
    await give(times(15, 5), { versionId: humanVersion, userId: bob });
    await give([5, 5], { versionId: setting.judgeVersion });
    const { agreement, compared, confusionMatrix, disagreements, humanMetricId } =
      await reliability(`&humanMetricId=${human}`);
    expect(humanMetricId).toBe(human);
    expect(compared).toBe(15);
    // sklearn.metrics.cohen_kappa_score(a, b, weights='quadratic', labels=[1, 2, 3, 4, 5])
    expect(agreement).toMatchObject({
      measure: "Cohen's kappa, quadratic weights",
      value: expect.closeTo(0.8355663824604141, 12),
      exact: 9 / 15,
    });
    expect(confusionMatrix.slice(0, 4)).toEqual([
      { judge: 1, human: 1, count: 2 },
      { judge: 1, human: 2, count: 1 },
      { judge: 2, human: 1, count: 1 },
      { judge: 2, human: 2, count: 2 },
    ]);
    expect(
      disagreements.map(({ recordId }: { recordId: string }) => recordIds.indexOf(recordId)),
    ).toEqual([10, 3, 4, 6, 12, 14]);
  });

  test("is Krippendorff's alpha of floats", async () => {
    const { say, give, reliability } = await judged({ outputType: 'float', records: 5 });
    await say([0.1, 0.5, 0.9, 0.4, 0.7]);
    await give([0.2, 0.5, 0.8, 0.4, 0.6]);
    // krippendorff.alpha(ratings, level_of_measurement='interval') of the package krippendorff
    expect(await reliability()).toMatchObject({
      compared: 5,
      agreement: {
        measure: "Krippendorff's alpha, interval",
        value: expect.closeTo(0.9525483304042179, 12),
        exact: 0.4,
      },
      confusionMatrix: [],
    });
  });

  test('compares nothing where either side is missing, and a record that was not judged counts for nothing', async () => {
    const { say, give, reliability } = await judged({ records: 3 });
    expect(await reliability()).toMatchObject({
      compared: 0,
      agreement: {
        value: null,
        confidenceInterval: null,
        exact: null,
        exactConfidenceInterval: null,
      },
      byRun: [
        {
          labels: 0,
          sensitivity: { value: null, labels: 0, confidenceInterval: null },
          specificity: { value: null, labels: 0, confidenceInterval: null },
        },
      ],
      confusionMatrix: [],
      disagreements: [],
      testRetest: null,
    });
    await say([true, undefined, undefined]);
    await give([undefined, true]);
    expect(await reliability()).toMatchObject({ compared: 0 });
  });

  test('takes the majority of the newest votes, and tells over votes and repeats how far the judge agrees with itself', async () => {
    const { judgeVersion, recordIds, accept, rescore, give, reliability } = await judged({
      records: 4,
    });
    const vote = (index: number, votes: boolean[]) => ({
      recordId: recordIds[index]!,
      votes,
      value: votes.filter(Boolean).length > votes.length / 2,
      reasoning: `${votes}`,
    });
    const once = [
      vote(0, [true, true, false]),
      vote(1, [true, true, false]),
      vote(2, [true, true, true]),
      vote(3, [true]),
    ];
    await accept(judgeVersion, once.slice(1));
    await rescore();
    await accept(judgeVersion, [once[0]!, vote(1, [false, false, false])]);
    await give([true, true, true]);
    const { compared, disagreements, testRetest } = await reliability();
    expect(compared).toBe(3);
    expect(disagreements).toEqual([
      { recordId: recordIds[1], judge: false, human: true, reasoning: 'false,false,false' },
    ]);
    // By hand: of 12 ratings 7 are true, so 2 · 7 · 5 / (12 · 11) is expected by chance; (4 / 2 +
    // 16 / 5 + 0) / 12 is seen.
    expect(testRetest).toEqual({
      records: 3,
      alpha: expect.closeTo(1 - 5.2 / 12 / (70 / 132), 12),
      exact: 1 / 3,
    });
  });

  test('takes no answer from the cache for a repeat, but for the opinion of the judge', async () => {
    const { judgeVersion, recordIds, accept, rescore, give, reliability } = await judged({
      records: 2,
    });
    const judgement = (index: number, votes: boolean[], cachedVotes?: number) => ({
      recordId: recordIds[index]!,
      votes,
      value: votes[0]!,
      reasoning: 'r',
      ...(cachedVotes && { cachedVotes }),
    });
    await accept(judgeVersion, [judgement(0, [true]), judgement(1, [true, false, false], 1)]);
    await give([true, true]);
    expect(await reliability()).toMatchObject({ compared: 2, testRetest: null });
    await rescore();
    expect(await reliability()).toMatchObject({ compared: 2, testRetest: null });
  });

  test('counts two judgements that were asked, whatever the cache said in between', async () => {
    const { judgeVersion, recordIds, accept, rescore, reliability } = await judged({ records: 2 });
    for (const [value, cachedVotes] of [[true], [false, 1], [true, 1], [false]] as const) {
      await accept(
        judgeVersion,
        recordIds.map((recordId) => ({
          recordId,
          votes: [value],
          value,
          reasoning: 'r',
          ...(cachedVotes && { cachedVotes }),
        })),
      );
      await rescore();
    }
    expect((await reliability()).testRetest).toMatchObject({ records: 2, exact: 0 });
  });

  test('keeps what people said of a metric when its prompt changes, and prefers what they said of the newest', async () => {
    const { run, judge, say, give, rescore, reliability } = await judged({ records: 3 });
    await say([true, true, true]);
    await give([false, false]);
    await request('PATCH', `/metrics/${judge}`, {
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: `${promptTemplate}!`,
    });
    await rescore();
    const newest = (await request('GET', `/runs/${run.id}`)).body.metricVersionIds.at(-1);
    await say([false, false, false], newest);
    expect(await reliability()).toMatchObject({
      metricVersionId: newest,
      compared: 2,
      agreement: { exact: 1 },
    });
    await give([true], { versionId: newest });
    expect(await reliability()).toMatchObject({ compared: 2, agreement: { exact: 0.5 } });
  });

  test("takes the judge's score where its votes are not known", async () => {
    const { judgeVersion, human, humanVersion, recordIds, accept, give, reliability } =
      await judged({ records: 1, annotators: 1 });
    await accept(judgeVersion, [{ recordId: recordIds[0]!, value: true, reasoning: 'No votes.' }]);
    await give([false], { versionId: humanVersion });
    expect(await reliability(`&humanMetricId=${human}`)).toMatchObject({
      compared: 1,
      disagreements: [
        { recordId: recordIds[0], judge: true, human: false, reasoning: 'No votes.' },
      ],
      testRetest: null,
    });
    expect(await reliability()).toMatchObject({ compared: 0 });
  });

  test('shows a hundred disagreements at most, the largest first and among equals the oldest', async () => {
    const { recordIds, say, give, reliability } = await judged({ outputType: 'int', records: 103 });
    await say(times(103, 1));
    await give([...times(101, 2), 5, 3]);
    const { disagreements } = await reliability();
    const places = disagreements.map(({ recordId }: { recordId: string }) =>
      recordIds.indexOf(recordId),
    );
    expect(places).toEqual([101, 102, ...Array.from({ length: 98 }, (_, index) => index)]);
  });

  test('tells which metric or run is not there or cannot be compared', async () => {
    const { run, judge, human } = await judged({ records: 0, annotators: 1 });
    const elsewhere = await newMetric({ evalType: 'ai', outputType: 'boolean', promptTemplate });
    const ints = await judged({ outputType: 'int', records: 0, annotators: 1 });
    const mixed = await newRun({ metricIds: [judge, ints.human, human] });
    const issue = async (metricId: string, query: string) => {
      const { status, body } = await request('GET', `/metrics/${metricId}/reliability?${query}`);
      return [status, body.details.issues?.[0].path ?? body.details.resource];
    };
    expect(await issue(missingId, `runId=${run.id}`)).toEqual([404, 'metric']);
    expect(await issue(judge, '')).toEqual([400, '?runId']);
    expect(await issue(judge, `runId=${missingId}`)).toEqual([400, '?runId']);
    expect(await issue(elsewhere, `runId=${run.id}`)).toEqual([400, ':metricId']);
    expect(await issue(human!, `runId=${run.id}`)).toEqual([400, ':metricId']);
    expect(await issue(judge, `runId=${run.id}&humanMetricId=${missingId}`)).toEqual([
      400,
      '?humanMetricId',
    ]);
    expect(await issue(judge, `runId=${run.id}&humanMetricId=${judge}`)).toEqual([
      400,
      '?humanMetricId',
    ]);
    expect(await issue(judge, `runId=${mixed.id}&humanMetricId=${ints.human}`)).toEqual([
      400,
      '?humanMetricId',
    ]);
    expect(
      (
        await request(
          'GET',
          `/metrics/${judge}/reliability?runId=${mixed.id}&humanMetricId=${human}`,
        )
      ).status,
    ).toBe(200);
  });

  test('of a deleted metric can still be read, and by no other organization', async () => {
    const { run, judge, reliability } = await judged({ records: 0 });
    await request('DELETE', `/metrics/${judge}`);
    expect(await reliability()).toMatchObject({ compared: 0 });
    const reply = await request('GET', `/metrics/${judge}/reliability?runId=${run.id}`, undefined, {
      identity: { organizationId: missingId },
    });
    expect(reply.status).toBe(404);
  });
});
