import { createHash } from 'node:crypto';
import { poll } from '@assay/testing/poll';
import { missingId, payloads, useRunRecords } from '@assay/testing/run-records';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';

const { config, getRun, identity, newMetric, newRecord, newRun, newTestset, request } =
  useRunRecords();

describe('records', () => {
  test('payloads come back as the text that was sent, whatever they hold', async () => {
    const run = await newRun();
    const inputs =
      '{"__proto__":1,"$where":"x","a.b":[1e400,-0,1.0,12345678901234567890],"nul":"\\u0000","half":"\\ud800","toString":null}';
    const raw = `{"inputs": ${inputs},"expected":{},"outputs":{ "a" : 1 }}`;
    const created = await request('POST', `/runs/${run.id}/records`, undefined, { raw });
    expect(created.status).toBe(201);
    const text = `"inputs":${inputs},"expected":{},"outputs":{ "a" : 1 }`;
    expect(created.text).toContain(text);
    expect((await request('GET', `/records/${created.body.id}`)).text).toContain(text);
    expect((await request('GET', `/runs/${run.id}/records`)).text).toContain(text);
  });

  test("a testcase that is not of the run's testset is refused with its place; one of it is kept", async () => {
    const { testset, testcaseIds } = await newTestset(2);
    const { testcaseIds: others } = await newTestset(1);
    const run = await newRun({ testsetId: testset });
    expect((await newRecord(run.id, { testcaseId: testcaseIds[0] })).body.testcaseId).toBe(
      testcaseIds[0],
    );
    for (const testcaseId of [others[0], missingId, 'x']) {
      const reply = await newRecord(run.id, { testcaseId });
      expect(reply.status).toBe(400);
      expect(reply.body.details.issues[0].path).toBe('/testcaseId');
    }
    expect((await newRecord((await newRun()).id, { testcaseId: others[0] })).status).toBe(201);
  });

  test('the same span in the same run gives the record that is there, however many ask at once', async () => {
    const run = await newRun({ metricIds: [await newMetric()] });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => newRecord(run.id, { otelLinkId: 'span-1' })),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(await getRun(run.id)).toMatchObject({
      numRecords: 1,
      scoring: { expected: 1, pending: 1 },
    });
  });

  test('an Idempotency-Key makes one record of many repeats, and refuses another body', async () => {
    const run = await newRun();
    const key = { 'idempotency-key': 'record-1' };
    const replies = await Promise.all(Array.from({ length: 10 }, () => newRecord(run.id, {}, key)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(
      replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true'),
    ).toHaveLength(9);
    expect((await newRecord(run.id, { outputs: { answer: 'b' } }, key)).status).toBe(409);
    expect((await getRun(run.id)).numRecords).toBe(1);
  });

  test('many records at once are each counted once, also when some fall out', async () => {
    const metricIds = [
      await newMetric(),
      await newMetric({ evalType: 'human', outputType: 'int' }),
    ];
    const run = await newRun({ metricIds });
    // A busy machine may say 409 or 503, and a client sends the record again.
    const create = (otelLinkId: string) =>
      poll('the record is taken', async () => {
        const reply = await newRecord(run.id, { otelLinkId });
        return reply.status < 300 && reply;
      });
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, index) => create(`span-${index % 250}`)),
    );
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(250);
    expect(await getRun(run.id)).toMatchObject({
      numRecords: 250,
      scoring: { expected: 500, scored: 0, failed: 0, pending: 500 },
    });
    const deletions = await Promise.all(
      replies.slice(0, 50).map(({ body }) => request('DELETE', `/records/${body.id}`)),
    );
    expect(deletions.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(await getRun(run.id)).toMatchObject({ numRecords: 200, scoring: { expected: 400 } });
    expect((await request('DELETE', `/records/${replies[0]!.body.id}`)).status).toBe(404);
  });

  test('records are found by all of their tags, each as it stands or as its parts', async () => {
    const run = await newRun();
    const withTags = async (...tags: string[]) => (await newRecord(run.id, { tags })).body.id;
    const [ab, a, joined] = [await withTags('a', 'b'), await withTags('a'), await withTags('a,b')];
    const find = async (query: string) =>
      (await request('GET', `/runs/${run.id}/records?${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await find('tags=a')).toEqual([ab, a]);
    expect(await find('tags=a&tags=b')).toEqual([ab]);
    expect(await find('tags=a,b')).toEqual([ab, joined]);
    expect(await find('tags=none')).toEqual([]);
    expect((await request('GET', `/runs/${run.id}/records?tags=`)).status).toBe(400);
    const many = Array.from({ length: 51 }, () => 'tags=a').join('&');
    expect((await request('GET', `/runs/${run.id}/records?${many}`)).status).toBe(400);
  });

  test("another organization's run and record are not there", async () => {
    const run = await newRun();
    const record = (await newRecord(run.id)).body;
    const as = { identity: { organizationId: missingId } };
    expect((await request('POST', `/runs/${run.id}/records`, payloads, as)).status).toBe(404);
    for (const path of [`/runs/${run.id}`, `/records/${record.id}`, `/runs/${run.id}/summary`])
      expect((await request('GET', path, undefined, as)).status).toBe(404);
    expect((await request('DELETE', `/records/${record.id}`, undefined, as)).status).toBe(404);
  });

  test('a record needs its three payloads to be objects', async () => {
    const run = await newRun();
    const reply = await request('POST', `/runs/${run.id}/records`, { inputs: [], outputs: 'x' });
    expect(reply.body.details.issues).toEqual([
      { path: '/inputs', message: 'must be an object' },
      { path: '/expected', message: 'is required' },
      { path: '/outputs', message: 'must be an object' },
    ]);
  });

  test('a key that a transaction under way holds keeps its own repeat waiting, and nobody else', async () => {
    const run = await newRun();
    const path = `/runs/${run.id}/records`;
    const id = createHash('sha256')
      .update([identity().organizationId, 'POST', path, 'held'].join('\n'))
      .digest('base64url');
    const client = new MongoClient(config().MONGODB_URI);
    const session = client.startSession();
    session.startTransaction();
    const keys = client
      .db(`${config().DATABASE_PREFIX}_run-records`)
      .collection<{ _id: string }>('record_keys');
    await keys.insertOne({ _id: id }, { session });

    const order: string[] = [];
    const repeat = newRecord(run.id, {}, { 'idempotency-key': 'held' }).then(({ status }) =>
      order.push(`held ${status}`),
    );
    const others = Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        newRecord(run.id, {}, { 'idempotency-key': `other-${index}` }),
      ),
    );
    expect((await others).map(({ status }) => status)).toEqual(Array(40).fill(201));
    order.push('others');
    await session.abortTransaction();
    await repeat;
    expect(order).toEqual(['others', 'held 201']);
    expect((await getRun(run.id)).numRecords).toBe(41);
    await client.close();
  });
});
