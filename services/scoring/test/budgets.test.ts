import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type MockProviders, say, startMockProviders } from './mock-providers.ts';

const concurrency = 16;
/** Of one call to the mock's gpt-4o: 12 tokens in, 7 out. */
const callUsd = (12 * 2.5 + 7 * 10) / 1e6;

let world: World;
let mock: MockProviders;
let projectId: string;
let answerMs = 0;

beforeAll(async () => {
  mock = await startMockProviders(async () => {
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    return say({ reasoning: 'It is right.', binaryScore: true });
  });
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  const config = {
    ...mock.config(),
    JUDGE_CONCURRENCY: concurrency,
    SWEEP_INTERVAL_MS: 250,
    SWEEP_AFTER_MS: 500,
  };
  world = await startWorld({ services, config });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

const metric = {
  name: 'm',
  evalType: 'ai',
  outputType: 'boolean',
  promptTemplate: '{{ outputs.answer }}',
  evalModelName: 'openai/gpt-4o',
};

/** A run of 100 records with a budget for so many calls, when nothing of it is pending any more. */
async function spend(calls: number, changes: object = {}) {
  const metricId = (await world.create(`/projects/${projectId}/metrics`, { ...metric, ...changes }))
    .id;
  const body = { metricIds: [metricId], budgetUsd: calls * callUsd };
  const runId = (await world.create(`/projects/${projectId}/runs`, body)).id;
  const before = mock.calls.length;
  const record = { inputs: {}, expected: {}, outputs: { answer: 'a' } };
  await Promise.all(
    Array.from({ length: 100 }, () => world.request('POST', `/runs/${runId}/records`, record)),
  );
  const run = await poll('nothing is pending', async () => {
    const { body } = await world.request('GET', `/runs/${runId}`);
    return body.scoring.pending === 0 && body;
  });
  return { run, calls: mock.calls.length - before };
}

describe('a budget of five calls', () => {
  test.each([0, 50, 1000])(
    'costs five calls with a judge that takes %i ms, and all of them are in the account',
    async (ms) => {
      answerMs = ms;
      const { run, calls } = await spend(5);
      expect(calls).toBe(5);
      expect(run.costUsd).toBeCloseTo(5 * callUsd, 12);
      expect(run.scoring).toEqual({ expected: 100, scored: 5, failed: 95, pending: 0 });
    },
  );

  test('and a half is reached by the sixth', async () => {
    answerMs = 0;
    const { run, calls } = await spend(5.5);
    expect([calls, run.scoring.scored]).toEqual([6, 6]);
  });

  test('costs two judgements of three votes', async () => {
    answerMs = 50;
    const { run, calls } = await spend(5, { votes: 3 });
    expect([calls, run.scoring.scored]).toEqual([6, 2]);
    expect(run.costUsd).toBeCloseTo(6 * callUsd, 12);
  });
});

test('two processes spend too much by the calls that they have under way at most, however large the budget', async () => {
  answerMs = 20;
  const other = await start({ ...world.config, RUN_RECORDS_URL: world.urls['run-records']! });
  const { run, calls } = await spend(40);
  await other.stop();
  expect(calls).toBeGreaterThanOrEqual(40);
  expect(calls).toBeLessThanOrEqual(40 + concurrency);
  expect(run.costUsd).toBeCloseTo(calls * callUsd, 12);
});
