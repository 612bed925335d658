import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
let answer: (call: Call) => Reply | Promise<Reply>;

const fine = () => say({ reasoning: 'It is right.', binaryScore: true });

beforeAll(async () => {
  mock = await startMockProviders((call) => answer(call));
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  const config = {
    ...mock.config(),
    JUDGE_CONCURRENCY: 4,
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
beforeEach(() => {
  answer = fine;
});

async function newMetric(body: object = {}) {
  const metric = {
    name: 'm',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: 'Is {{ outputs.answer }} right?',
    ...body,
  };
  return await world.create(`/projects/${projectId}/metrics`, {
    evalModelName: 'compatible/small',
    ...metric,
  });
}
const newRun = async (metricIds: string[], more: object = {}) =>
  await world.create(`/projects/${projectId}/runs`, { metricIds, ...more });
const newRecords = (runId: string, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const body = {
        inputs: { question: `q${index}` },
        expected: { answer: 'a' },
        outputs: { answer: `answer ${index}` },
      };
      return (await world.create(`/runs/${runId}/records`, body)).id as string;
    }),
  );
const getRun = async (runId: string) => (await world.request('GET', `/runs/${runId}`)).body;
const settled = (runId: string) =>
  poll('nothing is pending', async () => {
    const run = await getRun(runId);
    return run.scoring.pending === 0 && run;
  });
const promptOf = ({ body }: Call): string => body.messages.at(-1).content;

describe('a judged run', () => {
  test('gives each record its score with the cost, and the account adds up', async () => {
    const metric = await newMetric({ evalModelName: 'openai/gpt-4o', votes: 3 });
    const run = await newRun([metric.id]);
    const [recordId] = await newRecords(run.id, 1);
    const done = await settled(run.id);
    expect(done).toMatchObject({
      status: 'completed',
      scoring: { expected: 1, scored: 1, failed: 0, pending: 0 },
    });
    const [score] = (await world.request('GET', `/records/${recordId}`)).body.scores;
    expect(score).toMatchObject({
      source: 'ai',
      userId: 'background-job',
      score: { binaryScore: true, value: true, reasoning: 'It is right.' },
      provenance: {
        evaluator: 'judge',
        model: 'openai/gpt-4o',
        votes: 3,
        inputTokens: 36,
        outputTokens: 21,
        temperature: 0,
      },
    });
    expect(done.costUsd).toBeCloseTo(score.provenance.costUsd, 9);
    expect(done.costUsd).toBeGreaterThan(0);
  });

  test('asks once for each record, whatever is published again meanwhile, and has no more than its calls under way', async () => {
    let inFlight = 0;
    let most = 0;
    let open = () => {};
    const allAreUnderWay = new Promise<void>((resolve) => (open = resolve));
    const asked = new Map<string, number>();
    answer = async (call) => {
      const prompt = promptOf(call);
      asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
      most = Math.max(most, ++inFlight);
      if (inFlight === 4) open();
      // The first ones wait for each other, however slowly the records come.
      await allAreUnderWay;
      await new Promise((resolve) => setTimeout(resolve, 30));
      inFlight -= 1;
      return fine();
    };
    const run = await newRun([(await newMetric()).id]);
    await newRecords(run.id, 120);
    expect((await settled(run.id)).scoring).toEqual({
      expected: 120,
      scored: 120,
      failed: 0,
      pending: 0,
    });
    expect([...asked.values()].every((times) => times === 1)).toBe(true);
    expect(asked.size).toBe(120);
    expect(most).toBe(4);
  });

  test('whose provider does not answer keeps no other run waiting, whatever is in the queue before it', async () => {
    const held: (() => void)[] = [];
    answer = (call) =>
      call.body.model === 'slow'
        ? new Promise((resolve) => held.push(() => resolve(fine())))
        : fine();
    const slow = await newRun([(await newMetric({ evalModelName: 'compatible/slow' })).id]);
    await newRecords(slow.id, 200);
    await poll('the slow one is asked', () => held.length > 0);
    const quick = await newRun([(await newMetric()).id]);
    await newRecords(quick.id, 50);
    expect((await settled(quick.id)).scoring.scored).toBe(50);
    expect((await getRun(slow.id)).scoring.scored).toBe(0);
    const builtin = await newMetric({
      evalType: 'heuristic',
      promptTemplate: undefined,
      builtin: { name: 'exact_match', options: {} },
    });
    const evaluated = await newRun([builtin.id]);
    await newRecords(evaluated.id, 5);
    expect((await settled(evaluated.id)).scoring.scored).toBe(5);
    const free = setInterval(() => {
      for (const answerIt of held.splice(0)) answerIt();
    }, 5);
    expect((await settled(slow.id)).scoring.scored).toBe(200);
    clearInterval(free);
  });

  test('that is paused stops asking, and goes on where it was', async () => {
    answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return fine();
    };
    const run = await newRun([(await newMetric()).id]);
    await newRecords(run.id, 150);
    await poll('some are scored', async () => (await getRun(run.id)).scoring.scored > 0);
    await world.request('POST', `/runs/${run.id}/pause`);
    const quiet = await poll('nothing is asked any more', async () => {
      const before = mock.calls.length;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return mock.calls.length === before && (await getRun(run.id)).scoring;
    });
    expect(quiet.pending).toBeGreaterThan(0);
    expect(quiet.expected).toBe(150);
    await world.request('POST', `/runs/${run.id}/resume`);
    expect((await settled(run.id)).scoring).toEqual({
      expected: 150,
      scored: 150,
      failed: 0,
      pending: 0,
    });
  });

  test('ends at its budget with failures that say so, and goes on with a higher one', async () => {
    const metric = await newMetric({ evalModelName: 'openai/gpt-4o' });
    const price = await (async () => {
      const run = await newRun([metric.id]);
      await newRecords(run.id, 1);
      return (await settled(run.id)).costUsd as number;
    })();
    const run = await newRun([metric.id], { budgetUsd: price * 10 });
    await newRecords(run.id, 100);
    const spent = await settled(run.id);
    expect(spent.scoring.scored + spent.scoring.failed).toBe(100);
    expect(spent.scoring.failed).toBeGreaterThan(0);
    expect(spent.costUsd).toBeCloseTo(price * spent.scoring.scored, 9);
    const failures = (await world.request('GET', `/runs/${run.id}/failures?limit=100`)).body.data;
    expect(new Set(failures.map(({ code }: { code: string }) => code))).toEqual(
      new Set(['budget_exhausted']),
    );
    await world.request('PATCH', `/runs/${run.id}`, { budgetUsd: price * 1000 });
    expect((await settled(run.id)).scoring).toEqual({
      expected: 100,
      scored: 100,
      failed: 0,
      pending: 0,
    });
  });

  test('whose judge cannot be had says so when the metric is made and in every failure', async () => {
    await using bare = await startWorld({
      services: {
        catalog: startCatalog,
        metrics: startMetrics,
        'run-records': startRunRecords,
        scoring: start,
      },
    });
    const project = (await bare.request('POST', '/projects', { name: 'p', description: '' })).body
      .id;
    const body = {
      name: 'm',
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: '{{ outputs.answer }}',
      evalModelName: 'gpt-4o',
    };
    const metric = (await bare.request('POST', `/projects/${project}/metrics`, body)).body;
    expect(metric.warnings).toMatchObject([
      { code: 'no_provider', path: '/evalModelName', message: expect.stringContaining('gpt-4o') },
    ]);
    const run = (
      await bare.request('POST', `/projects/${project}/runs`, { metricIds: [metric.id] })
    ).body;
    await bare.request('POST', `/runs/${run.id}/records`, {
      inputs: {},
      expected: {},
      outputs: { answer: 'a' },
    });
    const failure = await poll(
      'the failure',
      async () => (await bare.request('GET', `/runs/${run.id}/failures`)).body.data[0],
    );
    expect(failure).toMatchObject({
      code: 'no_provider',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
    const { defaultModel, data } = (await bare.request('GET', '/judges')).body;
    expect(defaultModel).toBe('gpt-4o');
    expect(data.map(({ isConfigured }: { isConfigured: boolean }) => isConfigured)).not.toContain(
      true,
    );
  });

  test('fails for good where the judge lies, is retried on request, and the cost of both is kept', async () => {
    answer = () => say({ reasoning: 'Full marks!', binaryScore: 'yes' });
    const run = await newRun([(await newMetric({ evalModelName: 'openai/gpt-4o' })).id]);
    await newRecords(run.id, 1);
    const failed = await settled(run.id);
    expect(failed.scoring.failed).toBe(1);
    expect(failed.costUsd).toBeGreaterThan(0);
    const [failure] = (await world.request('GET', `/runs/${run.id}/failures`)).body.data;
    expect(failure).toMatchObject({ code: 'invalid_answer', attempts: 3 });
    answer = fine;
    expect((await world.request('POST', `/runs/${run.id}/retry`)).body).toEqual({ queued: 1 });
    const retried = await settled(run.id);
    expect(retried.scoring.scored).toBe(1);
    expect(retried.costUsd).toBeGreaterThan(failed.costUsd);
  });
});

describe('a preview', () => {
  const change = {
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: 'Strictly: is {{ outputs.answer }} right?',
  };

  test('tells what a changed judge would say of records that are there, and keeps nothing of it', async () => {
    const metric = await newMetric({ evalModelName: 'openai/gpt-4o' });
    const run = await newRun([metric.id]);
    await newRecords(run.id, 6);
    const before = await settled(run.id);
    answer = (call) =>
      say({ reasoning: 'Strict.', binaryScore: !promptOf(call).includes('answer 2') });
    const reply = await world.request('POST', `/metrics/${metric.id}/preview`, {
      change,
      runId: run.id,
      limit: 5,
    });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      scored: 5,
      failed: 0,
      before: { count: 5, passRate: 1 },
      failures: [],
    });
    expect(reply.body.flipped).toBe(reply.body.flips.length);
    for (const flip of reply.body.flips)
      expect(flip).toMatchObject({ before: true, after: false, reasoning: 'Strict.' });
    expect(reply.body.costUsd).toBeGreaterThan(0);
    expect(await getRun(run.id)).toEqual(before);
    expect((await world.request('GET', `/metrics/${metric.id}`)).body.promptTemplate).toBe(
      'Is {{ outputs.answer }} right?',
    );
  });

  test('whose client has gone asks the judge no more than it is asking', async () => {
    const metric = await newMetric();
    const run = await newRun([metric.id]);
    await newRecords(run.id, 20);
    await settled(run.id);
    const asked = mock.calls.length;
    const finish: (() => void)[] = [];
    answer = () => new Promise((resolve) => finish.push(() => resolve(fine())));
    const leaving = new AbortController();
    const path = `/metrics/${metric.id}/preview`;
    const left = world.request(
      'POST',
      path,
      { change, runId: run.id, limit: 20 },
      { signal: leaving.signal },
    );
    await poll('four calls are under way', () => finish.length === 4);
    leaving.abort();
    await expect(left).rejects.toThrow();
    // Asked after all others that wait.
    const stays = world.request('POST', path, { change, runId: run.id, limit: 1 });
    answer = fine;
    for (const one of finish) one();
    expect((await stays).body).toMatchObject({ scored: 1 });
    expect(mock.calls.length - asked).toBeLessThan(10);
  });

  test('of a change or run that cannot be is refused with its place', async () => {
    const metric = await newMetric();
    const run = await newRun([metric.id]);
    const preview = (body: object) =>
      world.request('POST', `/metrics/${metric.id}/preview`, { change, runId: run.id, ...body });
    const placed = async (body: object) => {
      const { status, body: reply } = await preview(body);
      return [status, reply.details.issues[0].path];
    };
    expect(await placed({ runId: 'x' })).toEqual([400, '/runId']);
    expect(await placed({ limit: 0 })).toEqual([400, '/limit']);
    expect(await placed({ change: { ...change, promptTemplate: '{{ input.x }}' } })).toEqual([
      400,
      '/change/promptTemplate',
    ]);
    expect(await placed({ change: { ...change, votes: 2 } })).toEqual([400, '/change/votes']);
    expect(await placed({ change: { ...change, evalModelName: 'google/../secret' } })).toEqual([
      400,
      '/change/evalModelName',
    ]);
    expect(await placed({ change: { evalType: 'human', outputType: 'boolean' } })).toEqual([
      400,
      '/change/evalType',
    ]);
    const missing = '00000000-0000-7000-8000-000000000000';
    expect(
      (await world.request('POST', `/metrics/${missing}/preview`, { change, runId: run.id }))
        .status,
    ).toBe(404);
    expect((await preview({})).body).toMatchObject({
      scored: 0,
      flipped: 0,
      before: { count: 0, mean: null, passRate: null },
    });
  });
});
