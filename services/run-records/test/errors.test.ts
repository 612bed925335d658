import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { asScoring, payloads, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { migrations } from '../src/migrations.ts';

// Services of its own: a migration goes through the records of all organizations.
const { config, request, newMetric, newRun, newRecord, getRun } = useRunRecords({ config: {} });

const error = { name: 'ConnectionError', message: 'model down', stack: 'at ask', status: 503 };
const { outputs: _outputs, ...unanswered } = payloads;
const human = { evalType: 'human', outputType: 'boolean' };

/** A run of a metric that the service scores and one of people, with a record without an answer. */
async function failedRecord(change: object = {}) {
  const metricIds = [await newMetric(), await newMetric(human)];
  const run = await newRun({ metricIds });
  const reply = await request('POST', `/runs/${run.id}/records`, {
    ...unanswered,
    error,
    ...change,
  });
  expect(reply.status, reply.text).toBe(201);
  return { run, record: reply.body, versions: run.metricVersionIds as string[] };
}

describe('a record whose system failed', () => {
  test('is read back and listed with its error, its attempts and its notes', async () => {
    const more = {
      systemAttempts: 3,
      notes: [{ code: 'not_converted', path: '/outputs/score', message: 'It was a lock.' }],
    };
    const { run, record } = await failedRecord(more);
    const whole = { ...unanswered, outputs: {}, error, ...more };
    expect(record).toMatchObject(whole);
    expect((await request('GET', `/records/${record.id}`)).body).toMatchObject(whole);
    const listed = await request('GET', `/runs/${run.id}/records`);
    expect(listed.body.data[0]).toMatchObject(whole);
  });

  test('counts its scores as errored, asks nobody for them, and completes the run', async () => {
    const { run, record, versions } = await failedRecord();
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      scoring: { expected: 2, scored: 0, failed: 0, pending: 0, errored: 2 },
    });
    const { missingScores, scores } = (await request('GET', `/records/${record.id}`)).body;
    expect(scores).toEqual([]);
    expect(missingScores).toEqual(
      versions.map((metricConfigId) => ({ metricConfigId, state: 'errored' })),
    );
    const forScoring = { runId: run.id, recordIds: [record.id], model: null };
    const asked = await request('POST', '/internal/records-for-scoring', forScoring, asScoring);
    expect(asked.body.records).toEqual([]);
    const queue = await request('GET', `/review-queue?runId=${run.id}`);
    expect(queue.body.data).toEqual([]);
  });

  test('takes a score that a person gives all the same, and is errored again without it', async () => {
    const { run, record, versions } = await failedRecord();
    const path = `/records/${record.id}/scores/${versions[1]}`;
    await request('PUT', path, { score: { binaryScore: true } });
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 2, scored: 1, errored: 1 });
    await request('DELETE', path);
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 2, scored: 0, errored: 2 });
  });

  test('stays errored when the run is scored again, and for a metric that joins the run', async () => {
    const { run } = await failedRecord();
    const joining = await newMetric();
    const rescored = await request('POST', `/runs/${run.id}/rescore`, {
      metricIds: [...run.metricIds, joining],
    });
    expect(rescored.body).toEqual({ queued: 0, awaited: 0 });
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      scoring: { expected: 3, scored: 0, failed: 0, pending: 0, errored: 3 },
    });
  });

  test('is found by its error, and by the outcome of its metrics', async () => {
    const { run, record, versions } = await failedRecord();
    const answered = (await newRecord(run.id)).body;
    const found = async (query: string) => {
      const { body } = await request('GET', `/runs/${run.id}/records?${query}`);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await found('hasError=true')).toEqual([record.id]);
    expect(await found('hasError=false')).toEqual([answered.id]);
    expect(await found(`metricVersionId=${versions[0]}&outcome=errored`)).toEqual([record.id]);
    expect(await found(`metricVersionId=${versions[0]}&outcome=fail`)).toEqual([]);
  });

  test('is exported with its error, as lines that make it again and as columns', async () => {
    const { run, record } = await failedRecord();
    const exported = await request('GET', `/runs/${run.id}/records/export`);
    const line = JSON.parse(exported.text);
    expect(line).toMatchObject({ id: record.id, error, outputs: {} });
    const again = await newRun();
    const bulk = await request('POST', `/runs/${again.id}/records/bulk`, undefined, {
      raw: exported.text,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const { id } = JSON.parse(bulk.text);
    expect((await request('GET', `/records/${id}`)).body).toMatchObject({ error });
    const [head, row] = (
      await request('GET', `/runs/${run.id}/records/export?format=csv`)
    ).text.split('\n');
    expect(head).toMatch(/,error_name,error_message$/);
    expect(row).toMatch(/,ConnectionError,model down$/);
  });

  test('is deleted with its part of the accounts', async () => {
    const { run, record } = await failedRecord();
    await request('DELETE', `/records/${record.id}`);
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 0,
      scored: 0,
      failed: 0,
      pending: 0,
    });
  });
});

