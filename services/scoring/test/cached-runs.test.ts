import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { newId } from '@assay/runtime/ids';
import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { createPurge, settledMs } from '@assay/runtime/mongo/purge';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createStore } from '../src/store.ts';
import { type MockProviders, type Reply, say, startMockProviders } from './mock-providers.ts';

/** Of one call to the mock's gpt-4o: 12 tokens in, 7 out. */
const callUsd = (12 * 2.5 + 7 * 10) / 1e6;
const dailyLimitUsd = 1000.5 * callUsd;
const dayMs = 24 * 60 * 60 * 1000;

let world: World;
let mock: MockProviders;
let database: Database;
let answer: () => Reply;

beforeAll(async () => {
  mock = await startMockProviders(() => answer());
  const config = {
    ...mock.config({ JUDGE_CACHE_DAYS: '30' }),
    JUDGE_BUDGET_USD_PER_DAY: dailyLimitUsd,
    SWEEP_INTERVAL_MS: 250,
    SWEEP_AFTER_MS: 500,
  };
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  world = await startWorld({ services, config });
  database = await openDatabase({
    uri: world.config.MONGODB_URI,
    name: `${world.config.DATABASE_PREFIX}_scoring`,
  });
});
afterAll(async () => {
  await database?.close();
  await world?.stop();
  await mock?.stop();
});
beforeEach(() => {
  answer = () => say({ reasoning: 'It is right.', binaryScore: true });
});

/** An organization with a project. */
async function organization() {
  const identity = { organizationId: newId() };
  const request = async (method: string, path: string, body?: unknown) =>
    (await world.request(method, path, body, { identity })).body;
  const projectId: string = (await request('POST', '/projects', { name: 'p', description: '' })).id;

  async function newMetric(body: object = {}): Promise<string> {
    const metric = {
      name: 'm',
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: 'Is {{ outputs.answer }} right?',
      evalModelName: 'gpt-4o',
      ...body,
    };
    return (await request('POST', `/projects/${projectId}/metrics`, metric)).id;
  }
  const settled = (runId: string) =>
    poll('nothing is pending', async () => {
      const run = await request('GET', `/runs/${runId}`);
      return run.scoring.pending === 0 && run;
    });
  /** A judged run of the records `answer 0`, `answer 1` and so on, and the calls that it made. */
  async function judged(metricId: string, { records = 3, ...body }: Record<string, unknown> = {}) {
    const before = mock.calls.length;
    const { id } = await request('POST', `/projects/${projectId}/runs`, {
      metricIds: [metricId],
      ...body,
    });
    for (let index = 0; index < (records as number); index++)
      await request('POST', `/runs/${id}/records`, {
        inputs: {},
        expected: {},
        outputs: { answer: `answer ${index}` },
      });
    const run = await settled(id);
    return { run, calls: mock.calls.length - before };
  }
  const scoreOf = async (runId: string) =>
    (await request('GET', `/runs/${runId}/records`)).data[0].scores[0];
  return { ...identity, projectId, request, newMetric, judged, settled, scoreOf };
}

