import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { currentThread, processorMs } from '@assay/runtime/concurrency/processor-time';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type MockProviders, say, startMockProviders } from './mock-providers.ts';

/**
 * Processor time of one turn: well above those of these services, well below one hostile prompt or
 * one large record on the event loop.
 */
const turnMaxMs = 500;
/** Bodies of 14 MB are made, checked and kept before anything is measured. */
const testTimeoutMs = 180_000;

let world: World;
let mock: MockProviders;
let projectId: string;

beforeAll(async () => {
  mock = await startMockProviders(() => say({ reasoning: 'It is right.', binaryScore: true }));
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  world = await startWorld({ services, config: mock.config() });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

const newMetric = async (body: object) =>
  (
    await world.create(`/projects/${projectId}/metrics`, {
      name: 'm',
      outputType: 'boolean',
      ...body,
    })
  ).id as string;
const judged = (promptTemplate: string) => ({
  evalType: 'ai',
  promptTemplate,
  evalModelName: 'compatible/small',
});
const newRun = async (metricId: string) =>
  (await world.create(`/projects/${projectId}/runs`, { metricIds: [metricId] })).id as string;

/**
 * Returns the processor time, in ms, that the longest turn of this thread's event loop took
 * meanwhile, on which all these services run. Processor time, since a busy machine lets a short
 * turn take long.
 */
async function measureTurn(work: () => Promise<unknown>): Promise<number> {
  const thread = currentThread();
  const used = () => processorMs(thread) ?? performance.now();
  let [before, longest] = [used(), 0];
  const timer = setInterval(() => {
    const now = used();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

const settle = (runId: string) =>
  poll('everything is scored or failed', async () => {
    const { scoring } = (await world.request('GET', `/runs/${runId}`)).body;
    return scoring.pending === 0 && scoring;
  });

describe('the event loop keeps turning', () => {
  const hostile = [
    '{% set a = range(100000)|list %}{% for i in range(1000) %}{% set z = a | tojson %}{% endfor %}',
    '{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(40) }}',
  ];

  test(
    'while hostile prompts are rendered for a preview, each of which fails for itself',
    async () => {
      const metricId = await newMetric(judged('{{ outputs.answer }}'));
      const runId = await newRun(metricId);
      const records = Array.from({ length: 3 }, () =>
        world.request('POST', `/runs/${runId}/records`, { inputs: {}, expected: {}, outputs: {} }),
      );
      await Promise.all(records);
      await settle(runId);
      for (const promptTemplate of hostile) {
        const change = { evalType: 'ai', outputType: 'boolean', promptTemplate };
        const preview = () =>
          world.request('POST', `/metrics/${metricId}/preview`, { change, runId, limit: 3 });
        let reply: Awaited<ReturnType<typeof preview>> | undefined;
        const turnMs = await measureTurn(async () => {
          reply = await preview();
        });
        expect(reply?.body).toMatchObject({ scored: 0, failed: 3 });
        expect(turnMs).toBeLessThan(turnMaxMs);
      }
    },
    testTimeoutMs,
  );

  test(
    'while hostile prompts are rendered for a run',
    async () => {
      const runId = await newRun(await newMetric(judged(hostile[1]!)));
      const turnMs = await measureTurn(async () => {
        for (let index = 0; index < 5; index++)
          await world.request('POST', `/runs/${runId}/records`, {
            inputs: {},
            expected: {},
            outputs: {},
          });
        expect(await settle(runId)).toMatchObject({ failed: 5 });
      });
      expect(turnMs).toBeLessThan(turnMaxMs);
    },
    testTimeoutMs,
  );

  test.each([
    ['a judge that reads another part of it', judged('Is {{ inputs.answer }} right?')],
    ['a judge that reads a field of it', judged('Is {{ outputs.x[0] | tojson }} right?')],
    [
      'a schema',
      {
        evalType: 'heuristic',
        builtin: { name: 'json_schema', options: { schema: { type: 'array' } } },
      },
    ],
  ])(
    'while a record of 14 MB is scored by %s',
    async (_, body) => {
      const runId = await newRun(await newMetric(body));
      await world.request('POST', `/runs/${runId}/pause`);
      const outputs = `{"x":[${Array(4_500_000).fill('{}').join()}]}`;
      const raw = `{"inputs":{"answer":1},"expected":{},"outputs":${outputs}}`;
      expect(
        (await world.request('POST', `/runs/${runId}/records`, undefined, { raw })).status,
      ).toBe(201);
      const turnMs = await measureTurn(async () => {
        await world.request('POST', `/runs/${runId}/resume`);
        // A machine that is very busy stops it at its deadline: that is no matter of the event
        // loop.
        await settle(runId);
      });
      expect(turnMs).toBeLessThan(turnMaxMs);
    },
    testTimeoutMs,
  );
});
