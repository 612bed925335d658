import { openDatabase } from '@assay/runtime/mongo/database';
import { missingId, useRunRecords } from '@assay/testing/run-records';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDeletion } from '../src/domain/runs/deletion.ts';
import { migrations } from '../src/migrations.ts';
import { createStore } from '../src/store.ts';

const { config, create, identity, request } = useRunRecords();

let database: Awaited<ReturnType<typeof openDatabase>>;
let projectId: string;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_run-records`,
  });
});
afterAll(() => database.close());
beforeEach(async () => {
  projectId = (await create('/projects', { name: 'p', description: '' })).id;
});

const store = () => createStore(database, { sweepAfterMs: 1000, announceLinks: async () => {} });

const newMetric = async (body: object = {}): Promise<string> =>
  (
    await create(`/projects/${projectId}/metrics`, {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'boolean',
      ...body,
    })
  ).id;

const newRun = (body: object = {}) =>
  create(`/projects/${projectId}/runs`, { metricIds: [], ...body });

async function addScored(
  run: { id: string; metricVersionIds: string[] },
  value: boolean | number,
  record: object = {},
): Promise<string> {
  const { id } = await create(`/runs/${run.id}/records`, {
    inputs: { question: 'q' },
    expected: {},
    outputs: { answer: 'a' },
    ...record,
  });
  for (const metricVersionId of run.metricVersionIds)
    await request('PUT', `/records/${id}/scores/${metricVersionId}`, { score: { value } });
  return id;
}

const trends = async (query: Record<string, string> = {}) => {
  const path = `/projects/${projectId}/trends?${new URLSearchParams(query)}`;
  const { status, body } = await request('GET', path);
  return { status, body };
};

const pointsOf = async (query: Record<string, string> = {}) =>
  (await trends(query)).body.points as {
    run: { id: string; numRecords: number };
    isBehind?: true;
    results: { metrics: { metricId: string; mean: number | null; percentiles?: object }[] };
  }[];

const polled = { timeout: 30_000, interval: 100 };

const meansOf = async (metricId: string, query: Record<string, string> = {}) =>
  (await pointsOf(query)).map(
    ({ results }) => results.metrics.find((metric) => metric.metricId === metricId)?.mean,
  );

test('a run is a point once it is quiet, with the results that its summary has, and again after each change', async () => {
  const metricId = await newMetric();
  const run = await newRun({ metricIds: [metricId], name: 'One' });
  await addScored(run, true, { metrics: { latencyMs: 10 } });
  const second = await addScored(run, false, { metrics: { latencyMs: 30 } });
  await expect.poll(() => meansOf(metricId), polled).toEqual([0.5]);
  const [point] = await pointsOf();
  const { body } = await request('POST', '/run-summaries', {
    runIds: [run.id],
    metricIds: [metricId, 'latency'],
  });
  expect(point!.results.metrics).toEqual(expect.arrayContaining(body.items[0].metrics));
  expect(point!.results.metrics.find((metric) => metric.metricId === 'latency')).toMatchObject({
    mean: 20,
    percentiles: { p50: 20, p95: 29 },
    sum: 40,
  });
  expect(point!.run).toMatchObject({ id: run.id, name: 'One', numRecords: 2, status: 'completed' });

  await expect.poll(async () => (await pointsOf())[0]!.isBehind, polled).toBeUndefined();

  await request('PUT', `/records/${second}/scores/${run.metricVersionIds[0]}`, {
    score: { value: true },
  });
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      const [shown] = await pointsOf();
      const { isBehind = false, results } = shown!;
      const mean = results.metrics.find((metric) => metric.metricId === metricId)!.mean;
      seen.add(`${mean} ${isBehind}`);
      return mean;
    }, polled)
    .toBe(1);
  expect([...seen][0]).toBe('0.5 true');
  expect([...seen]).not.toContain('0.5 false');
});

test('runs are told the oldest first, by testset, label and time', async () => {
  const metricId = await newMetric();
  const testsetId = (
    await create(`/projects/${projectId}/testsets`, {
      name: 't',
      description: '',
      jsonSchema: {},
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    })
  ).id;
  const runs = [];
  for (const body of [{}, { testsetId }, { labels: { branch: 'main' } }]) {
    const run = await newRun({ metricIds: [metricId], ...body });
    await addScored(run, true);
    runs.push(run);
  }
  const idsOf = async (query: Record<string, string> = {}) =>
    (await pointsOf(query)).map(({ run }) => run.id);
  await expect.poll(() => idsOf(), polled).toEqual(runs.map(({ id }) => id));
  expect(await idsOf({ testsetId })).toEqual([runs[1].id]);
  expect(await idsOf({ label: 'branch:main' })).toEqual([runs[2].id]);
  expect(await idsOf({ from: runs[1].createdAt })).toEqual([runs[1].id, runs[2].id]);
  expect(await idsOf({ to: runs[1].createdAt })).toEqual([runs[0].id]);
  const { body } = await trends({ newest: '2' });
  expect(body.isCut).toBe(true);
  expect(body.points.map(({ run }: { run: { id: string } }) => run.id)).toEqual([
    runs[1].id,
    runs[2].id,
  ]);
});

test('a deleted run is in no trend, and its results go with it', async () => {
  const run = await newRun({ metricIds: [await newMetric()] });
  await addScored(run, true);
  await expect.poll(async () => (await pointsOf()).length, polled).toBe(1);
  await request('DELETE', `/runs/${run.id}`);
  expect(await pointsOf()).toEqual([]);
  const { deleteAll } = createDeletion({
    store: store(),
    ask: { results: { forgetRun: async () => ({}) } } as never,
    now: () => new Date(),
  });
  for await (const _batch of deleteAll(identity().organizationId, run.id));
  for (const [collection, filter] of [
    ['run_results', { _id: run.id }],
    ['run_means', { runId: run.id }],
  ] as const)
    expect(await database.collection<object>(collection).countDocuments(filter)).toBe(0);
});

test('changes while a run is read are read again', async () => {
  const metricId = await newMetric();
  const run = await newRun({ metricIds: [metricId] });
  let passing = 0;
  for (let added = 1; added <= 40; added++) {
    await addScored(run, added % 3 === 0);
    passing += Number(added % 3 === 0);
  }
  await expect.poll(() => meansOf(metricId), polled).toEqual([passing / 40]);
  const unread = { runId: run.id, unreadSince: { $exists: true } };
  await expect
    .poll(() => database.collection('run_counters').countDocuments(unread), polled)
    .toBe(0);
});

test('a project that is not there has no trends, and a wrong time is named', async () => {
  expect((await request('GET', `/projects/${missingId}/trends`)).status).toBe(404);
  const { status, body } = await trends({ from: 'yesterday' });
  expect(status).toBe(400);
  expect(body.details.issues[0]).toMatchObject({ path: '?from' });
});

test('after an upgrade, runs of before are points: an expired one by its kept results, others once they are read', async () => {
  const metricId = await newMetric();
  const run = await newRun({ metricIds: [metricId] });
  await addScored(run, true);
  await expect.poll(() => meansOf(metricId), polled).toEqual([1]);
  const ofRun = { runId: run.id };
  const { _id, ...document } = (await database
    .collection<{ _id: string }>('runs')
    .findOne({ _id: run.id }))!;
  const [results] = await pointsOf();
  const counts = (await store().runs.countsOf(identity().organizationId, [run.id])).get(run.id)!;
  const expiredId = missingId.replace(/.$/, '7');
  await database.collection<{ _id: string }>('runs').insertOne({
    ...document,
    _id: expiredId,
    createdAt: new Date(0),
    expired: {
      at: new Date(),
      counts,
      results: JSON.stringify(results!.results),
    },
  } as never);
  await database.collection('run_counters').updateMany(ofRun, { $unset: { unreadSince: '' } });
  await database.collection<{ _id: string }>('run_results').deleteOne({ _id });
  const { up } = migrations.find(({ name }) => name === '19-run-results')!;
  await up(database);
  expect((await pointsOf()).map((point) => point.run.id)).toContain(expiredId);
  await expect.poll(() => meansOf(metricId), polled).toEqual([1, 1]);
});
