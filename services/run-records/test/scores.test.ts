import {
  asScoring,
  heuristic,
  missingId,
  payloads,
  useRunRecords,
} from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { identity, request, newMetric, newRun, newRecord, getRun } = useRunRecords();

describe('scores', () => {
  async function scored() {
    const run = await newRun({
      metricIds: [await newMetric({ evalType: 'human', outputType: 'int' })],
    });
    const record = (await newRecord(run.id)).body;
    const path = `/records/${record.id}/scores/${run.metricVersionIds[0]}`;
    return { run, record, path, put: (body: object) => request('PUT', path, body) };
  }

  test('a score that is given completes the run, and is replaced by the next', async () => {
    const { run, record, put } = await scored();
    expect((await getRun(run.id)).status).toBe('awaiting_human_scoring');
    const first = await put({ score: { intScore: 4, reasoning: 'good' } });
    expect(first.body).toEqual({
      recordId: record.id,
      metricConfigId: run.metricVersionIds[0],
      userId: identity().userId,
      score: { intScore: 4, reasoning: 'good' },
      source: 'human',
      createdAt: expect.any(String),
    });
    await put({ score: { value: 5 } });
    const { scores } = (await request('GET', `/records/${record.id}`)).body;
    expect(scores.map(({ score }: { score: object }) => score)).toEqual([{ value: 5 }]);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      numScores: 1,
      scoring: { expected: 1, scored: 1, failed: 0, pending: 0 },
    });
  });

  test.each([
    [
      'heuristic',
      'a heuristic metric without an evaluator',
      { evalType: 'heuristic', outputType: 'int' },
    ],
    ['human', 'a heuristic metric whose evaluator it overrides', heuristic],
    ['human', 'a metric that people score', { evalType: 'human', outputType: 'int' }],
  ])(
    'a score that a client gives comes from a source of the kind %s for %s',
    async (source, _, metric) => {
      const run = await newRun({ metricIds: [await newMetric(metric)] });
      const { id } = (await newRecord(run.id)).body;
      const path = `/records/${id}/scores/${run.metricVersionIds[0]}`;
      expect((await request('PUT', path, { score: { value: 1 } })).body.source).toBe(source);
    },
  );

  test('what does not fit is stored and told, and is no longer missing', async () => {
    const { run, put } = await scored();
    const reply = await put({ score: { intScore: 7, reasoning: 3 } });
    expect(reply.status).toBe(200);
    expect(reply.body.validationErrors).toEqual([
      {
        path: '/score/intScore',
        message: '"intScore" should be a whole number from 1 to 5, but it is 7.',
      },
      { path: '/score/reasoning', message: '"reasoning" should be a text, but it is 3.' },
    ]);
    expect((await getRun(run.id)).status).toBe('completed');
    expect((await put({ score: {} })).body.validationErrors[0].path).toBe('/score');
    expect((await put({ score: [] })).status).toBe(400);
  });

  test('a float a hair outside of its scale counts as the bound, and one further outside does not', async () => {
    const run = await newRun({
      metricIds: [await newMetric({ evalType: 'human', outputType: 'float' })],
    });
    const put = async (floatScore: number) => {
      const { id } = (await newRecord(run.id)).body;
      const path = `/records/${id}/scores/${run.metricVersionIds[0]}`;
      return (await request('PUT', path, { score: { floatScore } })).body;
    };
    for (const floatScore of [1.0000000000000002, -1e-17]) {
      const { score, validationErrors } = await put(floatScore);
      expect([score, validationErrors]).toEqual([{ floatScore }, undefined]);
    }
    expect((await put(1.00000001)).validationErrors).toHaveLength(1);
  });

  test('a score without a value is pending; it can be given for another member only', async () => {
    const { run, put } = await scored();
    expect((await put({})).body.score).toEqual({});
    expect(await getRun(run.id)).toMatchObject({
      status: 'awaiting_human_scoring',
      numScores: 0,
      scoring: { expected: 1, pending: 1 },
    });
    expect((await put({ userId: missingId })).body.details.issues[0].path).toBe('/userId');
    const heuristicRun = await newRun({ metricIds: [await newMetric()] });
    const record = (await newRecord(heuristicRun.id)).body;
    const reply = await request(
      'PUT',
      `/records/${record.id}/scores/${heuristicRun.metricVersionIds[0]}`,
      {},
    );
    expect(reply.body.details.issues[0].path).toBe('/score');
  });

  test("an unknown metric version is a 404; one that is not the run's is stored outside its accounts", async () => {
    const { run, record } = await scored();
    expect(
      (await request('PUT', `/records/${record.id}/scores/${missingId}`, { score: {} })).status,
    ).toBe(404);
    const other = await newRun({ metricIds: [await newMetric()] });
    const path = `/records/${record.id}/scores/${other.metricVersionIds[0]}`;
    expect((await request('PUT', path, { score: { value: true } })).status).toBe(200);
    expect(await getRun(run.id)).toMatchObject({
      numScores: 0,
      scoring: { expected: 1, scored: 0, pending: 1 },
    });
    expect((await request('DELETE', path)).body).toEqual({ deleted: 1 });
    expect((await request('DELETE', path)).body).toEqual({ deleted: 0 });
  });

  test('a deleted score is missing again', async () => {
    const { run, path, put } = await scored();
    await put({ score: { value: 3 } });
    expect((await request('DELETE', path)).body).toEqual({ deleted: 1 });
    expect(await getRun(run.id)).toMatchObject({ status: 'awaiting_human_scoring', numScores: 0 });
  });
});

