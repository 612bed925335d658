import { start as startCatalog } from '@assay/catalog/service';
import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { makeKey } from '@assay/runtime/api-key';
import { newId } from '@assay/runtime/ids';
import { operatorIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type MockProviders, say, startMockProviders } from './mock-providers.ts';

const concurrency = 4;
/** Of one call to the mock's gpt-4o: 12 tokens in, 7 out. */
const callUsd = (12 * 2.5 + 7 * 10) / 1e6;
const limitUsd = 10 * callUsd;
const exhausted = new RegExp(
  `^The organization has spent its ${limitUsd} US dollars for judges of this day, which ends at \\d{4}-\\d\\d-\\d\\dT00:00:00.000Z\\.`,
);

let world: World;
let mock: MockProviders;

beforeAll(async () => {
  mock = await startMockProviders(() => say({ reasoning: 'It is right.', binaryScore: true }));
  const services = {
    identity: startIdentity,
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  const config = {
    ...mock.config(),
    JUDGE_CONCURRENCY: concurrency,
    JUDGE_BUDGET_USD_PER_DAY: limitUsd,
  };
  world = await startWorld({
    services,
    config: { ...config, SWEEP_INTERVAL_MS: 250, SWEEP_AFTER_MS: 500 },
  });
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

/** What one organization does. */
function organization(organizationId = newId()) {
  const identity = { organizationId };
  const request = (method: string, path: string, body?: unknown) =>
    world.request(method, path, body, { identity });

  async function newRun(count: number) {
    const projectId = (await request('POST', '/projects', { name: 'p', description: '' })).body.id;
    const body = {
      name: 'm',
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: '{{ outputs.answer }}',
      evalModelName: 'gpt-4o',
    };
    const metricId = (await request('POST', `/projects/${projectId}/metrics`, body)).body
      .id as string;
    const runId = (await request('POST', `/projects/${projectId}/runs`, { metricIds: [metricId] }))
      .body.id as string;
    const record = { inputs: {}, expected: {}, outputs: { answer: 'a' } };
    await Promise.all(
      Array.from({ length: count }, () => request('POST', `/runs/${runId}/records`, record)),
    );
    const run = await poll('nothing is pending', async () => {
      const { body } = await request('GET', `/runs/${runId}`);
      return body.scoring.pending === 0 && body;
    });
    return { metricId, runId, run };
  }
  return { request, newRun };
}

test('an organization spends what it may in a day, and what is left fails with the limit and its end', async () => {
  const { request, newRun } = organization();
  const before = mock.calls.length;
  const { runId, run } = await newRun(30);
  expect(run.scoring).toMatchObject({ scored: 10, failed: 20 });
  expect(mock.calls.length - before).toBe(10);
  const { data } = (await request('GET', `/runs/${runId}/failures?limit=100`)).body;
  for (const failure of data)
    expect(failure).toMatchObject({
      code: 'budget_exhausted',
      message: expect.stringMatching(exhausted),
      attempts: 0,
    });
  expect((await organization().newRun(3)).run.scoring).toMatchObject({ scored: 3, failed: 0 });
});

test('previews are in it: they are counted, and refused when nothing is left', async () => {
  const { request, newRun } = organization();
  const { metricId, runId } = await newRun(6);
  const preview = () =>
    request('POST', `/metrics/${metricId}/preview`, {
      change: { evalType: 'ai', outputType: 'boolean', promptTemplate: 'x' },
      runId,
    });
  expect((await preview()).body).toMatchObject({
    scored: 4,
    failed: 2,
    failures: [{ code: 'budget_exhausted' }, { code: 'budget_exhausted' }],
  });
  const refused = await preview();
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(refused.body.message).toMatch(exhausted);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('several processes count in one account, and spend too much by the calls under way at most', async () => {
  const other = await start({ ...world.config, RUN_RECORDS_URL: world.urls['run-records']! });
  const { newRun } = organization();
  const before = mock.calls.length;
  const { run } = await newRun(100);
  await other.stop();
  const calls = mock.calls.length - before;
  expect(calls).toBeGreaterThanOrEqual(10);
  expect(calls).toBeLessThanOrEqual(10 + concurrency);
  expect(run.scoring.scored).toBe(calls);
  expect((await newRun(2)).run.scoring).toMatchObject({ scored: 0, failed: 2 });
});

test("an organization's own budget holds in place of the installation's, and counts what was spent before", async () => {
  const ask = world.bus.asks(identity).identity;
  const { organization: own } = await ask.createOrganization(operatorIdentity, {
    name: 'Own',
    key: makeKey().kept,
  });
  const { newRun } = organization(own.id);
  const setBudget = (judgeBudgetUsdPerDay: number | null) =>
    ask.setLimits(operatorIdentity, { organizationId: own.id, change: { judgeBudgetUsdPerDay } });
  const scoringOf = async (count: number) => (await newRun(count)).run.scoring;
  const oneIsScored = () =>
    poll('the limit is heard of', async () => (await scoringOf(1)).scored === 1);

  await setBudget(2 * callUsd);
  expect(await scoringOf(5)).toMatchObject({ scored: 2, failed: 3 });
  await setBudget(null);
  await oneIsScored();
  expect(await scoringOf(10)).toMatchObject({ scored: 7, failed: 3 });
  await setBudget(12 * callUsd);
  await oneIsScored();
  expect(await scoringOf(3)).toMatchObject({ scored: 1, failed: 2 });
});
