import { start as startCatalog } from '@assay/catalog/service';
import { catalog } from '@assay/contracts/catalog';
import { unavailable } from '@assay/contracts/failure';
import { identity } from '@assay/contracts/identity';
import { metrics } from '@assay/contracts/metrics';
import { results } from '@assay/contracts/results';
import { runRecords } from '@assay/contracts/run-records';
import { scoring } from '@assay/contracts/scoring';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { createServiceClient } from '@assay/runtime/http/client';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { migrate } from '@assay/runtime/mongo/migrations';
import { keysOf } from '@assay/testing/keys';
import { poll } from '@assay/testing/poll';
import { startTcpProxy } from '@assay/testing/tcp-proxy';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read } from '../src/domain/reading-task.ts';
import { createDomain, type Domain } from '../src/domain.ts';
import { migrations } from '../src/migrations.ts';
import { createStore } from '../src/store.ts';
import { exportOf, newTraceId } from './setting.ts';

let world: World;
let client: ReturnType<typeof createServiceClient<typeof runRecords>>;
let databases: Database[];
let projectId: string;
let metricId: string;

/** The time of the services, which a test lets go on. */
let at = Date.now();
/** Answers of run-records that do not arrive: it has done what it was asked. */
let lost = 0;

/** Two processes of the service. By its clock, the other one takes over what the first has claimed. */
let one: Domain;
let other: Domain;

beforeAll(async () => {
  world = await startWorld({
    services: { catalog: startCatalog, metrics: startMetrics, 'run-records': startRunRecords },
  });
  const { config } = world;
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
  metricId = (
    await world.create(`/projects/${projectId}/metrics`, {
      name: 'Says thanks',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    })
  ).id;
  const options = { uri: config.MONGODB_URI, name: `${config.DATABASE_PREFIX}_traces` };
  databases = await Promise.all([openDatabase(options), openDatabase(options)]);
  const log = createLog({ name: 'test', level: 'silent' });
  await migrate({ database: databases[0]!, migrations, log });
  client = clientOf(world.urls['run-records']!);
  one = domainOf(databases[0]!, () => new Date(at));
  other = domainOf(databases[1]!, () => new Date(at + 61_000));
});
afterAll(async () => {
  await client.close();
  await Promise.all(databases.map((database) => database.close()));
  await world.stop();
});

const clientOf = (urls: string) =>
  createServiceClient({ contract: runRecords, urls, keys: keysOf('traces') });

const domainOf = (database: Database, now: () => Date, calls = client): Domain =>
  createDomain({
    store: createStore(database),
    ask: world.bus.asks(catalog, identity, metrics, results, runRecords, scoring),
    runRecords: {
      ...calls,
      createTracedRecords: async (...given: Parameters<typeof client.createTracedRecords>) => {
        const reply = await calls.createTracedRecords(...given);
        if (lost === 0) return reply;
        lost -= 1;
        throw unavailable('The connection broke.');
      },
    },
    testcases: undefined as never,
    read: (async (task: Parameters<typeof read>[0]) => read(task)) as never,
    newId,
    now,
    retentionDays: 1,
    checkDisk: async () => undefined,
    bytesPerDayMax: { installation: undefined, of: () => undefined, now: () => undefined },
  });

/** Makes a monitor whose traces all come within one hour of the clock. */
async function watch(serviceName: string, maxPerHour: number): Promise<string> {
  const hourMs = 60 * 60 * 1000;
  at = Math.ceil((at + 1) / hourMs) * hourMs;
  const { id } = await one.monitors.save(world.identity, projectId, {
    description: serviceName,
    metrics: [metricId],
    filter: { serviceName },
    maxPerHour,
  });
  return id;
}

const daysOf = async (monitorId: string) =>
  (await one.monitors.get(world.identity, monitorId)).days;

/** Sends a span of each trace, and lets the traces settle. */
async function settle(serviceName: string, traceIds: string[]): Promise<void> {
  const attributes = { 'input.value': 'Where?', 'output.value': 'There.' };
  const spans = traceIds.map((traceId) => ({ traceId, name: 'answer', attributes }));
  const resource = { 'assay.project_id': projectId, 'service.name': serviceName };
  await one.receiving.receiveSpans(world.identity, {
    bytes: Buffer.from(JSON.stringify(exportOf(spans, resource))),
    contentType: 'application/json',
    projectId: undefined,
  });
  at += 60_000;
  while (await one.settling.settleDue(world.identity.organizationId));
}

const newTraces = (count: number): string[] => Array.from({ length: count }, newTraceId);