describe('a second run over the same records', () => {
  test('asks no judge and costs nothing, and its scores and its account say why', async () => {
    const { newMetric, judged, scoreOf } = await organization();
    const metricId = await newMetric({ votes: 3 });
    const first = await judged(metricId);
    expect([first.calls, first.run.cachedAnswers, first.run.cache]).toEqual([9, 0, 'use']);
    expect(first.run.costUsd).toBeCloseTo(9 * callUsd, 12);
    const second = await judged(metricId);
    expect(second.calls).toBe(0);
    expect(second.run).toMatchObject({
      costUsd: 0,
      cachedAnswers: 9,
      scoring: { expected: 3, scored: 3, failed: 0, pending: 0 },
    });
    const { provenance: asked } = await scoreOf(first.run.id);
    const { provenance, score } = await scoreOf(second.run.id);
    expect(score).toEqual({ binaryScore: true, value: true, reasoning: 'It is right.' });
    expect(asked).not.toHaveProperty('cached');
    expect(provenance).toEqual({
      ...asked,
      costUsd: 0,
      cached: true,
      cachedVotes: 3,
      attempts: 0,
      durationMs: expect.any(Number),
    });
    const metrics = await (await fetch(`${world.urls.scoring}/metrics`)).text();
    expect(metrics).toMatch(/^assay_cached_answers_total\{service="scoring"\} 9$/m);
  });

  test('with another metric of the same words asks none either: what is sent counts', async () => {
    const { newMetric, judged } = await organization();
    await judged(await newMetric({ name: 'one' }));
    expect((await judged(await newMetric({ name: 'two' }))).calls).toBe(0);
  });

  test('asks again where it bypasses the cache, at another temperature, and of another organization', async () => {
    const { newMetric, judged } = await organization();
    const metricId = await newMetric();
    await judged(metricId);
    const { calls, run } = await judged(metricId, { cache: 'bypass' });
    expect([calls, run.cache, run.cachedAnswers]).toEqual([3, 'bypass', 0]);
    const warm = await newMetric({ temperature: 0.7 });
    await judged(warm);
    expect((await judged(warm)).calls).toBe(3);
    const other = await organization();
    expect((await other.judged(await other.newMetric())).calls).toBe(3);
  });

  test('counts in no budget: neither in its own nor in that of the day', async () => {
    const { newMetric, judged, organizationId } = await organization();
    const spentToday = () =>
      createStore(database, { sweepAfterMs: 0 }).spentOn(
        organizationId,
        new Date().toISOString().slice(0, 10),
      );
    const metricId = await newMetric();
    await judged(metricId, { records: 5 });
    const spent = await spentToday();
    expect(spent).toBeGreaterThan(0);
    const within = await judged(metricId, { records: 5, budgetUsd: callUsd / 2 });
    expect([within.calls, within.run.scoring.scored]).toEqual([0, 5]);
    expect(await spentToday()).toBe(spent);
    const more = await judged(metricId, { records: 8, budgetUsd: 2 * callUsd });
    expect([more.calls, more.run.scoring.scored, more.run.scoring.failed]).toEqual([2, 7, 1]);
  });

  test('is scored from the cache when nothing is left of the day', async () => {
    const { newMetric, judged, organizationId } = await organization();
    const metricId = await newMetric();
    await judged(metricId, { records: 2 });
    const day = new Date().toISOString().slice(0, 10);
    await createStore(database, { sweepAfterMs: 0 }).spend(organizationId, { day, nanoUsd: 1e12 });
    expect((await judged(metricId, { records: 3 })).run.scoring).toMatchObject({
      scored: 2,
      failed: 1,
    });
  });
});

describe('judging anew', () => {
  test('gives the same answers from the cache, and asks where it bypasses the cache', async () => {
    const { newMetric, judged, request, settled, scoreOf } = await organization();
    const { run } = await judged(await newMetric());
    const rescored = async (body: object) => {
      const before = mock.calls.length;
      await request('POST', `/runs/${run.id}/rescore`, body);
      await settled(run.id);
      return mock.calls.length - before;
    };
    answer = () => say({ reasoning: 'I think again.', binaryScore: false });
    expect(await rescored({})).toBe(0);
    expect((await scoreOf(run.id)).score.reasoning).toBe('It is right.');
    expect(await rescored({ cache: 'bypass' })).toBe(3);
    expect((await scoreOf(run.id)).score.reasoning).toBe('I think again.');
    expect(await rescored({})).toBe(0);
    expect((await scoreOf(run.id)).score.reasoning).toBe('It is right.');
  });

  test('of a run that bypasses the cache asks, and uses it where it says so', async () => {
    const { newMetric, judged, request, settled } = await organization();
    const metricId = await newMetric();
    await judged(metricId);
    const { run } = await judged(metricId, { cache: 'bypass' });
    const before = mock.calls.length;
    await request('POST', `/runs/${run.id}/rescore`, {});
    await settled(run.id);
    expect(mock.calls.length - before).toBe(3);
    await request('POST', `/runs/${run.id}/rescore`, { cache: 'use' });
    expect((await settled(run.id)).cachedAnswers).toBe(3);
    expect(mock.calls.length - before).toBe(3);
  });

  test('that bypasses the cache and fails bypasses it when it is retried', async () => {
    const { newMetric, judged, request, settled, scoreOf } = await organization();
    const { run } = await judged(await newMetric(), { records: 1 });
    answer = () => ({ status: 403 });
    await request('POST', `/runs/${run.id}/rescore`, { cache: 'bypass' });
    expect((await settled(run.id)).scoring.failed).toBe(1);
    answer = () => say({ reasoning: 'I think again.', binaryScore: false });
    await request('POST', `/runs/${run.id}/retry`);
    await settled(run.id);
    expect((await scoreOf(run.id)).score.reasoning).toBe('I think again.');
  });
});