describe('judgements of the service', () => {
  const score = {
    kind: 'score',
    value: true,
    reasoning: 'same',
    source: 'heuristic',
    provenance: {
      metricVersionId: missingId,
      evaluator: 'exact_match',
      durationMs: 1,
      attempts: 1,
    },
  };
  const failure = { kind: 'failure', code: 'timeout', message: 'too slow', attempts: 6 };

  async function awaiting(count = 1) {
    const run = await newRun({ metricIds: [await newMetric()] });
    const records = await Promise.all(
      Array.from({ length: count }, async () => (await newRecord(run.id)).body.id as string),
    );
    const accept = async (outcome: object, recordIds = records) => {
      const judgements = recordIds.map((recordId) => ({
        recordId,
        metricVersionId: run.metricVersionIds[0],
        outcome,
      }));
      return (
        await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring)
      ).body;
    };
    return { run, records, accept };
  }

  test('only a service may hand them over', async () => {
    const reply = await request('POST', '/internal/judgements', {
      runId: missingId,
      judgements: [],
    });
    expect(reply.status).toBe(403);
  });

  test('a judgement is taken once, and one that is not awaited is passed over', async () => {
    const { run, records, accept } = await awaiting(2);
    expect(await accept(score)).toMatchObject({ accepted: 2 });
    expect(await accept(failure)).toMatchObject({ accepted: 0 });
    expect(await accept(score, [missingId])).toMatchObject({ accepted: 0 });
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      scoring: { expected: 2, scored: 2, failed: 0, pending: 0 },
    });
    const { scores } = (await request('GET', `/records/${records[0]}`)).body;
    expect(scores[0]).toMatchObject({
      userId: 'background-job',
      score: { binaryScore: true, value: true, reasoning: 'same' },
      source: 'heuristic',
    });
  });

  test('a person overrides the service, and the service does not override a person', async () => {
    const { run, records, accept } = await awaiting();
    await request('PUT', `/records/${records[0]}/scores/${run.metricVersionIds[0]}`, {
      score: { value: false },
    });
    expect(await accept(score)).toMatchObject({ accepted: 0 });
    expect((await request('POST', `/runs/${run.id}/rescore`, {})).body).toEqual({
      queued: 0,
      awaited: 0,
    });
    expect((await request('GET', `/records/${records[0]}`)).body.scores[0].source).toBe('human');
  });

  test('failures are listed page by page, and a retry makes them missing again', async () => {
    const { run, records, accept } = await awaiting(5);
    await accept(failure);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      scoring: { expected: 5, scored: 0, failed: 5, pending: 0 },
    });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: { recordId: string }[]; nextCursor: string | null } = (
        await request('GET', `/runs/${run.id}/failures?limit=2${cursor && `&cursor=${cursor}`}`)
      ).body;
      seen.push(...page.data.map(({ recordId }) => recordId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual([...records].sort());
    const retried = await request('POST', `/runs/${run.id}/retry`);
    expect(retried.status).toBe(202);
    expect(retried.body).toEqual({ queued: 5 });
    expect(await getRun(run.id)).toMatchObject({
      status: 'awaiting_scoring',
      scoring: { failed: 0, pending: 5 },
    });
    expect((await request('GET', `/runs/${run.id}/failures`)).body.data).toEqual([]);
  });

  test("a rescore takes the metrics' current versions, which join the run, for the records that are named", async () => {
    const { run, records, accept } = await awaiting(3);
    await accept(score);
    await request('PATCH', `/metrics/${run.metricIds[0]}`, { ...heuristic, guidelines: 'changed' });
    const reply = await request('POST', `/runs/${run.id}/rescore`, {
      metricIds: run.metricIds,
      recordIds: records.slice(0, 2),
    });
    expect(reply.body).toEqual({ queued: 2, awaited: 0 });
    const now = await getRun(run.id);
    expect(now.metricIds).toEqual(run.metricIds);
    expect(now.metricVersionIds).toEqual([run.metricVersionIds[0], expect.any(String)]);
    expect(now).toMatchObject({
      status: 'running_scoring',
      scoring: { expected: 5, scored: 3, failed: 0, pending: 2 },
    });
    const bad = await request('POST', `/runs/${run.id}/rescore`, { metricIds: ['x'] });
    expect(bad.body.details.issues[0].path).toBe('/metricIds/0');
    expect(
      (await request('POST', `/runs/${run.id}/rescore`, { recordIds: [missingId] })).body.details
        .issues[0].path,
    ).toBe('/recordIds/0');
  });

  test('the scoring service reads what is pending, with its payloads', async () => {
    const { run, records, accept } = await awaiting(2);
    await accept(score, [records[0]!]);
    const read = await request(
      'POST',
      '/internal/records-for-scoring',
      { runId: run.id, recordIds: [...records, missingId], model: null },
      asScoring,
    );
    expect(read.body).toEqual({
      records: [{ id: records[1], ...payloads, pending: run.metricVersionIds }],
      remaining: [],
      budget: null,
      projectId: expect.any(String),
    });
  });
});
