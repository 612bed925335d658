import { openDatabase } from '@assay/runtime/mongo/database';
import { createPurge, settledMs } from '@assay/runtime/mongo/purge';
import { poll } from '@assay/testing/poll';
import { send } from '@assay/testing/reply';
import { asScoring, missingId, payloads, useRunRecords } from '@assay/testing/run-records';
import { followEvents } from '@assay/testing/server-sent-events';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeletion } from '../src/domain/runs/deletion.ts';
import { start } from '../src/service.ts';
import { createStore } from '../src/store.ts';

const {
  config,
  getRun,
  identity,
  newMetric,
  newRecord,
  newRun,
  projectId,
  request,
  resultsUrl,
  sealed,
  url,
} = useRunRecords();

const human = { evalType: 'human', outputType: 'int' };
const judged = {
  evalType: 'ai',
  outputType: 'boolean',
  promptTemplate: 'Is {{ outputs.answer }} right?',
  evalModelName: 'openai/small',
};
const asOther = { identity: { organizationId: missingId } };

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_run-records`,
  });
});
afterAll(() => database.close());

/**
 * What the service does in the background, at a time of the test's own; `batches` has the run of
 * each batch that was deleted.
 */
function purging({
  lateMs,
  batchesMax = Number.POSITIVE_INFINITY,
}: {
  lateMs: number;
  batchesMax?: number;
}) {
  const now = () => new Date(Date.now() + lateMs);
  const { deleteAll } = createDeletion({
    ask: { results: { forgetRun: async () => ({}) } } as never,
    store: createStore(database, { sweepAfterMs: 1000, announceLinks: async () => {} }),
    now,
  });
  const batches: string[] = [];
  const purge = createPurge({
    database,
    collection: 'runs',
    deleteAll: async function* (organizationId, runId) {
      for await (const batch of deleteAll(organizationId, runId)) {
        batches.push(runId);
        if (batches.length === batchesMax) void purge.stop();
        yield batch;
      }
    },
    now,
    log: { warn: () => undefined },
  });
  return { ...purge, batches };
}
const settled = { lateMs: settledMs + 1000 };

/** A run with a record for each kind of thing that can belong to one. */
async function fullRun(body: object = {}) {
  const run = await newRun({
    metricIds: [await newMetric(human), await newMetric(judged)],
    ...body,
  });
  const record = (await newRecord(run.id, { tags: ['t'] })).body;
  const large = (await newRecord(run.id, { inputs: { text: 'x'.repeat(300 * 1024) } })).body;
  for (const { id } of [record, large])
    await request('POST', `/records/${id}/annotations`, { comment: 'c' });
  return { run, record, large };
}

/** Puts copies of a record into its run, past the service. */
async function copyRecord(id: string, count: number): Promise<void> {
  const records = database.collection<Document & { _id: string }>('records');
  const model = (await records.findOne({ _id: id }))!;
  await records.insertMany(
    Array.from({ length: count }, (_, index) => ({
      ...model,
      _id: `${id}-${String(index).padStart(6, '0')}`,
    })),
  );
}

/** How much is kept of a run and of these records of it. */
async function kept(runId: string, recordIds: string[] = []) {
  const count = (name: string, filter: object) => database.collection(name).countDocuments(filter);
  return {
    runs: await count('runs', { _id: runId }),
    records: await count('records', { runId }),
    chunks: await count('record_chunks', { runId }),
    counters: await count('run_counters', { runId }),
    annotations: await count('annotations', { recordId: { $in: recordIds } }),
  };
}
const nothing = { runs: 0, records: 0, chunks: 0, counters: 0, annotations: 0 };

const deleteRun = (runId: string) => request('DELETE', `/runs/${runId}`);

describe('a deleted run', () => {
  test('is answered like one that never was, on every path that leads to it, at once and by every process', async () => {
    const replica = await start(config());
    const { run, record } = await fullRun();
    const other = await newRun();
    const version = run.metricVersionIds[0];
    const paths = (runId: string): [string, string, object?][] => [
      ['GET', `/runs/${runId}`],
      ['PATCH', `/runs/${runId}`, { budgetUsd: 1 }],
      ['DELETE', `/runs/${runId}`],
      ['POST', `/runs/${runId}/pause`],
      ['POST', `/runs/${runId}/resume`],
      ['POST', `/runs/${runId}/retry`],
      ['POST', `/runs/${runId}/rescore`, {}],
      ['GET', `/runs/${runId}/events`],
      ['GET', `/runs/${runId}/failures`],
      ['GET', `/runs/${runId}/records`],
      ['POST', `/runs/${runId}/records`, payloads],
      ['GET', `/review-queue?runId=${runId}`],
    ];
    const resultsPaths = (runId: string): [string, string, object?][] => [
      ['GET', `/runs/${runId}/summary`],
      ['POST', '/comparisons', { baselineRunId: runId, candidateRunId: other.id }],
      ['POST', '/comparisons', { baselineRunId: other.id, candidateRunId: runId }],
      [
        'GET',
        `/comparisons/flips?baselineRunId=${other.id}&candidateRunId=${runId}&metricId=${run.metricIds[0]}`,
      ],
      ['GET', `/metrics/${run.metricIds[1]}/reliability?runId=${runId}`],
    ];
    const recordPaths = (recordId: string): [string, string, object?][] => [
      ['GET', `/records/${recordId}`],
      ['DELETE', `/records/${recordId}`],
      ['PUT', `/records/${recordId}/scores/${version}`, { score: { value: 3 } }],
      ['DELETE', `/records/${recordId}/scores/${version}`],
      ['GET', `/records/${recordId}/tags`],
      ['POST', `/records/${recordId}/tags`, { text: 'u' }],
      ['DELETE', `/records/${recordId}/tags/t`],
      ['GET', `/records/${recordId}/assignees`],
      ['POST', `/records/${recordId}/assignees`, { assigneeUserId: identity().userId }],
      ['GET', `/records/${recordId}/annotations`],
      ['POST', `/records/${recordId}/annotations`, { comment: 'late' }],
    ];
    const answers = async (of: [string, string, object?][], urls = [url(), replica.url]) => {
      const replies = of.flatMap(([method, path, body]) =>
        urls.map(async (at) => {
          const { status, body: said } = await send(`${at}${path}`, {
            method,
            headers: sealed(method, path),
            body,
            raw: undefined,
          });
          return {
            method,
            path: path.replace(/[0-9a-f-]{36}/g, '…'),
            status,
            code: said.code,
            issues: said.details?.issues,
          };
        }),
      );
      return Promise.all(replies);
    };
    expect(await deleteRun(run.id)).toMatchObject({ status: 200, body: { success: true } });
    const answersFor = async (runId: string, recordId: string) => [
      ...(await answers([...paths(runId), ...recordPaths(recordId)])),
      ...(await answers(resultsPaths(runId), [resultsUrl()])),
    ];
    const said = await answersFor(run.id, record.id);
    expect(said).toEqual(await answersFor(missingId, missingId));
    expect(said.filter(({ status }) => status !== 404 && status !== 400)).toEqual([]);
    expect(
      said.filter(
        ({ path, status }) =>
          path.startsWith('/r') && !path.startsWith('/review') && status !== 404,
      ),
    ).toEqual([]);
    await replica.stop();
  });

  test('is in no list of runs, and its records are in no review queue', async () => {
    const project = (await request('POST', '/projects', { name: 'p', description: '' })).body.id;
    const metricIds = [
      (await request('POST', `/projects/${project}/metrics`, { name: 'm', ...human })).body.id,
    ];
    const runs = [];
    for (let index = 0; index < 3; index++) {
      const run = (await request('POST', `/projects/${project}/runs`, { metricIds })).body;
      runs.push({ run, record: (await newRecord(run.id)).body });
    }
    await deleteRun(runs[1]!.run.id);
    const left = [runs[0]!, runs[2]!];
    const listed = (await request('GET', `/projects/${project}/runs`)).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(
      left.map(({ run }) => run.id).reverse(),
    );
    const queue = (await request('GET', `/review-queue?projectId=${project}&limit=1`)).body;
    expect(queue.data[0].record.id).toBe(left[0]!.record.id);
    const next = (
      await request('GET', `/review-queue?projectId=${project}&limit=1&cursor=${queue.nextCursor}`)
    ).body;
    expect([next.data[0].record.id, next.hasMore]).toEqual([left[1]!.record.id, false]);
  });

  test('ends the streams of its events without a fault', async () => {
    const { run } = await fullRun();
    const path = `/runs/${run.id}/events`;
    const events = followEvents(`${url()}${path}`, sealed('GET', path));
    expect((await events.next()).value).toMatchObject({ event: 'progress' });
    await deleteRun(run.id);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('has nothing to be scored, and takes no judgement that was under way', async () => {
    const { run, record } = await fullRun();
    await deleteRun(run.id);
    const read = { runId: run.id, recordIds: [record.id], model: 'openai/small' };
    expect((await request('POST', '/internal/records-for-scoring', read, asScoring)).body).toEqual({
      records: [],
      remaining: [],
      budget: null,
    });
    const outcome = { kind: 'failure', code: 'timeout', message: 'm', attempts: 1 };
    const judgements = [{ recordId: record.id, metricVersionId: run.metricVersionIds[1], outcome }];
    const accepted = await request(
      'POST',
      '/internal/judgements',
      { runId: run.id, judgements },
      asScoring,
    );
    expect(accepted.body).toEqual({ accepted: 0, isPaused: true, budget: null });
  });

  test("is its organization's alone to delete", async () => {
    const { run, record, large } = await fullRun();
    expect((await request('DELETE', `/runs/${run.id}`, undefined, asOther)).status).toBe(404);
    await purging(settled).sweep();
    expect(await kept(run.id, [record.id, large.id])).toMatchObject({
      runs: 1,
      records: 2,
      annotations: 2,
    });
    expect((await getRun(run.id)).numRecords).toBe(2);
  });
});

describe('what a deleted run held', () => {
  test('is removed from every collection, batch by batch, when no write can be under way, and nothing of another run', async () => {
    const { run, record, large } = await fullRun();
    const neighbour = await fullRun();
    await copyRecord(record.id, 2500);
    // Of a record whose creation failed after its payload was kept.
    await database.collection<Document & { _id: string }>('record_chunks').insertOne({
      _id: `${missingId}:inputs:0000`,
      organizationId: identity().organizationId,
      runId: run.id,
      bytes: Buffer.alloc(1),
    });
    const ids = [record.id, large.id];
    await deleteRun(run.id);

    await purging({ lateMs: settledMs - 60_000 }).sweep();
    expect(await kept(run.id, ids)).toMatchObject({
      runs: 1,
      records: 2502,
      chunks: 4,
      annotations: 2,
    });

    const purge = purging(settled);
    await purge.sweep();
    expect(await kept(run.id, ids)).toEqual(nothing);
    expect(purge.batches.filter((id) => id === run.id)).toHaveLength(4);
    const others = await kept(neighbour.run.id, [neighbour.record.id, neighbour.large.id]);
    expect(others).toMatchObject({ runs: 1, records: 2, chunks: 3, annotations: 2 });
    expect((await request('GET', `/records/${neighbour.large.id}`)).body.inputs.text).toHaveLength(
      300 * 1024,
    );
  });

  test('is left alone by others while one process removes it, and by the next one removed to the end after its death', async () => {
    const { run, record, large } = await fullRun();
    await copyRecord(record.id, 2500);
    await purging(settled).sweep();
    await deleteRun(run.id);
    await purging({ ...settled, batchesMax: 1 }).sweep();
    const ids = [record.id, large.id];
    expect(await kept(run.id, ids)).toMatchObject({ runs: 1, records: 1502 });

    await purging(settled).sweep();
    expect(await kept(run.id, ids)).toMatchObject({ runs: 1, records: 1502 });
    await purging({ lateMs: settled.lateMs + 2 * 60_000 }).sweep();
    expect(await kept(run.id, ids)).toEqual(nothing);
  });

  test('is removed by a process that starts', async () => {
    const { run, record, large } = await fullRun();
    await deleteRun(run.id);
    const before = new Date(Date.now() - 2 * settledMs);
    await database
      .collection<Document & { _id: string }>('runs')
      .updateOne({ _id: run.id }, { $set: { deletedAt: before } });
    const replica = await start(config());
    await poll('the removal', async () => (await kept(run.id)).runs === 0);
    expect(await kept(run.id, [record.id, large.id])).toEqual(nothing);
    await replica.stop();
  });

  test('is removed with records that were being created while it was deleted: each is refused, or there and gone', async () => {
    const { run } = await fullRun();
    const large = { inputs: { text: 'x'.repeat(300 * 1024) } };
    const creations = Array.from({ length: 120 }, (_, index) =>
      newRecord(run.id, index % 10 === 0 ? large : {}),
    );
    const deletion = await deleteRun(run.id);
    expect(deletion.status).toBe(200);
    const statuses = new Set((await Promise.all(creations)).map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 201 && status !== 404)).toEqual([]);
    expect((await newRecord(run.id)).status).toBe(404);
    await purging(settled).sweep();
    expect(await kept(run.id)).toEqual(nothing);
  });

  test('goes the same way when its project is deleted', async () => {
    const other = (await request('POST', '/projects', { name: 'gone', description: '' })).body.id;
    const run = (await request('POST', `/projects/${other}/runs`, { metricIds: [] })).body;
    const record = (await newRecord(run.id)).body;
    await request('POST', `/records/${record.id}/annotations`, { comment: 'c' });
    await request('DELETE', `/projects/${other}`);
    expect((await request('GET', `/runs/${run.id}`)).status).toBe(404);
    expect(await kept(run.id, [record.id])).toMatchObject({ runs: 1, records: 1, annotations: 1 });
    await purging(settled).sweep();
    expect(await kept(run.id, [record.id])).toEqual(nothing);
    expect((await request('GET', `/projects/${projectId()}/runs`)).status).toBe(200);
  });
});
