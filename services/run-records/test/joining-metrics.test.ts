import { JsonText } from '@assay/contracts/payload';
import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import {
  asMember,
  asScoring,
  heuristic,
  missingId,
  payloads,
  useRunRecords,
} from '@assay/testing/run-records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withScore } from '../src/domain/accounts/score-states.ts';
import type { NewRecord } from '../src/store/record-creation.ts';
import { createRecordStore } from '../src/store/records.ts';
import { createStore } from '../src/store.ts';

const { config, identity, projectId, request, newMetric, newMember, newRun, newRecord, getRun } =
  useRunRecords();

const byPeople = { evalType: 'human', outputType: 'boolean' };
const byClients = { evalType: 'heuristic', outputType: 'boolean' };

type Run = Awaited<ReturnType<typeof newRun>>;

async function newRecords(run: Run, count: number): Promise<string[]> {
  const replies = await Promise.all(Array.from({ length: count }, () => newRecord(run.id)));
  return replies.map(({ body }) => body.id).sort();
}

async function join(run: Run, metricIds: string[], recordIds?: string[]) {
  const reply = await request('POST', `/runs/${run.id}/rescore`, { metricIds, recordIds });
  expect(reply.status, JSON.stringify(reply.body)).toBe(202);
  return reply.body;
}

async function versionOf(run: Run, metricId: string): Promise<string> {
  const { metricIds, metricVersionIds } = await getRun(run.id);
  return metricVersionIds[metricIds.indexOf(metricId)];
}

const put = (recordId: string, version: string, value: unknown = true, userId?: string) =>
  request('PUT', `/records/${recordId}/scores/${version}`, { score: { value }, userId });

const changeGuidelines = (metricId: string, body: object, guidelines: string) =>
  request('PATCH', `/metrics/${metricId}`, { ...body, guidelines });

const idsOf = async (path: string): Promise<string[]> =>
  (await request('GET', path)).body.data.map(
    (item: { id?: string; record?: { id: string } }) => item.record?.id ?? item.id,
  );

