import { start as startCatalog } from '@assay/catalog/service';
import { results } from '@assay/contracts/results';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { start as startTestcases } from '@assay/testcases/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type Call, type MockProviders, startMockProviders } from './mock-providers.ts';

let world: World;
let mock: MockProviders;
let projectId: string;

const promptOf = ({ body }: Call): string => body.messages.at(-1).content;

/** A judge that passes every second question, and charges by the length of prompt and reason. */
function judge(call: Call) {
  const prompt = promptOf(call);
  const number = Number(/number (\d+)/.exec(prompt)![1]);
  const text = JSON.stringify({ reasoning: 'It is right.', binaryScore: number % 2 === 0 });
  return {
    text,
    usage: { prompt_tokens: prompt.length, completion_tokens: 20 + (number % 5) },
  };
}

beforeAll(async () => {
  mock = await startMockProviders(judge);
  world = await startWorld({
    services: {
      catalog: startCatalog,
      testcases: startTestcases,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
      results: startResults,
    },
    config: mock.config(),
  });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

const newMetric = async (body: object = {}): Promise<string> =>
  (
    await world.create(`/projects/${projectId}/metrics`, {
      name: 'm',
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: 'Is {{ outputs.answer }} right?',
      evalModelName: 'openai/gpt-4o',
      ...body,
    })
  ).id;

const atOnce = 20;

/** A run whose records have answers of 20 to 320 words, judged; `from` is the first number. */
async function judgedRun(metricId: string, { from, count }: { from: number; count: number }) {
  const run = await world.create(`/projects/${projectId}/runs`, { metricIds: [metricId] });
  const add = (number: number) => {
    const answer = `number ${number} ${'word '.repeat(20 + ((number * 37) % 301))}`;
    const body = { inputs: {}, expected: {}, outputs: { answer } };
    return world.create(`/runs/${run.id}/records`, body);
  };
  for (let start = 0; start < count; start += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - start) }, (_, index) =>
        add(from + start + index),
      ),
    );
  return await poll('the run is judged', async () => {
    const { body } = await world.request('GET', `/runs/${run.id}`);
    return body.scoring.pending === 0 && body.numRecords === count && body;
  });
}

/** What a record costs, for a monitor that has it judged by these metrics. */
const recordUsd = async (metricIds: string[], pilotRunId: string | null = null) => {
  const asked = { projectId, metricIds, pilotRunId };
  return (await world.bus.asks(results).results.recordCost(world.identity, asked)).costUsd;
};

const plan = async (body: object) => (await world.request('POST', '/plans', body)).body;

test('a plan foresees the bill of its run to a tenth, with the votes of the judge', async () => {
  const metricId = await newMetric({ votes: 3 });
  const pilot = await judgedRun(metricId, { from: 0, count: 40 });
  const planned = await plan({ metricId, difference: 0.2, pilotRunId: pilot.id });
  expect(planned).toMatchObject({ votes: 3, testcases: expect.any(Number) });
  expect(planned.assumptions.at(-1)).toMatch(
    /^A score costs \$[\d.]+ with its 3 votes, as in the pilot\.$/,
  );
  const run = await judgedRun(metricId, { from: 1000, count: planned.testcases });
  expect(run.scoring).toMatchObject({ scored: planned.testcases, failed: 0 });
  expect(Math.abs(planned.costUsd / run.costUsd - 1)).toBeLessThan(0.1);
  const foreseen = (await recordUsd([metricId], pilot.id))! * planned.testcases;
  expect(foreseen).toBeCloseTo(planned.costUsd, 6);

  await world.request('PATCH', `/metrics/${metricId}`, {
    evalType: 'ai',
    outputType: 'boolean',
    votes: 1,
  });
  const oneVote = await plan({ metricId, difference: 0.2, pilotRunId: pilot.id });
  expect(oneVote.votes).toBe(1);
  expect(oneVote.costUsd / planned.costUsd).toBeCloseTo(1 / 3, 6);
});

test('a plan for another model takes the tokens of the pilot at its price', async () => {
  const metricId = await newMetric();
  const pilot = await judgedRun(metricId, { from: 0, count: 10 });
  const before = await plan({ metricId, difference: 0.2, pilotRunId: pilot.id });
  const change = { evalType: 'ai', outputType: 'boolean', evalModelName: 'openai/gpt-4o-mini' };
  await world.request('PATCH', `/metrics/${metricId}`, change);
  const planned = await plan({ metricId, difference: 0.2, pilotRunId: pilot.id });
  expect(planned.assumptions.at(-1)).toContain('took in the pilot');
  // $0.15 and $0.60 in place of $2.50 and $10 for a million.
  expect(planned.costUsd / before.costUsd).toBeCloseTo(0.06, 6);
});

test('a plan without a pilot assumes tokens, and says so', async () => {
  const figures = { difference: 0.1, baselineMean: 0.5, changeRate: 0.3 };
  const planned = await plan({ metricId: await newMetric(), ...figures });
  expect(planned.assumptions.at(-1)).toMatch(
    /is assumed to take \d+ tokens of input and 100 of output/,
  );
  expect(planned.costUsd / planned.testcases).toBeGreaterThan(0.001);
  expect(planned.costUsd / planned.testcases).toBeLessThan(0.01);
});

test('a record costs the scores of its judges together, nothing without one, and is unknown with one of no known price', async () => {
  const [one, other, unknown] = [
    await newMetric(),
    await newMetric({ votes: 3 }),
    await newMetric({ evalModelName: 'compatible/small' }),
  ];
  const people = { evalType: 'human', promptTemplate: undefined, evalModelName: undefined };
  const free = await newMetric(people);
  const each = await recordUsd([one]);
  expect(each).toBeGreaterThan(0.001);
  expect(await recordUsd([one, other, free])).toBeCloseTo(4 * each!, 9);
  expect(await recordUsd([free])).toBe(0);
  expect(await recordUsd([one, unknown])).toBeNull();
});

test('a plan has no cost where the price of the model is not known', async () => {
  const figures = { difference: 0.1, baselineMean: 0.5, changeRate: 0.3 };
  const metricId = await newMetric({ evalModelName: 'compatible/small' });
  const planned = await plan({ metricId, ...figures });
  expect(planned).toMatchObject({ costUsd: null, testcases: expect.any(Number), votes: 1 });
  expect(planned.assumptions.at(-1)).toContain('compatible/small, is not known');
});

test('the estimate of a rescoring foresees its bill to a tenth, and what is left of the budget', async () => {
  const metricId = await newMetric({ votes: 3 });
  const run = await judgedRun(metricId, { from: 0, count: 20 });
  const estimate = async (body: object = {}) =>
    (await world.request('POST', `/runs/${run.id}/rescore/estimate`, body)).body;
  await world.request('PATCH', `/runs/${run.id}`, { budgetUsd: 1 });
  const estimated = await estimate();
  expect(estimated.metrics).toMatchObject([{ metricId, evalType: 'ai', queued: 20, awaited: 0 }]);
  expect(estimated.costUsd).toBe(estimated.metrics[0].costUsd);
  expect(estimated.budgetLeftUsd).toBeCloseTo(1 - run.costUsd, 9);
  expect(Math.abs(estimated.costUsd / run.costUsd - 1)).toBeLessThan(0.1);

  const unknown = await newMetric({ evalModelName: 'openai/of-no-known-price' });
  const both = await estimate({ metricIds: [metricId, unknown] });
  expect(both.costUsd).toBeNull();
  expect(both.metrics.map(({ costUsd }: { costUsd: number | null }) => costUsd)).toContain(null);
});
