import { start as startCatalog } from '@assay/catalog/service';
import { scoring } from '@assay/contracts/scoring';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import {
  type Call,
  type MockProviders,
  type Reply,
  say,
  startMockProviders,
} from './mock-providers.ts';

let world: World;
let mock: MockProviders;
let projectId: string;
let answer: (call: Call) => Reply;

const fine = () => say({ reasoning: 'It is right.', binaryScore: true });
const away: Reply = { status: 503 };

beforeAll(async () => {
  mock = await startMockProviders((call) => answer(call));
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  world = await startWorld({
    services,
    config: { ...mock.config(), JUDGE_CONCURRENCY: 4, SWEEP_INTERVAL_MS: 250, SWEEP_AFTER_MS: 500 },
  });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

async function newMetric(evalModelName: string) {
  const body = {
    name: 'm',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: '{{ outputs.answer }}',
    evalModelName,
  };
  return (await world.create(`/projects/${projectId}/metrics`, body)).id as string;
}
const newRun = async (model: string) =>
  (await world.create(`/projects/${projectId}/runs`, { metricIds: [await newMetric(model)] }))
    .id as string;
const newRecords = (runId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      world.request('POST', `/runs/${runId}/records`, {
        inputs: {},
        expected: {},
        outputs: { answer: `answer ${index}` },
      }),
    ),
  );
const accountOf = async (runId: string) =>
  (await world.request('GET', `/runs/${runId}`)).body.scoring;
const settled = (runId: string) =>
  poll('nothing is pending', async () => {
    const account = await accountOf(runId);
    return account.pending === 0 && account;
  });

test('a provider that is away for a while fails no record that it was not asked for, and the accounts count its requests', async () => {
  // By time: if the provider failed a number of calls, a busy machine could spend each of them as a
  // probe, a longer pause apart each time.
  let awayUntil: number | undefined;
  answer = () => {
    awayUntil ??= Date.now() + 2000;
    return Date.now() < awayUntil ? away : fine();
  };
  const run = await newRun('compatible/small');
  await newRecords(run, 60);
  expect(await settled(run)).toEqual({ expected: 60, scored: 60, failed: 0, pending: 0 });
  const { data } = (await world.request('GET', `/runs/${run}/records?limit=100`)).body;
  const attempts = data.flatMap(({ scores }: { scores: { provenance: { attempts: number } }[] }) =>
    scores.map(({ provenance }) => provenance.attempts),
  );
  expect(attempts.reduce((sum: number, count: number) => sum + count, 0)).toBe(mock.calls.length);
  expect(mock.calls.length).toBeGreaterThan(60);
});

test('a run that waits for its provider keeps no other waiting, and waits no longer once it is paused', async () => {
  answer = ({ body }) => (body.model === 'gone' ? away : fine());
  const waiting = await newRun('compatible/gone');
  await newRecords(waiting, 150);
  const callsOf = () => mock.calls.filter(({ body }) => body.model === 'gone').length;
  await poll('the provider is left alone', () => callsOf() >= 5);
  const other = await newRun('compatible/there');
  await newRecords(other, 30);
  expect((await settled(other)).scored).toBe(30);
  expect(await accountOf(waiting)).toMatchObject({ failed: 0, pending: 150 });
  await world.request('POST', `/runs/${waiting}/pause`);
  await poll('no job of it is left', async () => {
    const manager = await world.bus.connection.jetstreamManager();
    const stream = `${world.config.SUBJECT_PREFIX.toUpperCase()}-JOBS-scoring-judgeRecords`;
    return (await manager.streams.info(stream)).state.messages === 0;
  });
});

test('a provider that is away is told with its fault and the next try, until it answers again', async () => {
  answer = ({ body }) => (body.model === 'lost' ? away : fine());
  const run = await newRun('compatible/lost');
  await newRecords(run, 20);
  const waitingFor = async () => (await world.request('GET', '/judges')).body.waitingFor;
  const lost = await poll('the provider is told to be away', async () =>
    (await waitingFor()).find(({ model }: { model: string }) => model === 'compatible/lost'),
  );
  expect(lost).toMatchObject({
    code: 'provider_error',
    message: 'compatible answered 503.',
    since: expect.any(String),
    nextProbeAt: expect.any(String),
  });
  const tellsTheRun = async () => (await world.request('GET', `/runs/${run}`)).body.waitingFor;
  expect(await tellsTheRun()).toMatchObject([
    { model: 'compatible/lost', code: 'provider_error', nextProbeAt: expect.any(String) },
  ]);
  expect(Date.parse(lost.nextProbeAt)).toBeGreaterThan(Date.parse(lost.since));
  const { scoring: asked } = world.bus.asks(scoring);
  expect(
    (await asked.waitingFor(world.identity, { models: ['compatible/lost', 'gpt-4o'] })).data,
  ).toEqual([expect.objectContaining({ model: 'compatible/lost', since: lost.since })]);
  answer = fine;
  expect((await settled(run)).failed).toBe(0);
  expect(await tellsTheRun()).toBeUndefined();
  await poll('nothing waits for it', async () =>
    (await waitingFor()).every(({ model }: { model: string }) => model !== 'compatible/lost'),
  );
});

test('a retry right after the provider is well again scores what failed, and its jobs say when it was asked for', async () => {
  const jobs: { retriedAt?: string }[] = [];
  const subject = `${subjectOf(world.config.SUBJECT_PREFIX, 'job', 'scoring', 'judgeRecords')}.*`;
  const heard = world.bus.connection.subscribe(subject, {
    callback: (_, message) => jobs.push(message.json()),
  });
  await world.bus.connection.flush();
  answer = () => away;
  const run = await newRun('compatible/tired');
  await newRecords(run, 1);
  expect((await settled(run)).failed).toBe(1);
  expect(jobs.some(({ retriedAt }) => retriedAt)).toBe(false);
  answer = fine;
  const askedAt = Date.now();
  await world.request('POST', `/runs/${run}/retry`);
  expect((await settled(run)).scored).toBe(1);
  const retried = await poll('the job of the retry was published', () =>
    jobs.find(({ retriedAt }) => retriedAt),
  );
  expect(Date.parse(retried.retriedAt!)).toBeGreaterThanOrEqual(askedAt);
  heard.unsubscribe();
});
