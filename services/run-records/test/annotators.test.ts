import { describe, expect, test } from 'vitest';
import { asMember, missingId, useRunRecords } from './setting.ts';

const { request, newMetric, newMember, newRun, newRecord, getRun } = useRunRecords();

interface Score {
  userId: string;
  score: { value?: unknown };
}

/** A run with one human metric that several members score, and its records. */
async function reviewed({ outputType = 'int', annotators, records }: { outputType?: string; annotators: number; records: number }) {
  const run = await newRun({ metricIds: [await newMetric({ evalType: 'human', outputType, annotators })] });
  const recordIds: string[] = [];
  for (let index = 0; index < records; index++) recordIds.push((await newRecord(run.id)).body.id);
  const pathOf = (recordId: string) => `/records/${recordId}/scores/${run.metricVersionIds[0]}`;
  return {
    run,
    recordIds,
    pathOf,
    put: (recordId: string, userId: string, value: unknown) =>
      request('PUT', pathOf(recordId), value === undefined ? {} : { score: { value } }, asMember(userId)),
    scoresOf: async (recordId: string) =>
      ((await request('GET', `/records/${recordId}`)).body.scores as Score[]).map(({ userId, score }) => [userId, score.value]),
    summaryOf: async () => (await request('GET', `/runs/${run.id}/summary`)).body.metrics[0],
  };
}

describe('several annotators', () => {
  test('each keeps a score of its own, and the score is missing until the last of them has given it', async () => {
    const { run, recordIds, put, scoresOf } = await reviewed({ annotators: 3, records: 1 });
    const [record] = recordIds as [string];
    const [ada, bob, cyd] = [await newMember(), await newMember(), await newMember()];
    await put(record, ada, 4);
    await put(record, bob, 5);
    expect(await getRun(run.id)).toMatchObject({
      status: 'awaiting_human_scoring',
      numScores: 0,
      scoring: { expected: 1, scored: 0, pending: 1 },
    });
    await put(record, ada, 1);
    expect(await getRun(run.id)).toMatchObject({ numScores: 0, scoring: { pending: 1 } });
    await put(record, cyd, 2);
    expect(await getRun(run.id)).toMatchObject({ status: 'completed', numScores: 1, scoring: { expected: 1, scored: 1, pending: 0 } });
    expect(new Map((await scoresOf(record)) as [string, unknown][])).toEqual(
      new Map([
        [ada, 1],
        [bob, 5],
        [cyd, 2],
      ]),
    );
  });

  test('a score that one of them has yet to give counts for nobody', async () => {
    const { run, recordIds, put } = await reviewed({ annotators: 2, records: 1 });
    const [record] = recordIds as [string];
    const [ada, bob] = [await newMember(), await newMember()];
    await put(record, ada, 3);
    await put(record, bob, undefined);
    expect(await getRun(run.id)).toMatchObject({ numScores: 0, scoring: { pending: 1 } });
    await put(record, bob, 3);
    expect(await getRun(run.id)).toMatchObject({ numScores: 1, scoring: { pending: 0 } });
  });

  test("a deletion takes the caller's own score, or that of the member it names, and the score is missing again", async () => {
    const { run, recordIds, put, pathOf, scoresOf } = await reviewed({ annotators: 2, records: 1 });
    const [record] = recordIds as [string];
    const [ada, bob] = [await newMember(), await newMember()];
    await put(record, ada, 3);
    await put(record, bob, 4);
    const path = pathOf(record);
    expect((await request('DELETE', path)).body).toEqual({ deleted: 0 });
    expect((await request('DELETE', `${path}?userId=${missingId}`)).body).toEqual({ deleted: 0 });
    expect((await getRun(run.id)).scoring).toMatchObject({ scored: 1, pending: 0 });
    expect((await request('DELETE', `${path}?userId=${ada}`)).body).toEqual({ deleted: 1 });
    expect(await scoresOf(record)).toEqual([[bob, 4]]);
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 1, scored: 0, pending: 1 });
    expect((await request('DELETE', path, undefined, asMember(bob))).body).toEqual({ deleted: 1 });
    expect(await scoresOf(record)).toEqual([]);
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 1, scored: 0, pending: 1 });
  });

  test('the account is right after they score at the same moment', async () => {
    const { run, recordIds, put, scoresOf } = await reviewed({ annotators: 3, records: 4 });
    const members = [await newMember(), await newMember(), await newMember()];
    const replies = await Promise.all(recordIds.flatMap((record) => members.map((member) => put(record, member, 5))));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect((await getRun(run.id)).scoring).toEqual({ expected: 4, scored: 4, failed: 0, pending: 0 });
    for (const record of recordIds) expect((await scoresOf(record)).map(([member]) => member).sort()).toEqual(members.toSorted());
  });
});

