import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, newAnnotatedRun, newMember, getRun, identity } = useRunRecords();

interface Score {
  userId: string;
  score: { value?: unknown };
}

/** Whose scores a record has, and their values. */
const scoresOf = async (recordId: string) =>
  ((await request('GET', `/records/${recordId}`)).body.scores as Score[]).map(
    ({ userId, score }) => [userId, score.value],
  );

describe('several annotators', () => {
  test('each keeps a score of its own, and the score is missing until the last of them has given it', async () => {
    const { run, recordIds, put } = await newAnnotatedRun({ annotators: 3, records: 1 });
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
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      numScores: 1,
      scoring: { expected: 1, scored: 1, pending: 0 },
    });
    expect(new Map((await scoresOf(record)) as [string, unknown][])).toEqual(
      new Map([
        [ada, 1],
        [bob, 5],
        [cyd, 2],
      ]),
    );
  });

  test('a score that one of them has yet to give counts for nobody', async () => {
    const { run, recordIds, put } = await newAnnotatedRun({ annotators: 2, records: 1 });
    const [record] = recordIds as [string];
    const [ada, bob] = [await newMember(), await newMember()];
    await put(record, ada, 3);
    await put(record, bob, undefined);
    expect(await getRun(run.id)).toMatchObject({ numScores: 0, scoring: { pending: 1 } });
    await put(record, bob, 3);
    expect(await getRun(run.id)).toMatchObject({ numScores: 1, scoring: { pending: 0 } });
  });

  test('a score that is recorded for another keeps who recorded it, and one that its member gives does not', async () => {
    const { recordIds, pathOf } = await newAnnotatedRun({ annotators: 2, records: 1 });
    const [record] = recordIds as [string];
    const ada = await newMember();
    const recorders = async () =>
      (await request('GET', `/records/${record}`)).body.scores.map(
        ({ userId, recordedByUserId }: Record<string, string>) => [userId, recordedByUserId],
      );
    await request('PUT', pathOf(record), { score: { value: 3 }, userId: ada });
    expect(await recorders()).toEqual([[ada, identity().userId]]);
    await request('PUT', pathOf(record), { score: { value: 2 } }, asMember(ada));
    expect(await recorders()).toEqual([[ada, undefined]]);
  });

  test("a deletion takes the caller's own score, or that of the member it names, and the score is missing again", async () => {
    const { run, recordIds, put, pathOf } = await newAnnotatedRun({ annotators: 2, records: 1 });
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
    const { run, recordIds, put } = await newAnnotatedRun({ annotators: 3, records: 4 });
    const members = [await newMember(), await newMember(), await newMember()];
    const replies = await Promise.all(
      recordIds.flatMap((record) => members.map((member) => put(record, member, 5))),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 4,
      scored: 4,
      failed: 0,
      pending: 0,
    });
    for (const record of recordIds)
      expect((await scoresOf(record)).map(([member]) => member).sort()).toEqual(members.toSorted());
  });
});
