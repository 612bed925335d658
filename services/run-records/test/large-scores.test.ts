import { asScoring, heuristic, useRunRecords } from '@assay/testing/run-records';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';

const { config, getRun, newMetric, newRecord, newRun, request } = useRunRecords();

const human = { evalType: 'human', outputType: 'int' };
const scoreBytesMax = 64 * 1024;

/** A score whose JSON has exactly this many bytes. */
function scoreOf(bytes: number) {
  const empty = { intScore: 4, reasoning: '' };
  return { ...empty, reasoning: 'r'.repeat(bytes - JSON.stringify(empty).length) };
}

const put = (recordId: string, metricVersionId: string, score: object) =>
  request('PUT', `/records/${recordId}/scores/${metricVersionId}`, { score });

const read = async (recordId: string) => (await request('GET', `/records/${recordId}`)).body;

describe('scores have a bound', () => {
  test('a score of 64 KiB is taken and comes back whole; of one byte more it is a 400 that names the place and the limit', async () => {
    const run = await newRun({ metricIds: [await newMetric(human)] });
    const { id } = (await newRecord(run.id)).body;
    const [metricVersionId] = run.metricVersionIds;
    expect((await put(id, metricVersionId, scoreOf(scoreBytesMax))).status).toBe(200);
    const refused = await put(id, metricVersionId, scoreOf(scoreBytesMax + 1));
    expect([refused.status, refused.body.message]).toEqual([
      400,
      '/score must have at most 65536 bytes.',
    ]);
    expect(refused.body.details.issues).toEqual([
      { path: '/score', message: 'must have at most 65536 bytes' },
    ]);
    expect((await read(id)).scores[0].score).toEqual(scoreOf(scoreBytesMax));
  });

  test('the scores of a record have 1 MiB together: one more is a 400 at its place, until another one goes or is shorter', async () => {
    const run = await newRun({
      metricIds: await Promise.all(Array.from({ length: 17 }, () => newMetric(human))),
    });
    const { id } = (await newRecord(run.id)).body;
    const versions: string[] = run.metricVersionIds;
    const statuses = [];
    for (const version of versions)
      statuses.push((await put(id, version, scoreOf(scoreBytesMax - 200))).status);
    expect(statuses).toEqual([...Array(15).fill(200), 400, 400]);
    const refused = await put(id, versions[16]!, scoreOf(scoreBytesMax));
    expect(refused.body.message).toBe(
      '/score would make the scores of the record larger than 1048576 bytes together.',
    );
    expect((await put(id, versions[16]!, scoreOf(1000))).status).toBe(200);
    expect((await put(id, versions[15]!, scoreOf(scoreBytesMax))).status).toBe(400);
    expect((await request('DELETE', `/records/${id}/scores/${versions[0]}`)).body).toEqual({
      deleted: 1,
    });
    expect((await put(id, versions[15]!, scoreOf(scoreBytesMax))).status).toBe(200);
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 17, scored: 16, pending: 1 });
  });

  test('what a judge says at length is cut, and a record without room takes its score all the same', async () => {
    const judge = { evalType: 'ai', outputType: 'boolean', promptTemplate: '{{ outputs }}' };
    const metricIds = await Promise.all(Array.from({ length: 30 }, () => newMetric(judge)));
    const run = await newRun({
      metricIds: [
        ...metricIds,
        ...(await Promise.all(Array.from({ length: 16 }, () => newMetric(human)))),
      ],
    });
    const { id } = (await newRecord(run.id)).body;
    for (const version of run.metricVersionIds.slice(30, 42))
      expect((await put(id, version, scoreOf(scoreBytesMax))).status).toBe(200);
    const judgements = run.metricVersionIds.slice(0, 30).map((metricVersionId: string) => ({
      recordId: id,
      metricVersionId,
      outcome: {
        kind: 'score',
        value: true,
        reasoning: 'because '.repeat(20_000),
        source: 'ai',
        votes: [true],
        provenance: { metricVersionId, evaluator: 'judge', durationMs: 1, attempts: 1 },
      },
    }));
    const accepted = await request(
      'POST',
      '/internal/judgements',
      { runId: run.id, judgements: judgements.slice(0, 5) },
      asScoring,
    );
    expect(accepted.body).toMatchObject({ accepted: 5 });
    expect(
      (await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring))
        .body,
    ).toMatchObject({ accepted: 25 });
    const made = (await read(id)).scores.filter(
      ({ source }: { source: string }) => source === 'ai',
    );
    const lengths = made.map(
      ({ score }: { score: { reasoning: string } }) => score.reasoning.length,
    );
    expect(made).toHaveLength(30);
    expect(lengths.slice(0, 5)).toEqual(Array(5).fill(10_000));
    expect(lengths.at(-1)).toBe(200);
    expect(made[0].score.reasoning.endsWith('…')).toBe(true);
  });
});