describe('a new record is refused', () => {
  test.each([
    ['without outputs and without an error', {}, '/outputs', 'unless the record has an error'],
    ['with an error without a message', { error: { name: 'E' } }, '/error/message', 'is required'],
    [
      'with a message of more than 16 KiB of UTF-8',
      { error: { message: 'é'.repeat(8193) } },
      '/error/message',
      'at most 16384 bytes',
    ],
    [
      'with a status that HTTP does not have',
      { error: { message: '', status: 600 } },
      '/error/status',
      '599',
    ],
    ['with no attempt', { error, systemAttempts: 0 }, '/systemAttempts', '1'],
  ])('%s', async (_what, change, path, message) => {
    const run = await newRun();
    const reply = await request('POST', `/runs/${run.id}/records`, { ...unanswered, ...change });
    expect(reply.status).toBe(400);
    const issue = reply.body.details.issues.find((each: { path: string }) => each.path === path);
    expect(issue?.message, reply.text).toContain(message);
  });
});

describe('accounts', () => {
  test('count a score that does not fit its metric as invalid, and find it as such', async () => {
    const run = await newRun({ metricIds: [await newMetric(human)] });
    const { id } = (await newRecord(run.id)).body;
    const [version] = run.metricVersionIds;
    await request('PUT', `/records/${id}/scores/${version}`, { score: { binaryScore: 0 } });
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      numScores: 0,
      scoring: { expected: 1, scored: 0, failed: 0, pending: 0, invalid: 1 },
    });
    const found = await request(
      'GET',
      `/runs/${run.id}/records?metricVersionId=${version}&outcome=invalid`,
    );
    expect(found.body.data.map((each: { id: string }) => each.id)).toEqual([id]);
  });

  test('count a score of null as not applicable, and keep its reason', async () => {
    const run = await newRun({
      metricIds: [await newMetric({ evalType: 'heuristic', outputType: 'float' })],
    });
    const { id } = (await newRecord(run.id)).body;
    const [version] = run.metricVersionIds;
    const score = { value: null, reasoning: 'There is no context to be faithful to.' };
    const put = await request('PUT', `/records/${id}/scores/${version}`, { score });
    expect(put.body.validationErrors).toBeUndefined();
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 1,
      scored: 0,
      failed: 0,
      pending: 0,
      notApplicable: 1,
    });
    const { scores, missingScores } = (await request('GET', `/records/${id}`)).body;
    expect(scores[0].score).toEqual(score);
    expect(missingScores).toEqual([]);
  });

  test('count a judgement that says that its metric does not apply', async () => {
    const run = await newRun({ metricIds: [await newMetric()] });
    const { id } = (await newRecord(run.id)).body;
    const [metricVersionId] = run.metricVersionIds;
    const outcome = {
      kind: 'notApplicable',
      reasoning: 'No context.',
      source: 'heuristic',
      provenance: { metricVersionId, evaluator: 'typescript', durationMs: 1, attempts: 1 },
    };
    const judgements = [{ recordId: id, metricVersionId, outcome }];
    await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring);
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 1, notApplicable: 1 });
    const { scores } = (await request('GET', `/records/${id}`)).body;
    expect(scores[0]).toMatchObject({
      score: { value: null, reasoning: 'No context.' },
      source: 'heuristic',
    });
  });
});

