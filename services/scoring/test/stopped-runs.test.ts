import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { start as startTestcases } from '@assay/testcases/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type Call, type MockProviders, say, startMockProviders } from './mock-providers.ts';

const testcasesCount = 100;

let world: World;
let mock: MockProviders;
let projectId: string;
/** The answers that the judge was asked about. */
let asked: string[] = [];

const answerOf = (call: Call): string => /answer \w+ \d+/.exec(JSON.stringify(call))![0];

beforeAll(async () => {
  mock = await startMockProviders((call) => {
    asked.push(answerOf(call));
    return say({ reasoning: 'r', binaryScore: answerOf(call).includes('good') });
  });
  world = await startWorld({
    services: {
      catalog: startCatalog,
      testcases: startTestcases,
      metrics: startMetrics,
      'run-records': startRunRecords,
      results: startResults,
      scoring: start,
    },
    config: {
      ...mock.config(),
      JUDGE_CONCURRENCY: 4,
      SWEEP_INTERVAL_MS: 250,
      SWEEP_AFTER_MS: 500,
    },
  });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

/** A run with a record of each testcase, whose answer is as good as `qualityAt` says. */
async function newRun(testcaseIds: string[], qualityAt: (index: number) => string, body: object) {
  const run = await world.create(`/projects/${projectId}/runs`, body);
  await Promise.all(
    testcaseIds.map((testcaseId, index) =>
      world.create(`/runs/${run.id}/records`, {
        testcaseId,
        inputs: {},
        expected: {},
        outputs: { answer: `answer ${qualityAt(index)} ${index}` },
      }),
    ),
  );
  return run.id as string;
}

const getRun = async (runId: string) => (await world.request('GET', `/runs/${runId}`)).body;
const completed = (runId: string) =>
  poll('the run is completed', async () => {
    const run = await getRun(runId);
    return run.status === 'completed' && run;
  });

test('a judge is asked about the testcases of a run until it is decided, also where jobs are lost and another process comes and goes', async () => {
  const fieldMapping = { inputs: ['question'], expected: [], metadata: [] };
  const testset = await world.create(`/projects/${projectId}/testsets`, {
    name: 't',
    description: '',
    jsonSchema: {},
    fieldMapping,
  });
  const items = Array.from({ length: testcasesCount }, (_, question) => ({
    jsonData: { question },
  }));
  const created = await world.create(`/testsets/${testset.id}/testcases`, { items });
  const testcaseIds = created.items.map(({ id }: { id: string }) => id) as string[];
  const metric = await world.create(`/projects/${projectId}/metrics`, {
    name: 'm',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: 'Is {{ outputs.answer }} right?',
    evalModelName: 'compatible/small',
  });
  const plan = { testsetId: testset.id, metricIds: [metric.id] };
  const baseline = await newRun(testcaseIds, () => 'bad', plan);
  await completed(baseline);

  asked = [];
  const candidate = await newRun(testcaseIds, (index) => (index % 3 === 0 ? 'good' : 'bad'), {
    ...plan,
    compareWith: baseline,
    stopWhen: { level: 0.999 },
  });
  await poll('the judge is asked', () => asked.length > 0);
  const manager = await world.bus.connection.jetstreamManager();
  const ours = `${world.config.SUBJECT_PREFIX.toUpperCase()}-JOBS`;
  for (const { config } of await manager.streams.list().next())
    if (config.name.startsWith(ours)) await manager.streams.purge(config.name);
  const second = await startRunRecords({ ...world.config } as never);
  await second.stop();

  const { scoring, decision } = await completed(candidate);
  expect(decision).toMatchObject({ outcome: 'better', reason: 'decided' });
  expect(scoring.scored).toBeLessThan(testcasesCount);
  expect(scoring).toEqual({
    expected: testcasesCount,
    scored: decision.pairs,
    failed: 0,
    pending: 0,
    stopped: decision.judgementsSaved,
  });
  expect(new Set(asked).size).toBe(scoring.scored);
});