/** Records as they were before scores had a bound: 7 MiB of them each. */
async function oldRun(count: number) {
  const run = await newRun({ metricIds: [await newMetric(heuristic), await newMetric(human)] });
  const client = await MongoClient.connect(config().MONGODB_URI);
  const records = client
    .db(`${config().DATABASE_PREFIX}_run-records`)
    .collection<{ _id: string }>('records');
  const text = JSON.stringify(scoreOf(1024 * 1024));
  const score = {
    userId: 'u',
    text,
    value: 4,
    source: 'human',
    createdAt: new Date(),
    isOutside: true,
  };
  const scores = Array.from({ length: 7 }, (_, index) => ({
    ...score,
    metricVersionId: `${index}`,
  }));
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = (await newRecord(run.id)).body;
    await records.updateOne({ _id: id }, { $set: { scores } as never });
    ids.push(id);
  }
  await client.close();
  return { run, ids };
}

describe('records from before there was a bound', () => {
  test('can be read, scored shorter and deleted', async () => {
    const { run, ids } = await oldRun(2);
    const [id] = ids as [string];
    expect((await read(id)).scores).toHaveLength(7);
    expect((await put(id, run.metricVersionIds[1], scoreOf(100))).status).toBe(400);
    const judgement = {
      recordId: id,
      metricVersionId: run.metricVersionIds[0],
      outcome: {
        kind: 'score',
        value: true,
        reasoning: 'is equal',
        source: 'heuristic',
        provenance: {
          metricVersionId: run.metricVersionIds[0],
          evaluator: 'exact_match',
          durationMs: 1,
          attempts: 1,
        },
      },
    };
    const accepted = await request(
      'POST',
      '/internal/judgements',
      { runId: run.id, judgements: [judgement] },
      asScoring,
    );
    expect(accepted.body).toMatchObject({ accepted: 1 });
    expect((await request('DELETE', `/records/${id}`)).status).toBe(200);
    expect((await getRun(run.id)).numRecords).toBe(1);
  });

  test('are listed, reviewed, scored, tried again and scored anew a few at a time, and each once', async () => {
    const { run, ids } = await oldRun(6);

    async function walk(path: string): Promise<{
      pages: number;
      items: { id: string; recordId: string; record: { id: string } }[];
    }> {
      const items = [];
      for (let cursor = '', pages = 1; ; pages++) {
        const { body } = await request(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`,
        );
        items.push(...body.data);
        expect(body.hasMore).toBe(body.nextCursor !== null);
        if (!body.hasMore) return { pages, items };
        cursor = `&cursor=${body.nextCursor}`;
      }
    }

    const records = await walk(`/runs/${run.id}/records`);
    expect(records.items.map(({ id }) => id)).toEqual(ids);
    expect(records.pages).toBe(3);
    expect(
      (await walk(`/review-queue?runId=${run.id}`)).items.map(({ record }) => record.id),
    ).toEqual(ids);

    const outcome = { kind: 'failure', code: 'timeout', message: 'too slow', attempts: 6 };
    const judgements = ids.map((recordId) => ({
      recordId,
      metricVersionId: run.metricVersionIds[0],
      outcome,
    }));
    const accept = () =>
      request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring);
    expect((await accept()).body).toMatchObject({ accepted: 6 });
    expect((await accept()).body).toMatchObject({ accepted: 0 });
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 12,
      scored: 0,
      failed: 6,
      pending: 6,
    });
    expect((await walk(`/runs/${run.id}/failures`)).items.map(({ recordId }) => recordId)).toEqual(
      ids,
    );

    expect((await request('POST', `/runs/${run.id}/retry`)).body).toEqual({ queued: 6 });
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 12,
      scored: 0,
      failed: 0,
      pending: 12,
    });
    expect((await request('POST', `/runs/${run.id}/rescore`)).body).toEqual({
      queued: 6,
      awaited: 0,
    });
    const body = { runId: run.id, recordIds: ids, model: null };
    const wanted = (await request('POST', '/internal/records-for-scoring', body, asScoring)).body;
    expect(wanted.records.map(({ id }: { id: string }) => id)).toEqual(ids);
  });
});