describe('records of 0.2.0', () => {
  /** Works on the data of the service under test. */
  async function inDatabase(work: (database: Database) => Promise<unknown>) {
    const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = config();
    const database = await openDatabase({ uri, name: `${prefix}_run-records` });
    await work(database);
    await database.close();
  }

  /** A repeat changes nothing. */
  async function migrate() {
    const migration = migrations.find(({ name }) => name === '15-errors')!;
    for (let time = 0; time < 2; time++) await inDatabase(migration.up);
  }

  test('whose package stored a long error as outputs get it as long as a record may have it', async () => {
    const run = await newRun({ metricIds: [] });
    const outputs = { error: { name: 'E'.repeat(300), message: 'é'.repeat(20_000) } };
    const { id } = (await newRecord(run.id, { outputs, tags: ['error'] })).body;
    await migrate();
    const { error } = (await request('GET', `/records/${id}`)).body;
    expect([error.name.length, Buffer.byteLength(error.message)]).toEqual([256, 16 * 1024 - 1]);
    expect(error.name.endsWith('…') && error.message.endsWith('…')).toBe(true);
  });

  test('whose package stored an error as outputs get it, and their failed scores become errored', async () => {
    const metricIds = [await newMetric(), await newMetric(), await newMetric(human)];
    const run = await newRun({ metricIds });
    const [scored, failed] = run.metricVersionIds as [string, string];
    const outputs = { error: { name: 'TimeoutError', message: 'No answer within 5 ms.' } };
    const { id } = (await newRecord(run.id, { outputs, tags: ['error'] })).body;
    const answer = (await newRecord(run.id, { outputs: { error: 'E4' }, tags: ['error'] })).body;
    const provenance = {
      metricVersionId: scored,
      evaluator: 'exact_match',
      durationMs: 1,
      attempts: 1,
    };
    const judgements = [
      {
        recordId: id,
        metricVersionId: scored,
        outcome: { kind: 'score', value: false, reasoning: '', source: 'heuristic', provenance },
      },
      {
        recordId: id,
        metricVersionId: failed,
        outcome: { kind: 'failure', code: 'code_error', message: 'Nothing there.', attempts: 1 },
      },
    ];
    await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring);
    const before = (await getRun(run.id)).scoring;
    expect(before).toEqual({ expected: 6, scored: 1, failed: 1, pending: 4 });
    await migrate();
    const record = (await request('GET', `/records/${id}`)).body;
    expect(record).toMatchObject({ error: outputs.error, outputs });
    expect(record.missingScores).toMatchObject([{ state: 'errored' }, { state: 'errored' }]);
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 6,
      scored: 1,
      failed: 0,
      pending: 3,
      errored: 2,
    });
    expect((await request('GET', `/records/${answer.id}`)).body).not.toHaveProperty('error');
    const found = await request('GET', `/runs/${run.id}/records?hasError=true`);
    expect(found.body.data).toHaveLength(1);
  });

  test('whose score does not fit its metric count it as invalid, no longer as scored', async () => {
    const run = await newRun({ metricIds: [await newMetric(human)] });
    const { id } = (await newRecord(run.id)).body;
    const [version] = run.metricVersionIds;
    await request('PUT', `/records/${id}/scores/${version}`, { score: { binaryScore: 0 } });
    await inDatabase(async (database) => {
      await database
        .collection<{ _id: string }>('records')
        .updateOne({ _id: id }, { $set: { 'outcomes.0.outcome': 'unfit' } });
      await database
        .collection('run_counters')
        .updateOne({ runId: run.id, invalid: 1 }, { $inc: { invalid: -1, scored: 1 } });
    });
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 1, scored: 1 });
    await migrate();
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 1,
      scored: 0,
      failed: 0,
      pending: 0,
      invalid: 1,
    });
  });
});
