import { randomUUID } from 'node:crypto';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  keys,
  type MockProviders,
  say,
  startMockProviders,
} from '../../services/scoring/test/mock-providers.ts';
import { listAll } from './audit.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { createDice, report, seed } from './seed.ts';

const testcasesCount = 400;
const kills = 6;

let cluster: Cluster;
let judge: MockProviders;
beforeAll(async () => {
  judge = await startMockProviders(async ({ body }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return say({ reasoning: 'So.', binaryScore: JSON.stringify(body).includes('right') });
  });
  cluster = await startCluster({
    environment: () => ({
      OPENAI_API_KEY: keys.OPENAI_API_KEY,
      OPENAI_BASE_URL: `http://127.0.0.1:${judge.port}/openai/v1`,
      JUDGE_CONCURRENCY: '4',
    }),
  });
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await judge?.stop();
}, 120_000);

const dice = createDice('stopping');

/** Asks until somebody answers, as a client does whose server was killed. */
async function ask(method: string, path: string, body?: unknown, headers?: object) {
  return poll(`${method} ${path} is answered`, async () => {
    const reply = await cluster.call(method, path, body, headers as never).catch(() => undefined);
    return reply && reply.status < 500 ? reply : undefined;
  });
}

async function create(path: string, body: unknown) {
  const reply = await ask('POST', path, body, { 'idempotency-key': randomUUID() });
  expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300);
  return reply.body;
}

/** Kills a process at random moments while something goes on, and starts it again at once. */
async function killMeanwhile(names: string[], isOver: () => Promise<boolean>): Promise<number> {
  const members = cluster.members.filter(({ name }) =>
    names.some((start) => name.startsWith(start)),
  );
  let killed = 0;
  while (killed < kills && !(await isOver())) {
    await new Promise((resolve) => setTimeout(resolve, 200 + dice.below(1000)));
    const victim = dice.pick(members);
    report(`kill -9 of ${victim.name}`);
    await victim.kill();
    await victim.start();
    killed += 1;
  }
  return killed;
}

test(`kill -9 of any process while a run stops, and while testcases are drawn for people, leaves every account right (seed ${seed})`, {
  timeout: 20 * 60_000,
}, async () => {
  const projectId = (await create('/projects', { name: 'Stops', description: '' })).id;
  const testset = await create(`/projects/${projectId}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {} } },
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
  const testcaseIds: string[] = [];
  for (let from = 0; from < testcasesCount; from += 100) {
    const items = Array.from({ length: 100 }, (_, index) => ({
      jsonData: { question: `${from + index}?` },
    }));
    const made = await create(`/testsets/${testset.id}/testcases`, { items });
    testcaseIds.push(...made.items.map(({ id }: { id: string }) => id));
  }
  const metric = (body: object) => create(`/projects/${projectId}/metrics`, body);
  const judged = await metric({
    name: 'Right',
    evalType: 'ai',
    outputType: 'boolean',
    evalModelName: 'openai/gpt-4o',
    promptTemplate: '{{ inputs.question }} answer: {{ outputs.answer }}',
  });
  const human = await metric({ name: 'By people', evalType: 'human', outputType: 'boolean' });

  async function newRun(isRight: (place: number) => boolean, body: object = {}): Promise<string> {
    const { id } = await create(`/projects/${projectId}/runs`, {
      testsetId: testset.id,
      metricIds: [judged.id, human.id],
      ...body,
    });
    for (const [place, testcaseId] of testcaseIds.entries())
      await create(`/runs/${id}/records`, {
        testcaseId,
        inputs: { question: `${place}?` },
        expected: {},
        outputs: { answer: isRight(place) ? 'right' : 'wrong' },
      });
    return id;
  }
  const scoringOf = async (runId: string) => (await ask('GET', `/runs/${runId}`)).body.scoring;
  const isJudged = async (runId: string): Promise<boolean> => {
    const { expected, pending, scored, failed, stopped = 0 } = await scoringOf(runId);
    expect(scored + failed + pending + stopped, 'the account adds up').toBe(expected);
    // Those of people are pending to the end.
    return scored + failed + stopped === testcasesCount;
  };

  const baselineRunId = await newRun((place) => place % 3 === 0);
  await poll('the baseline is judged', () => isJudged(baselineRunId));

  const runId = await newRun((place) => place % 3 === 0 || place % 9 < 3, {
    compareWith: baselineRunId,
    stopWhen: { level: 0.95, metricId: judged.id },
  });
  const killed = await killMeanwhile(['run-records', 'scoring', 'mongod', 'nats'], () =>
    isJudged(runId),
  );
  expect(killed, 'processes killed before it was decided').toBeGreaterThan(0);
  await poll('the run stops', () => isJudged(runId));
  const run = (await ask('GET', `/runs/${runId}`)).body;
  report(`decided: ${JSON.stringify(run.decision)}; ${JSON.stringify(run.scoring)}`);
  expect(run.decision).toMatchObject({ outcome: 'better', reason: 'decided' });
  expect(run.scoring.failed).toBe(0);
  expect(run.scoring.stopped).toBeGreaterThan(0);
  const records = await listAll(cluster.call, `/runs/${runId}/records`);
  const scores = records.flatMap(({ scores }) =>
    scores.filter(({ source }: { source: string }) => source === 'ai'),
  );
  expect(records).toHaveLength(testcasesCount);
  expect(scores).toHaveLength(run.scoring.scored);
  expect(scores.length + run.scoring.stopped).toBe(testcasesCount);

  const wanted = { baselineRunId, candidateRunId: runId, metricId: judged.id };
  let drawn: Awaited<ReturnType<typeof create>>;
  let isDrawn = false;
  const drawing = (async () => {
    for (let round = 0; round < 4; round += 1)
      drawn = await create('/label-draws', { ...wanted, humanMetricId: human.id, testcases: 10 });
    isDrawn = true;
  })();
  await killMeanwhile(['run-records', 'results', 'mongod'], async () => isDrawn);
  await drawing;
  expect(drawn).toMatchObject({ drawn: 40, paired: scores.length });
  const ids = drawn.testcases.map(({ testcaseId }: { testcaseId: string }) => testcaseId);
  expect(new Set(ids).size).toBe(40);
  const { body } = await ask('GET', `/label-draws?${new URLSearchParams(wanted)}`);
  expect(body).toEqual(drawn);
});