test('a preview asks only what its change makes different, and the run that follows asks nothing', async () => {
  const { newMetric, judged, request, settled } = await organization();
  const metricId = await newMetric();
  const { run } = await judged(metricId);
  const changes = { evalType: 'ai', outputType: 'boolean' };
  const preview = async (change: object) => {
    const before = mock.calls.length;
    const { costUsd, scored } = await request('POST', `/metrics/${metricId}/preview`, {
      change: { ...changes, ...change },
      runId: run.id,
    });
    return { calls: mock.calls.length - before, costUsd, scored };
  };
  expect(await preview({})).toEqual({ calls: 0, costUsd: 0, scored: 3 });
  const change = { promptTemplate: 'Strictly: is {{ outputs.answer }} right?' };
  expect(await preview(change)).toMatchObject({ calls: 3, scored: 3 });
  await request('PATCH', `/metrics/${metricId}`, { ...changes, ...change });
  const before = mock.calls.length;
  await request('POST', `/runs/${run.id}/rescore`, {});
  await settled(run.id);
  expect(mock.calls.length - before).toBe(0);
});

describe('the answers that are kept', () => {
  const answersOf = (organizationId: string) =>
    database.collection('answers').find({ organizationId }).toArray();

  test('are there for 30 days, without the prompt', async () => {
    const { newMetric, judged, organizationId, projectId } = await organization();
    await judged(await newMetric(), { records: 1 });
    const [kept] = await answersOf(organizationId);
    expect(kept).toEqual({
      _id: expect.stringMatching(new RegExp(`^${organizationId}/[0-9a-f]{64}$`)),
      organizationId,
      projectId,
      model: 'gpt-4o',
      answer: '{"reasoning":"It is right.","binaryScore":true}',
      notes: [],
      inputTokens: 12,
      outputTokens: 7,
      keptAt: expect.any(Date),
      expiresAt: new Date(kept!.keptAt.getTime() + 30 * dayMs),
    });
    const indexes = await database.collection('answers').indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });

  test('are not used when they are older than the setting allows', async () => {
    const { newMetric, judged, organizationId } = await organization();
    const metricId = await newMetric();
    await judged(metricId);
    const keptAt = new Date(Date.now() - 30 * dayMs);
    await database.collection('answers').updateMany({ organizationId }, { $set: { keptAt } });
    expect((await judged(metricId)).calls).toBe(3);
    expect((await judged(metricId)).calls).toBe(0);
  });

  test('go with their project, and those of other projects stay', async () => {
    const deleted = await organization();
    const other = await organization();
    for (const { judged, newMetric } of [deleted, other]) await judged(await newMetric());
    await deleted.request('DELETE', `/projects/${deleted.projectId}`);
    const hidden = database.collection<{ _id: string }>('deleted_projects');
    await poll('scoring hears of it', () => hidden.findOne({ _id: deleted.projectId }));
    const purge = createPurge({
      database,
      collection: 'deleted_projects',
      deleteAll: createStore(database, { sweepAfterMs: 0 }).answers.deleteOfProject,
      now: () => new Date(Date.now() + settledMs + 1000),
      log: { warn: () => undefined },
    });
    // Scoring hears of a deletion twice, by a question and by an event that may come after a sweep.
    await poll('the deletion is forgotten', async () => {
      await purge.sweep();
      return (await hidden.findOne({ _id: deleted.projectId })) === null;
    });
    expect(await answersOf(deleted.organizationId)).toEqual([]);
    expect(await answersOf(other.organizationId)).toHaveLength(3);
  });
});