test('a record whose making was not answered counts once as recorded, and takes one place of the hour', async () => {
  const id = await watch('broken', 4);
  const first = newTraces(3);
  await settle('broken', first);
  lost = 1;
  await expect(one.monitoring.askDue(world.identity.organizationId)).rejects.toThrow(
    'The connection broke.',
  );
  const [before] = await daysOf(id);
  expect(before?.counts.seen).toBe(0);

  at += 61_000;
  await one.monitoring.askDue(world.identity.organizationId);
  const counts = async () => (await daysOf(id))[0]!.counts;
  expect(await counts()).toMatchObject({ seen: 3, recorded: 3, repeated: 0, overLimit: 0 });

  // One place of the hour is left, and a trace that is recorded needs none.
  await settle('broken', [first[0]!, ...newTraces(2)]);
  await one.monitoring.askDue(world.identity.organizationId);
  expect(await counts()).toMatchObject({ seen: 6, recorded: 4, repeated: 1, overLimit: 1 });
  const { runId } = (await daysOf(id))[0]!;
  expect((await world.request('GET', `/runs/${runId}`)).body.numRecords).toBe(4);
});

test('two processes that are asked about the same traces at once count each once, in one run of the day', async () => {
  const id = await watch('shared', 250);
  await settle('shared', newTraces(300));
  await Promise.all([
    one.monitoring.askDue(world.identity.organizationId),
    other.monitoring.askDue(world.identity.organizationId),
  ]);
  const days = await daysOf(id);
  expect(days).toMatchObject([{ counts: { seen: 300, recorded: 250, overLimit: 50 } }]);
  expect((await world.request('GET', `/runs/${days[0]!.runId}`)).body.numRecords).toBe(250);
  const { data } = (await world.request('GET', `/projects/${projectId}/runs?name=shared`)).body;
  expect(data).toHaveLength(1);
});

test('traces that an earlier mapping read are settled anew, the newest first, and no monitor is asked about them again', async () => {
  const id = await watch('upgraded', 10);
  const traceIds = newTraces(60);
  await settle('upgraded', traceIds);
  await one.monitoring.askDue(world.identity.organizationId);
  const before = await daysOf(id);
  const heads = databases[0]!.collection('traces');
  await one.settling.settleOutdated(world.identity.organizationId);
  const outdated = { traceId: { $in: traceIds } };
  // Heads have no version that were made before there was one.
  const age = { $set: { inputPreview: null, costUsd: 3 }, $unset: { mapping: 1 } };
  await heads.updateMany(outdated, age as never);
  const newest = { traceId: traceIds[59]! };
  await heads.updateOne(newest, { $max: { startedAt: Date.now() + 60_000 } });
  const partless = { traceId: traceIds[58]! };
  await databases[0]!.collection('trace_parts').deleteMany(partless);

  const headOf = (traceId: string) => one.get(world.identity, traceId);
  const numRead = () => heads.countDocuments({ ...outdated, inputPreview: 'Where?' });
  await Promise.all([
    one.settling.settleOutdated(world.identity.organizationId),
    other.settling.settleOutdated(world.identity.organizationId),
  ]);
  expect(await headOf(newest.traceId)).toMatchObject({ inputPreview: 'Where?', costUsd: 3 });
  await poll('all are read anew', async () => {
    await one.settling.settleOutdated(world.identity.organizationId);
    return (await numRead()) === 59;
  });
  expect(await headOf(partless.traceId)).toMatchObject({ isSettled: true, inputPreview: null });
  expect(await heads.countDocuments({ ...outdated, claimedBy: { $exists: true } })).toBe(0);
  expect(await heads.countDocuments({ askAt: { $exists: true } })).toBe(0);
  await one.monitoring.askDue(world.identity.organizationId);
  expect(await daysOf(id)).toEqual(before);
});

test('a trace is read without its records while run-records says nothing, long before a call is given up', async () => {
  const [traceId] = newTraces(1);
  await settle('read', [traceId!]);
  await using proxy = await startTcpProxy(world.urls['run-records']!);
  const silent = clientOf(`http://127.0.0.1:${proxy.port}`);
  const { get, list } = domainOf(databases[0]!, () => new Date(at), silent);
  proxy.disturb({ kind: 'silent' });
  const page = { limit: 1, after: undefined };
  const [trace, { items }] = await Promise.all([
    get(world.identity, traceId!),
    list(world.identity, projectId, { records: true, service: 'read' }, page),
  ]);
  expect([trace, ...items]).toEqual(
    Array.from({ length: 2 }, () => expect.objectContaining({ traceId, name: 'answer' })),
  );
  for (const each of [trace, ...items]) expect(each).not.toHaveProperty('records');
  proxy.heal();
  expect(await get(world.identity, traceId!)).toMatchObject({ traceId, records: [] });
  await silent.close();
}, 20_000);
