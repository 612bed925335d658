import { start as startCatalog } from '@assay/catalog/service';
import { start as startIdentity } from '@assay/identity/service';
import { freePort } from '@assay/local/port';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import type { testConfig } from '@assay/testing/config';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

const recordsCount = 12_000;
const longAgo = new Date('2026-01-01T00:00:00.000Z');

interface KeptRun {
  _id: string;
  closingAt?: Date;
  expired?: object;
  isClearing?: true;
}

let world: World;
let database: Database;
let port: number;
const running = new Set<ServiceProcess>();

async function startRunRecords(at = port): Promise<ServiceProcess> {
  const config = world.config as unknown as ReturnType<typeof testConfig>;
  const started = await startProcess('run-records', {
    ...environmentOf(config, 'run-records'),
    PORT: String(at),
  });
  running.add(started);
  return started;
}

async function kill(process: ServiceProcess): Promise<void> {
  await process.kill();
  running.delete(process);
}

beforeAll(async () => {
  port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  world = await startWorld({
    services: {
      identity: startIdentity,
      catalog: startCatalog,
      testcases: startTestcases,
      systems: startSystems,
      metrics: startMetrics,
      results: startResults,
    },
    config: { RUN_RECORDS_URL: url },
  });
  Object.assign(world.urls, { 'run-records': url });
  database = await openDatabase({
    uri: world.config.MONGODB_URI,
    name: `${world.config.DATABASE_PREFIX}_run-records`,
  });
});
afterAll(async () => {
  for (const process of running) await process.stop();
  await database.close();
  await world.stop();
});

const runs = () => database.collection<KeptRun>('runs');
const recordsOf = (runId: string) => database.collection('records').countDocuments({ runId });

/** Waits until a run is so, looking as often as it can. */
const untilRun = (what: string, runId: string, filter: object) =>
  poll(what, async () => (await runs().findOne({ _id: runId, ...filter })) !== null);

test('a run expires through kill -9 of run-records between any two steps, and keeps its results', async () => {
  const first = await startRunRecords();
  const { id: projectId } = await world.create('/projects', { name: 'p', description: '' });
  const metric = await world.create(`/projects/${projectId}/metrics`, {
    name: 'Correct',
    evalType: 'heuristic',
    outputType: 'boolean',
  });
  const newRun = (name: string) =>
    world.create(`/projects/${projectId}/runs`, { name, metricIds: [metric.id] });
  const [run, labelled] = [await newRun('Old'), await newRun('Labelled')];
  const [metricConfigId] = run.metricVersionIds;
  const line = (binaryScore: boolean) =>
    JSON.stringify({
      inputs: {},
      expected: {},
      outputs: {},
      scores: [{ metricConfigId, score: { binaryScore } }],
    });
  const bulk = Array.from({ length: recordsCount }, (_, index) => line(index % 4 > 0)).join('\n');
  const upload = { raw: bulk, headers: { 'content-type': 'application/x-ndjson' } };
  await world.request('POST', `/runs/${run.id}/records/bulk`, undefined, upload);
  expect(await recordsOf(run.id)).toBe(recordsCount);
  const record = await world.create(`/runs/${labelled.id}/records`, JSON.parse(line(true)));
  await world.create(`/records/${record.id}/annotations`, { comment: 'Look at this.' });
  const asked = { runIds: [run.id] };
  const results = (await world.request('POST', '/run-summaries', asked)).body;
  const before = (await world.request('GET', `/runs/${run.id}`)).body;
  await kill(first);

  await runs().updateMany({}, { $set: { createdAt: longAgo } });
  for (const name of ['records', 'run_counters'])
    await database
      .collection(name)
      .updateMany({}, { $set: { createdAt: longAgo, changedAt: longAgo } });
  await world.request('PATCH', `/projects/${projectId}`, { runRetentionDays: 30 });

  const second = await startRunRecords();
  const { body: told } = await world.request('GET', `/projects/${projectId}/run-retention?days=30`);
  expect(told).toMatchObject({
    runs: 1,
    records: recordsCount,
    kept: { commented: 1 },
    first: [{ id: run.id }],
  });
  await untilRun('the run begins to close', run.id, { closingAt: { $exists: true } });
  await kill(second);
  expect(await recordsOf(run.id)).toBe(recordsCount);

  await runs().updateOne({ _id: run.id }, { $set: { closingAt: longAgo } });
  const third = await startRunRecords();
  await untilRun('the run has expired', run.id, { expired: { $exists: true } });
  await kill(third);

  await startRunRecords();
  await startRunRecords(await freePort());
  await untilRun('its records are gone', run.id, {
    expired: { $exists: true },
    isClearing: { $exists: false },
  });
  expect(await recordsOf(run.id)).toBe(0);
  const { expiredAt, createdAt, ...after } = (await world.request('GET', `/runs/${run.id}`)).body;
  expect({ ...after, createdAt: before.createdAt }).toEqual(before);
  expect([expiredAt, createdAt]).toEqual([expect.any(String), longAgo.toISOString()]);
  expect((await world.request('POST', '/run-summaries', asked)).body).toEqual(results);
  const kept = (await world.request('GET', `/runs/${labelled.id}`)).body;
  expect([kept.expiredAt, kept.numRecords]).toEqual([undefined, 1]);
});
