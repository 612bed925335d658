import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type MockProviders, say, startMockProviders } from './mock-providers.ts';

/** Well above the turns of these services, well below one hostile prompt or one large record on the event loop. */
const delayMaxMs = 250;
/** Bodies of 14 MB are made, checked and kept before anything is measured. */
const testTimeoutMs = 180_000;

let world: World;
let mock: MockProviders;
let projectId: string;

beforeAll(async () => {
  mock = await startMockProviders(() => say({ reasoning: 'It is right.', binaryScore: true }));
  const services = { catalog: startCatalog, metrics: startMetrics, 'run-records': startRunRecords, scoring: start };
  world = await startWorld({ services, config: mock.config() });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

const newMetric = async (body: object) =>
  (await world.create(`/projects/${projectId}/metrics`, { name: 'm', outputType: 'boolean', ...body })).id as string;
const judged = (promptTemplate: string) => ({ evalType: 'ai', promptTemplate, evalModelName: 'compatible/small' });
const newRun = async (metricId: string) => (await world.create(`/projects/${projectId}/runs`, { metricIds: [metricId] })).id as string;

/** A thread that has nothing to do: it is late only as far as the machine is busy with others' work. */
const idleThread = `
  const { monitorEventLoopDelay } = require('node:perf_hooks');
  const { parentPort } = require('node:worker_threads');
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  parentPort.once('message', () => parentPort.postMessage(histogram.max / 1e6));
`;

/** How long the event loop of all these services stood still at most meanwhile, and how long it may have on a machine as busy as this. */
async function measureDelay(work: () => Promise<unknown>): Promise<{ delayMs: number; allowedMs: number }> {
  const idle = new Worker(idleThread, { eval: true });
  await once(idle, 'online');
  const histogram = monitorEventLoopDelay({ resolution: 10 });
  histogram.enable();
  await work();
  histogram.disable();
  idle.postMessage('done');
  const [idleMs] = await once(idle, 'message');
  await idle.terminate();
  return { delayMs: histogram.max / 1e6, allowedMs: delayMaxMs + 3 * idleMs };
}

const settle = (runId: string) =>
  poll(
    'everything is scored or failed',
    async () => {
      const { scoring } = (await world.request('GET', `/runs/${runId}`)).body;
      return scoring.pending === 0 && scoring;
    },
    120_000,
  );

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
        const preview = () => world.request('POST', `/metrics/${metricId}/preview`, { change, runId, limit: 3 });
        let reply: Awaited<ReturnType<typeof preview>> | undefined;
        const { delayMs, allowedMs } = await measureDelay(async () => {
          reply = await preview();
        });
        expect(reply?.body).toMatchObject({ scored: 0, failed: 3 });
        expect(delayMs).toBeLessThan(allowedMs);
      }
    },
    testTimeoutMs,
  );

  test(
    'while hostile prompts are rendered for a run',
    async () => {
      const runId = await newRun(await newMetric(judged(hostile[1]!)));
      const { delayMs, allowedMs } = await measureDelay(async () => {
        for (let index = 0; index < 5; index++)
          await world.request('POST', `/runs/${runId}/records`, { inputs: {}, expected: {}, outputs: {} });
        expect(await settle(runId)).toMatchObject({ failed: 5 });
      });
      expect(delayMs).toBeLessThan(allowedMs);
    },
    testTimeoutMs,
  );

  test.each([
    ['a judge that reads another part of it', judged('Is {{ inputs.answer }} right?')],
    ['a judge that reads a field of it', judged('Is {{ outputs.x[0] | tojson }} right?')],
    ['a schema', { evalType: 'heuristic', builtin: { name: 'json_schema', options: { schema: { type: 'array' } } } }],
  ])(
    'while a record of 14 MB is scored by %s',
    async (_, body) => {
      const runId = await newRun(await newMetric(body));
      await world.request('POST', `/runs/${runId}/pause`);
      const outputs = `{"x":[${Array(4_500_000).fill('{}').join()}]}`;
      const raw = `{"inputs":{"answer":1},"expected":{},"outputs":${outputs}}`;
      expect((await world.request('POST', `/runs/${runId}/records`, undefined, { raw })).status).toBe(201);
      const { delayMs, allowedMs } = await measureDelay(async () => {
        await world.request('POST', `/runs/${runId}/resume`);
        // A machine that is very busy stops it at its deadline: that is no matter of the event loop.
        await settle(runId);
      });
      expect(delayMs).toBeLessThan(allowedMs);
    },
    testTimeoutMs,
  );
});