describe('a metric that people score joins a run', () => {
  test('for all of its records, and the run waits for people again', async () => {
    const run = await newRun();
    const records = await newRecords(run, 3);
    expect((await getRun(run.id)).status).toBe('completed');
    const metricId = await newMetric(byPeople);
    expect(await join(run, [metricId])).toEqual({ queued: 0, awaited: 3 });
    const joined = await getRun(run.id);
    expect(joined).toMatchObject({
      metricIds: [metricId],
      metricVersionIds: [expect.any(String)],
      status: 'awaiting_human_scoring',
      scoring: { expected: 3, scored: 0, failed: 0, pending: 3 },
    });
    for (const id of records) await put(id, joined.metricVersionIds[0]);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      scoring: { expected: 3, scored: 3, failed: 0, pending: 0 },
    });
  });

  test('for the records that are named alone; later records get it too', async () => {
    const run = await newRun();
    const records = await newRecords(run, 5);
    const metricId = await newMetric(byPeople);
    expect(await join(run, [metricId], records.slice(1, 3))).toEqual({ queued: 0, awaited: 2 });
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 2,
      scored: 0,
      failed: 0,
      pending: 2,
    });
    const later = (await newRecord(run.id)).body.id;
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 3, pending: 3 });
    expect(await idsOf(`/review-queue?runId=${run.id}`)).toEqual([...records.slice(1, 3), later]);
  });

  test('at once for the queue of reviewers, its progress, filters of records and summaries', async () => {
    const run = await newRun();
    const records = await newRecords(run, 3);
    const metricId = await newMetric({ ...byPeople, name: 'Polite' });
    await join(run, [metricId], records.slice(0, 2));
    const version = await versionOf(run, metricId);
    expect(
      await idsOf(`/runs/${run.id}/records?metricVersionId=${version}&outcome=awaited`),
    ).toEqual(records.slice(0, 2));
    const progress = async () =>
      (await request('GET', `/review-queue/progress?runId=${run.id}`)).body;
    expect(await progress()).toEqual({ missing: 2, mine: 2, given: 0, byMember: [] });
    const next = await request('POST', '/review-queue/next', {
      projectId: projectId(),
      runId: run.id,
      metricId,
    });
    expect(next.body.item.record.id).toBe(records[0]);
    const summary = async () => (await request('GET', `/runs/${run.id}/summary`)).body.metrics;
    expect(await summary()).toMatchObject([{ name: 'Polite', count: 0 }]);
    await put(records[0]!, version);
    expect(await summary()).toMatchObject([{ name: 'Polite', count: 1, passRate: 1 }]);
    expect(await progress()).toMatchObject({ missing: 1, given: 1 });
    expect(await idsOf(`/runs/${run.id}/records?metricVersionId=${version}&outcome=pass`)).toEqual([
      records[0],
    ]);
  });

  test('and a record that somebody holds for another metric can be taken for it', async () => {
    const first = await newMetric(byPeople);
    const run = await newRun({ metricIds: [first] });
    const [record] = await newRecords(run, 1);
    const take = (metricId: string, userId: string) =>
      request(
        'POST',
        '/review-queue/next',
        { projectId: projectId(), runId: run.id, metricId },
        asMember(userId),
      );
    const [ada, bob] = [await newMember(), await newMember()];
    expect((await take(first, ada)).body.item.record.id).toBe(record);
    const second = await newMetric(byPeople);
    await join(run, [second]);
    expect((await take(second, bob)).body.item.record.id).toBe(record);
    expect((await take(first, bob)).body.item).toBeNull();
  });

  test('a repeat, and more records, leave what people have given', async () => {
    const run = await newRun();
    const records = await newRecords(run, 4);
    const metricId = await newMetric(byPeople);
    await join(run, [metricId], records.slice(0, 2));
    const version = await versionOf(run, metricId);
    await put(records[0]!, version);
    expect(await join(run, [metricId], records.slice(0, 2))).toEqual({ queued: 0, awaited: 1 });
    expect(await join(run, [metricId])).toEqual({ queued: 0, awaited: 3 });
    expect(await getRun(run.id)).toMatchObject({
      metricVersionIds: [version],
      scoring: { expected: 4, scored: 1, failed: 0, pending: 3 },
    });
  });

  test('with a score that a person gave before it joined, which counts from then on', async () => {
    const run = await newRun();
    const other = await newRun({ metricIds: [await newMetric({ ...byPeople, annotators: 2 })] });
    const [version] = other.metricVersionIds;
    const [record] = await newRecords(run, 1);
    const ada = await newMember();
    await put(record!, version, true, ada);
    expect((await getRun(run.id)).scoring.expected).toBe(0);
    expect(await join(run, other.metricIds)).toEqual({ queued: 0, awaited: 1 });
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 1, pending: 1 });
    await put(record!, version, true, await newMember());
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 1, scored: 1, pending: 0 });
  });

  test('its newer version is asked for in place of the older one where nobody has scored', async () => {
    const metricId = await newMetric(byPeople);
    const run = await newRun({ metricIds: [metricId] });
    const [scored, unscored] = await newRecords(run, 2);
    const [before] = run.metricVersionIds;
    await put(scored!, before);
    await changeGuidelines(metricId, byPeople, 'Is it polite?');
    expect(await join(run, [metricId])).toEqual({ queued: 0, awaited: 2 });
    const now = await getRun(run.id);
    expect(now).toMatchObject({
      metricIds: [metricId],
      metricVersionIds: [before, expect.any(String)],
      scoring: { expected: 3, scored: 1, failed: 0, pending: 2 },
    });
    const later = (await newRecord(run.id)).body.id;
    expect(await idsOf(`/review-queue?runId=${run.id}`)).toEqual([scored, unscored, later]);
    expect((await request('GET', `/records/${scored}`)).body.scores).toMatchObject([
      { metricConfigId: before },
    ]);
  });
});

