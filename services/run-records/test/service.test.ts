import { start as startCatalog } from '@assay/catalog/service';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
let projectId: string;
beforeAll(async () => {
  world = await startWorld({
    services: {
      identity: startIdentity,
      catalog: startCatalog,
      testcases: startTestcases,
      systems: startSystems,
      metrics: startMetrics,
      'run-records': start,
    },
  });
  projectId = (await world.request('POST', '/projects', { name: 'p', description: '' })).body.id;
});
afterAll(() => world.stop());

const missingId = '00000000-0000-7000-8000-000000000000';
const payloads = { inputs: { question: 'q' }, expected: { answer: 'a' }, outputs: { answer: 'a' } };
const heuristic = { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'exact_match', options: {} } };

const newMetric = async (body: object = heuristic) =>
  (await world.request('POST', `/projects/${projectId}/metrics`, { name: 'm', ...body })).body.id as string;
const newRun = async (body: object = {}) => (await world.request('POST', `/projects/${projectId}/runs`, { metricIds: [], ...body })).body;
const newRecord = (runId: string, change: object = {}, headers = {}) =>
  world.request('POST', `/runs/${runId}/records`, { ...payloads, ...change }, { headers });
const getRun = async (runId: string) => (await world.request('GET', `/runs/${runId}`)).body;
const asScoring = { identity: { role: 'service' as const } };

async function newTestset(count: number) {
  const fieldMapping = { inputs: ['question'], expected: ['answer'], metadata: [] };
  const testset = (
    await world.request('POST', `/projects/${projectId}/testsets`, { name: 't', description: '', jsonSchema: {}, fieldMapping })
  ).body.id as string;
  const items = Array.from({ length: count }, (_, index) => ({ jsonData: { question: `q${index}` } }));
  const testcases = count === 0 ? [] : (await world.request('POST', `/testsets/${testset}/testcases`, { items })).body.items;
  return { testset, testcaseIds: testcases.map(({ id }: { id: string }) => id) as string[] };
}

describe('runs', () => {
  test("a run pins its metrics' current versions and counts its testset's testcases at that moment", async () => {
    const metricId = await newMetric();
    const { testset } = await newTestset(3);
    const run = await newRun({ metricIds: [metricId], testsetId: testset });
    expect(run).toEqual({
      id: expect.any(String),
      testsetId: testset,
      systemId: null,
      systemVersionId: null,
      metricIds: [metricId],
      metricVersionIds: [expect.any(String)],
      numRecords: 0,
      numExpectedRecords: 3,
      numScores: 0,
      status: 'awaiting_execution',
      source: 'API',
      createdAt: expect.any(String),
      scoring: { expected: 0, scored: 0, failed: 0, pending: 0 },
      costUsd: 0,
    });
    await world.request('PATCH', `/metrics/${metricId}`, { evalType: 'heuristic', outputType: 'boolean', guidelines: 'other' });
    expect((await getRun(run.id)).metricVersionIds).toEqual(run.metricVersionIds);
    expect((await newRun({ metricIds: [metricId] })).metricVersionIds).not.toEqual(run.metricVersionIds);
  });

  test('what a run refers to and is not there is told with its place, all at once', async () => {
    const reply = await world.request('POST', `/projects/${projectId}/runs`, {
      metricIds: [await newMetric(), 'x'],
      testsetId: missingId,
      systemVersionId: missingId,
    });
    expect(reply.status).toBe(400);
    expect(reply.body.details.issues.map(({ path }: { path: string }) => path)).toEqual(['/metricIds/1', '/testsetId', '/systemVersionId']);
    expect((await world.request('POST', `/projects/${missingId}/runs`, { metricIds: [] })).status).toBe(404);
  });

  test('runs are listed newest first, and by their source', async () => {
    const other = (await world.request('POST', '/projects', { name: 'runs', description: '' })).body.id;
    const ids = [];
    for (let index = 0; index < 3; index++) ids.push((await world.request('POST', `/projects/${other}/runs`, { metricIds: [] })).body.id);
    const list = await world.request('GET', `/projects/${other}/runs`);
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.reverse());
    expect((await world.request('GET', `/projects/${other}/runs?source=Monitor`)).body.data).toEqual([]);
    expect((await world.request('GET', `/projects/${other}/runs?source=other`)).status).toBe(400);
  });

  test('after the deletion of its project a run and its records answer 404 at once', async () => {
    const other = (await world.request('POST', '/projects', { name: 'gone', description: '' })).body.id;
    const run = (await world.request('POST', `/projects/${other}/runs`, { metricIds: [] })).body;
    const record = (await newRecord(run.id)).body;
    await world.request('DELETE', `/projects/${other}`);
    const paths = [
      `/runs/${run.id}`,
      `/runs/${run.id}/records`,
      `/records/${record.id}`,
      `/records/${record.id}/tags`,
      `/projects/${other}/runs`,
    ];
    for (const path of paths) expect((await world.request('GET', path)).status, path).toBe(404);
    expect((await newRecord(run.id)).status).toBe(404);
  });
});

