import { missingId, useRunRecords } from '@assay/testing/run-records';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';

const { config, newMetric, newRecord, newRun, request } = useRunRecords();

const large = { text: 'é'.repeat(400_000) };

describe('previews', () => {
  test('a list of large records shows their beginnings, and answers in few bytes', async () => {
    const run = await newRun();
    for (let index = 0; index < 3; index += 1)
      await newRecord(run.id, { inputs: { index }, outputs: large });
    const { status, body, text } = await request('GET', `/runs/${run.id}/records?preview=200`);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(3000);
    expect(body.data[1].inputs).toEqual({ text: '{"index":1}', bytes: 11, isCut: false });
    expect(body.data[1].outputs).toEqual({
      text: `{"text":"${'é'.repeat(191)}`,
      bytes: 800_011,
      isCut: true,
    });
    expect(body.data[1].scores).toEqual([]);
  });

  test('a record, the review queue and a record of an earlier release have them too', async () => {
    const run = await newRun({
      metricIds: [await newMetric({ evalType: 'human', outputType: 'boolean' })],
    });
    const { id } = (await newRecord(run.id, { outputs: large })).body;
    const one = await request('GET', `/records/${id}?preview=9&fields=/inputs/question`);
    expect(one.body.outputs.text).toBe('{"text":"');
    const queue = await request('GET', `/review-queue?runId=${run.id}&preview=9`);
    expect(queue.body.data[0].record.outputs).toEqual(one.body.outputs);
    const client = await MongoClient.connect(config().MONGODB_URI);
    await client
      .db(`${config().DATABASE_PREFIX}_run-records`)
      .collection('records')
      .updateMany({}, { $unset: { 'kept.heads': '' } });
    await client.close();
    const before = await request('GET', `/records/${id}?preview=9`);
    expect(before.body.outputs).toEqual(one.body.outputs);
  });

  test('fields give the values of small payloads, cut likewise', async () => {
    const run = await newRun();
    await newRecord(run.id, { outputs: { answer: 'Ask for the number', steps: [1, 2] } });
    const { body } = await request(
      'GET',
      `/runs/${run.id}/records?preview=3&fields=/outputs/answer&fields=/outputs/steps&fields=/outputs/none`,
    );
    expect(body.data[0].fields).toEqual({
      '/outputs/answer': { text: 'Ask', bytes: 20, isCut: true },
      '/outputs/steps': { text: '[1,', bytes: 5, isCut: true },
    });
  });

  test.each([
    ['preview=2001', '?preview'],
    ['preview=-1', '?preview'],
    ['preview=many', '?preview'],
    ['preview=1&fields=outputs', '?fields'],
    [`preview=1${'&fields=/a'.repeat(11)}`, '?fields'],
  ])('a list with %s is refused at %s', async (query, place) => {
    const run = await newRun();
    const { status, body } = await request('GET', `/runs/${run.id}/records?${query}`);
    expect(status).toBe(400);
    expect(body.details.issues[0].path).toContain(place);
    expect((await request('GET', `/runs/${missingId}/records?preview=1`)).status).toBe(404);
  });
});