describe('other metrics join a run', () => {
  test('the service scores its own, and clients are waited for', async () => {
    const run = await newRun();
    const records = await newRecords(run, 2);
    const [own, clients] = [await newMetric(), await newMetric(byClients)];
    expect(await join(run, [own, clients])).toEqual({ queued: 2, awaited: 2 });
    expect(await getRun(run.id)).toMatchObject({
      metricIds: [own, clients],
      status: 'awaiting_scoring',
      scoring: { expected: 4, pending: 4 },
    });
    const version = await versionOf(run, own);
    const read = await request(
      'POST',
      '/internal/records-for-scoring',
      { runId: run.id, recordIds: records, model: null },
      asScoring,
    );
    expect(read.body.records.map(({ pending }: { pending: string[] }) => pending)).toEqual([
      [version],
      [version],
    ]);
  });

  test('those of another project or of nobody, and deleted ones, are refused with their place, and nothing joins', async () => {
    const run = await newRun();
    const project = (await request('POST', '/projects', { name: 'other', description: '' })).body;
    const elsewhere = (
      await request('POST', `/projects/${project.id}/metrics`, { name: 'm', ...heuristic })
    ).body.id;
    const deleted = await newMetric(byPeople);
    await request('DELETE', `/metrics/${deleted}`);
    const reply = await request('POST', `/runs/${run.id}/rescore`, {
      metricIds: [await newMetric(), elsewhere, missingId, deleted],
    });
    expect([reply.status, reply.body.details.issues]).toEqual([
      400,
      [1, 2, 3].map((index) => ({
        path: `/metricIds/${index}`,
        message: 'does not belong to this project',
      })),
    ]);
    const own = await newMetric(byPeople);
    const withOwn = await newRun({ metricIds: [own] });
    await request('DELETE', `/metrics/${own}`);
    const gone = await request('POST', `/runs/${withOwn.id}/rescore`, { metricIds: [own] });
    expect(gone.body.details.issues).toEqual([{ path: '/metricIds/0', message: 'was deleted' }]);
    expect((await getRun(run.id)).metricIds).toEqual([]);
  });

  test('no run, metric or record of another organization can be named', async () => {
    const run = await newRun();
    const [record] = await newRecords(run, 1);
    const metricId = await newMetric(byPeople);
    const stranger = { identity: { organizationId: missingId } };
    const body = { metricIds: [metricId], recordIds: [record] };
    expect((await request('POST', `/runs/${run.id}/rescore`, body, stranger)).status).toBe(404);
    expect((await getRun(run.id)).metricIds).toEqual([]);
  });

  test('a run has a hundred metrics at most', async () => {
    const run = await newRun();
    const metricIds = await Promise.all(Array.from({ length: 100 }, () => newMetric(byPeople)));
    await join(run, metricIds.slice(1));
    await join(run, metricIds);
    const reply = await request('POST', `/runs/${run.id}/rescore`, {
      metricIds: [await newMetric(byPeople)],
    });
    expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, '/metricIds']);
  });
});