describe('records', () => {
  test('payloads come back as the text that was sent, whatever they hold', async () => {
    const run = await newRun();
    const inputs =
      '{"__proto__":1,"$where":"x","a.b":[1e400,-0,1.0,12345678901234567890],"nul":"\\u0000","half":"\\ud800","toString":null}';
    const raw = `{"inputs": ${inputs},"expected":{},"outputs":{ "a" : 1 }}`;
    const created = await world.request('POST', `/runs/${run.id}/records`, undefined, { raw });
    expect(created.status).toBe(201);
    const text = `"inputs":${inputs},"expected":{},"outputs":{ "a" : 1 }`;
    expect(created.text).toContain(text);
    expect((await world.request('GET', `/records/${created.body.id}`)).text).toContain(text);
    expect((await world.request('GET', `/runs/${run.id}/records`)).text).toContain(text);
  });

  test.each([
    ['five million one-digit numbers', () => `{"a":[${'1,'.repeat(5_000_000)}1]}`],
    ['one long text', () => `{"a":"${'x'.repeat(14 * 1024 * 1024)}"}`],
    ['a million small objects', () => `{"a":[${'{"$a.b":{}},'.repeat(1_000_000)}0]}`],
  ])('a record of many megabytes comes back byte for byte: %s', async (_what, make) => {
    const run = await newRun();
    const inputs = make();
    const created = await world.request('POST', `/runs/${run.id}/records`, undefined, {
      raw: `{"inputs":${inputs},"expected":{},"outputs":{}}`,
    });
    expect(created.status).toBe(201);
    const { text } = await world.request('GET', `/records/${created.body.id}`);
    expect(text.includes(`"inputs":${inputs},"expected":{}`)).toBe(true);
  });

  test("a testcase that is not of the run's testset is refused with its place; one of it is kept", async () => {
    const { testset, testcaseIds } = await newTestset(2);
    const { testcaseIds: others } = await newTestset(1);
    const run = await newRun({ testsetId: testset });
    expect((await newRecord(run.id, { testcaseId: testcaseIds[0] })).body.testcaseId).toBe(testcaseIds[0]);
    for (const testcaseId of [others[0], missingId, 'x']) {
      const reply = await newRecord(run.id, { testcaseId });
      expect(reply.status).toBe(400);
      expect(reply.body.details.issues[0].path).toBe('/testcaseId');
    }
    expect((await newRecord((await newRun()).id, { testcaseId: others[0] })).status).toBe(201);
  });

  test('the same span in the same run gives the record that is there, however many ask at once', async () => {
    const run = await newRun({ metricIds: [await newMetric()] });
    const replies = await Promise.all(Array.from({ length: 20 }, () => newRecord(run.id, { otelLinkId: 'span-1' })));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(await getRun(run.id)).toMatchObject({ numRecords: 1, scoring: { expected: 1, pending: 1 } });
  });

  test('an Idempotency-Key makes one record of many repeats, and refuses another body', async () => {
    const run = await newRun();
    const key = { 'idempotency-key': 'record-1' };
    const replies = await Promise.all(Array.from({ length: 10 }, () => newRecord(run.id, {}, key)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    expect((await newRecord(run.id, { outputs: { answer: 'b' } }, key)).status).toBe(409);
    expect((await getRun(run.id)).numRecords).toBe(1);
  });

  test('many records at once are each counted once, also when some fall out', async () => {
    const metricIds = [await newMetric(), await newMetric({ evalType: 'human', outputType: 'int' })];
    const run = await newRun({ metricIds });
    const creations = Array.from({ length: 300 }, (_, index) => newRecord(run.id, { otelLinkId: `span-${index % 250}` }));
    const replies = await Promise.all(creations);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(250);
    expect(await getRun(run.id)).toMatchObject({ numRecords: 250, scoring: { expected: 500, scored: 0, failed: 0, pending: 500 } });
    const deletions = await Promise.all(replies.slice(0, 50).map(({ body }) => world.request('DELETE', `/records/${body.id}`)));
    expect(deletions.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(await getRun(run.id)).toMatchObject({ numRecords: 200, scoring: { expected: 400 } });
    expect((await world.request('DELETE', `/records/${replies[0]!.body.id}`)).status).toBe(404);
  });

  test('records are found by all of their tags, each as it stands or as its parts', async () => {
    const run = await newRun();
    const withTags = async (...tags: string[]) => (await newRecord(run.id, { tags })).body.id;
    const [ab, a, joined] = [await withTags('a', 'b'), await withTags('a'), await withTags('a,b')];
    const find = async (query: string) =>
      (await world.request('GET', `/runs/${run.id}/records?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await find('tags=a')).toEqual([ab, a]);
    expect(await find('tags=a&tags=b')).toEqual([ab]);
    expect(await find('tags=a,b')).toEqual([ab, joined]);
    expect(await find('tags=none')).toEqual([]);
    expect((await world.request('GET', `/runs/${run.id}/records?tags=`)).status).toBe(400);
    const many = Array.from({ length: 51 }, () => 'tags=a').join('&');
    expect((await world.request('GET', `/runs/${run.id}/records?${many}`)).status).toBe(400);
  });

  test("another organization's run and record are not there", async () => {
    const run = await newRun();
    const record = (await newRecord(run.id)).body;
    const as = { identity: { organizationId: missingId } };
    expect((await world.request('POST', `/runs/${run.id}/records`, payloads, as)).status).toBe(404);
    for (const path of [`/runs/${run.id}`, `/records/${record.id}`, `/runs/${run.id}/summary`])
      expect((await world.request('GET', path, undefined, as)).status).toBe(404);
    expect((await world.request('DELETE', `/records/${record.id}`, undefined, as)).status).toBe(404);
  });

  test('a record needs its three payloads to be objects', async () => {
    const run = await newRun();
    const reply = await world.request('POST', `/runs/${run.id}/records`, { inputs: [], outputs: 'x' });
    expect(reply.body.details.issues).toEqual([
      { path: '/inputs', message: 'must be an object' },
      { path: '/expected', message: 'is required' },
      { path: '/outputs', message: 'must be an object' },
    ]);
  });
});

describe('scores', () => {
  async function scored() {
    const run = await newRun({ metricIds: [await newMetric({ evalType: 'human', outputType: 'int' })] });
    const record = (await newRecord(run.id)).body;
    const path = `/records/${record.id}/scores/${run.metricVersionIds[0]}`;
    return { run, record, path, put: (body: object) => world.request('PUT', path, body) };
  }

  test('a score that is given completes the run, and is replaced by the next', async () => {
    const { run, record, put } = await scored();
    expect((await getRun(run.id)).status).toBe('awaiting_human_scoring');
    const first = await put({ score: { intScore: 4, reasoning: 'good' } });
    expect(first.body).toEqual({
      recordId: record.id,
      metricConfigId: run.metricVersionIds[0],
      userId: world.identity.userId,
      score: { intScore: 4, reasoning: 'good' },
      source: 'human',
      createdAt: expect.any(String),
    });
    await put({ score: { value: 5 } });
    const { scores } = (await world.request('GET', `/records/${record.id}`)).body;
    expect(scores.map(({ score }: { score: object }) => score)).toEqual([{ value: 5 }]);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      numScores: 1,
      scoring: { expected: 1, scored: 1, failed: 0, pending: 0 },
    });
  });

  test('what does not fit is stored and told, and is no longer missing', async () => {
    const { run, put } = await scored();
    const reply = await put({ score: { intScore: 7, reasoning: 3 } });
    expect(reply.status).toBe(200);
    expect(reply.body.validationErrors).toEqual([
      { path: '/score/intScore', message: '"intScore" should be a whole number from 1 to 5, but it is 7.' },
      { path: '/score/reasoning', message: '"reasoning" should be a text, but it is 3.' },
    ]);
    expect((await getRun(run.id)).status).toBe('completed');
    expect((await put({ score: {} })).body.validationErrors[0].path).toBe('/score');
    expect((await put({ score: [] })).status).toBe(400);
  });

  test('a score without a value is pending; it can be given for another member only', async () => {
    const { run, put } = await scored();
    expect((await put({})).body.score).toEqual({});
    expect(await getRun(run.id)).toMatchObject({ status: 'awaiting_human_scoring', numScores: 0, scoring: { expected: 1, pending: 1 } });
    expect((await put({ userId: missingId })).body.details.issues[0].path).toBe('/userId');
    const heuristicRun = await newRun({ metricIds: [await newMetric()] });
    const record = (await newRecord(heuristicRun.id)).body;
    const reply = await world.request('PUT', `/records/${record.id}/scores/${heuristicRun.metricVersionIds[0]}`, {});
    expect(reply.body.details.issues[0].path).toBe('/score');
  });

  test("an unknown metric version is a 404; one that is not the run's is stored outside its accounts", async () => {
    const { run, record } = await scored();
    expect((await world.request('PUT', `/records/${record.id}/scores/${missingId}`, { score: {} })).status).toBe(404);
    const other = await newRun({ metricIds: [await newMetric()] });
    const path = `/records/${record.id}/scores/${other.metricVersionIds[0]}`;
    expect((await world.request('PUT', path, { score: { value: true } })).status).toBe(200);
    expect(await getRun(run.id)).toMatchObject({ numScores: 0, scoring: { expected: 1, scored: 0, pending: 1 } });
    expect((await world.request('DELETE', path)).body).toEqual({ deleted: 1 });
    expect((await world.request('DELETE', path)).body).toEqual({ deleted: 0 });
  });

  test('a deleted score is missing again', async () => {
    const { run, path, put } = await scored();
    await put({ score: { value: 3 } });
    expect((await world.request('DELETE', path)).body).toEqual({ deleted: 1 });
    expect(await getRun(run.id)).toMatchObject({ status: 'awaiting_human_scoring', numScores: 0 });
  });
});

describe('judgements of the service', () => {
  const score = {
    kind: 'score',
    value: true,
    reasoning: 'same',
    source: 'heuristic',
    provenance: { metricVersionId: missingId, evaluator: 'exact_match', durationMs: 1, attempts: 1 },
  };
  const failure = { kind: 'failure', code: 'timeout', message: 'too slow', attempts: 6 };

  async function awaiting(count = 1) {
    const run = await newRun({ metricIds: [await newMetric()] });
    const records = await Promise.all(Array.from({ length: count }, async () => (await newRecord(run.id)).body.id as string));
    const accept = async (outcome: object, recordIds = records) => {
      const judgements = recordIds.map((recordId) => ({ recordId, metricVersionId: run.metricVersionIds[0], outcome }));
      return (await world.request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring)).body;
    };
    return { run, records, accept };
  }

  test('only a service may hand them over', async () => {
    const reply = await world.request('POST', '/internal/judgements', { runId: missingId, judgements: [] });
    expect(reply.status).toBe(403);
  });

  test('a judgement is taken once, and one that is not awaited is passed over', async () => {
    const { run, records, accept } = await awaiting(2);
    expect(await accept(score)).toEqual({ accepted: 2 });
    expect(await accept(failure)).toEqual({ accepted: 0 });
    expect(await accept(score, [missingId])).toEqual({ accepted: 0 });
    expect(await getRun(run.id)).toMatchObject({ status: 'completed', scoring: { expected: 2, scored: 2, failed: 0, pending: 0 } });
    const { scores } = (await world.request('GET', `/records/${records[0]}`)).body;
    expect(scores[0]).toMatchObject({
      userId: 'background-job',
      score: { binaryScore: true, value: true, reasoning: 'same' },
      source: 'heuristic',
    });
  });

  test('a person overrides the service, and the service does not override a person', async () => {
    const { run, records, accept } = await awaiting();
    await world.request('PUT', `/records/${records[0]}/scores/${run.metricVersionIds[0]}`, { score: { value: false } });
    expect(await accept(score)).toEqual({ accepted: 0 });
    expect((await world.request('POST', `/runs/${run.id}/rescore`, {})).body).toEqual({ queued: 0 });
    expect((await world.request('GET', `/records/${records[0]}`)).body.scores[0].source).toBe('human');
  });

  test('failures are listed page by page, and a retry makes them missing again', async () => {
    const { run, records, accept } = await awaiting(5);
    await accept(failure);
    expect(await getRun(run.id)).toMatchObject({ status: 'completed', scoring: { expected: 5, scored: 0, failed: 5, pending: 0 } });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: { recordId: string }[]; nextCursor: string | null } = (
        await world.request('GET', `/runs/${run.id}/failures?limit=2${cursor && `&cursor=${cursor}`}`)
      ).body;
      seen.push(...page.data.map(({ recordId }) => recordId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual([...records].sort());
    const retried = await world.request('POST', `/runs/${run.id}/retry`);
    expect(retried.status).toBe(202);
    expect(retried.body).toEqual({ queued: 5 });
    expect(await getRun(run.id)).toMatchObject({ status: 'awaiting_scoring', scoring: { failed: 0, pending: 5 } });
    expect((await world.request('GET', `/runs/${run.id}/failures`)).body.data).toEqual([]);
  });

  test("a rescore takes the metrics' current versions, which join the run, for the records that are named", async () => {
    const { run, records, accept } = await awaiting(3);
    await accept(score);
    await world.request('PATCH', `/metrics/${run.metricIds[0]}`, { ...heuristic, guidelines: 'changed' });
    const reply = await world.request('POST', `/runs/${run.id}/rescore`, { metricIds: run.metricIds, recordIds: records.slice(0, 2) });
    expect(reply.body).toEqual({ queued: 2 });
    const now = await getRun(run.id);
    expect(now.metricIds).toEqual(run.metricIds);
    expect(now.metricVersionIds).toEqual([run.metricVersionIds[0], expect.any(String)]);
    expect(now).toMatchObject({ status: 'running_scoring', scoring: { expected: 5, scored: 3, failed: 0, pending: 2 } });
    const bad = await world.request('POST', `/runs/${run.id}/rescore`, { metricIds: ['x'] });
    expect(bad.body.details.issues[0].path).toBe('/metricIds/0');
    expect((await world.request('POST', `/runs/${run.id}/rescore`, { recordIds: [missingId] })).body.details.issues[0].path).toBe(
      '/recordIds/0',
    );
  });

  test('the scoring service reads what is pending, with its payloads', async () => {
    const { run, records, accept } = await awaiting(2);
    await accept(score, [records[0]!]);
    const read = await world.request(
      'POST',
      '/internal/records-for-scoring',
      { runId: run.id, recordIds: [...records, missingId] },
      asScoring,
    );
    expect(read.body).toEqual({ records: [{ id: records[1], ...payloads, pending: run.metricVersionIds }], remaining: [] });
  });

  test('a summary has the pass rate with its interval, and counts what failed', async () => {
    const { run, records, accept } = await awaiting(10);
    await accept(score, records.slice(0, 6));
    await accept({ ...score, value: false }, records.slice(6, 9));
    await accept(failure, records.slice(9));
    const { metrics } = (await world.request('GET', `/runs/${run.id}/summary`)).body;
    expect(metrics).toHaveLength(1);
    expect(metrics[0]).toMatchObject({
      metricId: run.metricIds[0],
      metricVersionId: run.metricVersionIds[0],
      outputType: 'boolean',
      count: 9,
      failed: 1,
      mean: 6 / 9,
      passRate: 6 / 9,
      confidenceInterval: { level: 0.95 },
      method: 'Wilson score',
      distribution: [
        { value: false, count: 3 },
        { value: true, count: 6 },
      ],
    });
    // R: binom::binom.wilson(6, 9)
    expect(metrics[0].confidenceInterval.low).toBeCloseTo(0.3542, 4);
    expect(metrics[0].confidenceInterval.high).toBeCloseTo(0.8794, 4);
  });
});

describe('tags, assignees and annotations', () => {
  test('a tag is made once, found by its text however it is written, and taken off', async () => {
    const run = await newRun();
    const record = (await newRecord(run.id, { tags: ['from the start'] })).body;
    const path = `/records/${record.id}/tags`;
    const first = await world.request('POST', path, { text: 'a/b %41' });
    expect(first.status).toBe(201);
    const again = await world.request('POST', path, { text: 'a/b %41' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await world.request('GET', path)).body.data.map(({ text }: { text: string }) => text)).toEqual(['from the start', 'a/b %41']);
    const encoded = `${path}/${encodeURIComponent('a/b %41')}`;
    expect((await world.request('DELETE', encoded)).body).toEqual({ deleted: 1 });
    expect((await world.request('DELETE', encoded)).body).toEqual({ deleted: 0 });
  });

  test('two that tag at the same time lose nothing', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    await Promise.all(Array.from({ length: 8 }, (_, index) => world.request('POST', `/records/${record.id}/tags`, { text: `t${index}` })));
    expect((await world.request('GET', `/records/${record.id}/tags`)).body.data).toHaveLength(8);
  });

  test('an assignee must be a member', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    const reply = await world.request('POST', `/records/${record.id}/assignees`, { assigneeUserId: missingId });
    expect(reply.body.details.issues[0].path).toBe('/assigneeUserId');
    const { userId } = (await world.request('POST', '/members', { email: 'ada@example.com' })).body;
    const path = `/records/${record.id}/assignees`;
    const assigned = await world.request('POST', path, { assigneeUserId: userId });
    expect([assigned.status, assigned.body.assignedByUserId]).toEqual([201, world.identity.userId]);
    expect((await world.request('POST', path, { assigneeUserId: userId })).status).toBe(200);
    expect((await world.request('GET', path)).body.data).toEqual([assigned.body]);
    expect((await world.request('DELETE', `${path}/${userId}`)).body).toEqual({ deleted: 1 });
    expect((await world.request('DELETE', `${path}/nobody`)).body).toEqual({ deleted: 0 });
  });

  test('an annotation needs a rating or a comment', async () => {
    const record = (await newRecord((await newRun()).id)).body;
    const path = `/records/${record.id}/annotations`;
    expect((await world.request('POST', path, { spanId: 'x' })).status).toBe(400);
    const made = await world.request('POST', path, { rating: false, comment: 'short' });
    expect(made.status).toBe(201);
    expect((await world.request('GET', path)).body.data).toEqual([made.body]);
    expect(made.body).toMatchObject({ rating: false, comment: 'short', spanId: null, userId: world.identity.userId });
  });
});