describe("a summary of several annotators' scores", () => {
  test('has one value a record, and none of a record that still waits for an annotator', async () => {
    const members = [await newMember(), await newMember(), await newMember()];
    const given = async (outputType: string, values: unknown[][]) => {
      const { recordIds, put, summaryOf } = await reviewed({ outputType, annotators: 3, records: values.length });
      for (const [index, ofRecord] of values.entries())
        for (const [place, value] of ofRecord.entries()) await put(recordIds[index]!, members[place]!, value);
      return summaryOf();
    };
    expect(
      await given('int', [
        [1, 5, 4],
        [2, 2, 5],
        [5, 5],
      ]),
    ).toMatchObject({ count: 2, mean: 3, passRate: 0.5 });
    expect(await given('boolean', [[true, true, false], [false, true, false], [true]])).toMatchObject({
      count: 2,
      mean: 0.5,
      passRate: 0.5,
    });
    expect(await given('float', [[0.2, 0.3, 0.7]])).toMatchObject({ count: 1, mean: expect.closeTo(0.4, 12) });
  });

  test("a score whose value does not fit is left out of its record's value, and a tie of booleans is false", async () => {
    const members = [await newMember(), await newMember(), await newMember()];
    const { recordIds, put, summaryOf } = await reviewed({ outputType: 'boolean', annotators: 3, records: 1 });
    for (const [place, value] of [true, 'yes', false].entries()) await put(recordIds[0]!, members[place]!, value);
    expect(await summaryOf()).toMatchObject({ count: 1, mean: 0, agreement: { records: 1, annotators: 2 } });
  });

  test("tells Krippendorff's alpha of his example (2011) with four annotators and scores missing, and no kappa", async () => {
    const members = [await newMember(), await newMember(), await newMember(), await newMember()];
    const ratings = ['123321412...', '1233224125.3', '.3332342251.', '12332441251.'];
    const { recordIds, put, summaryOf } = await reviewed({ annotators: 4, records: 12 });
    for (const [place, ofMember] of ratings.entries())
      for (const [index, value] of [...ofMember].entries()) if (value !== '.') await put(recordIds[index]!, members[place]!, Number(value));
    expect((await summaryOf()).agreement).toEqual({
      records: 11,
      annotators: 4,
      kappa: null,
      alpha: expect.closeTo(0.8491071428571428, 12),
    });
  });

  test.each([
    // sklearn.metrics.cohen_kappa_score(a, b, weights='quadratic', labels=[1, 2, 3, 4, 5])
    ['int', [1, 2, 3, 4, 5, 3, 2, 1, 4, 5, 5, 2, 3, 3, 1], [1, 2, 3, 5, 4, 3, 1, 1, 4, 5, 3, 2, 4, 3, 2], 0.8355663824604141],
    // By hand: 6 of 10 agree; chance 0.5 * 0.7 + 0.5 * 0.3 = 0.5.
    ['boolean', [...'1111100000'].map((text) => text === '1'), [...'1111011100'].map((text) => text === '1'), 0.2],
    ['float', [0.1, 0.5, 0.9], [0.1, 0.5, 0.9], null],
  ])('tells the kappa of two annotators: %s', async (outputType, first, second, kappa) => {
    const members = [await newMember(), await newMember()];
    const { recordIds, put, summaryOf } = await reviewed({ outputType, annotators: 2, records: first.length });
    for (const [index, record] of recordIds.entries()) {
      await put(record, members[0]!, first[index]);
      await put(record, members[1]!, second[index]);
    }
    const { agreement } = await summaryOf();
    expect(agreement).toMatchObject({ records: first.length, annotators: 2, kappa: kappa && expect.closeTo(kappa, 12) });
  });

  test('tells of no agreement where nobody scored what another did, and where one annotator is enough', async () => {
    const { recordIds, put, summaryOf } = await reviewed({ annotators: 2, records: 2 });
    for (const record of recordIds) await put(record, await newMember(), 3);
    expect(await summaryOf()).toMatchObject({ count: 0, agreement: { records: 0, annotators: 0, kappa: null, alpha: null } });
    const alone = await reviewed({ annotators: 1, records: 1 });
    await alone.put(alone.recordIds[0]!, await newMember(), 3);
    expect(await alone.summaryOf()).not.toHaveProperty('agreement');
  });
});