describe('while a metric joins a run', () => {
  let database: Awaited<ReturnType<typeof openDatabase>>;
  beforeAll(async () => {
    database = await openDatabase({
      uri: config().MONGODB_URI,
      name: `${config().DATABASE_PREFIX}_run-records`,
    });
  });
  afterAll(() => database.close());
  const store = () => createStore(database, { sweepAfterMs: 1000, announceLinks: async () => {} });

  test('a record gets it that is created by a process which has read the run before', async () => {
    const old = await newMetric(byPeople);
    const run = await newRun({ metricIds: [old] });
    await changeGuidelines(old, byPeople, 'Is it polite?');
    const joining = [old, await newMetric(byPeople), await newMetric()];
    const { runs, payloads: payloadStore } = store();
    let hasJoined = false;
    const records = createRecordStore({
      database,
      payloads: payloadStore,
      sweepAfterMs: 1000,
      announceLinks: async () => {},
      runs: {
        ...runs,
        findEach: async (wanted) => {
          const found = await runs.findEach(wanted);
          if (!hasJoined) await join(run, joining);
          hasJoined = true;
          return found;
        },
      },
    });
    expect(await records.create([newRecordOf(run.id)])).toEqual([
      { outcome: 'created', isPending: true },
    ]);
    expect((await getRun(run.id)).scoring).toMatchObject({ expected: 3, pending: 3 });
    expect((await request('GET', `/review-queue/progress?runId=${run.id}`)).body.missing).toBe(2);
  });

  test('a record stays in the queue that is scored by a process which has read the run before', async () => {
    const run = await newRun({ metricIds: [await newMetric(byPeople)] });
    const [record] = await newRecords(run, 1);
    const { organizationId, userId } = identity();
    const before = (await store().runs.find(organizationId, run.id))!;
    const metricId = await newMetric(byPeople);
    await join(run, [metricId]);
    await store().records.changeScoreStates(organizationId, {
      run: before,
      ids: [record!],
      change: (states) =>
        withScore(states, {
          metricVersionId: run.metricVersionIds[0],
          userId,
          text: '{"value":true}',
          value: true,
          source: 'human',
          createdAt: new Date(),
        }),
    });
    expect(await idsOf(`/review-queue?runId=${run.id}`)).toEqual([record]);
    const version = await versionOf(run, metricId);
    expect(
      await idsOf(`/runs/${run.id}/records?metricVersionId=${version}&outcome=awaited`),
    ).toEqual([record]);
  });

  function newRecordOf(runId: string): NewRecord {
    const text = (value: object) => new JsonText(Buffer.from(JSON.stringify(value)));
    return {
      id: newId(),
      organizationId: identity().organizationId,
      runId,
      testcaseId: null,
      createdAt: new Date(),
      tags: [],
      assignees: [],
      payloads: {
        inputs: text(payloads.inputs),
        expected: text(payloads.expected),
        outputs: text(payloads.outputs),
      },
      idempotencyKey: undefined,
    };
  }

  test('records that are created get it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const run = await newRun({ metricIds: [await newMetric(byPeople)] });
      await newRecords(run, 2);
      const joining = [await newMetric(byPeople), await newMetric()];
      const creating = Array.from({ length: 20 }, () => newRecords(run, 4));
      await Promise.all([...joining.map((id) => join(run, [id])), ...creating]);
      expect((await getRun(run.id)).scoring).toMatchObject({ expected: 3 * 82, pending: 3 * 82 });
      const { missing } = (await request('GET', `/review-queue/progress?runId=${run.id}`)).body;
      expect(missing).toBe(2 * 82);
    }
  });

  test('scores that are given stay counted, and records stay in the queue', async () => {
    for (let round = 0; round < 3; round += 1) {
      const run = await newRun({ metricIds: [await newMetric(byPeople)] });
      const records = await newRecords(run, 20);
      const joining = await newMetric(byPeople);
      await Promise.all([
        join(run, [joining]),
        join(run, [joining]),
        ...records.map((id) => put(id, run.metricVersionIds[0])),
      ]);
      const now = await getRun(run.id);
      expect(now.metricVersionIds).toHaveLength(2);
      expect(now.scoring).toEqual({ expected: 40, scored: 20, failed: 0, pending: 20 });
      expect(await idsOf(`/review-queue?runId=${run.id}&limit=100`)).toEqual(records);
      expect(
        await idsOf(
          `/runs/${run.id}/records?metricVersionId=${now.metricVersionIds[1]}&outcome=awaited`,
        ),
      ).toEqual(records);
    }
  });
});
