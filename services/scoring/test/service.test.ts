import { start as startCatalog } from '@assay/catalog/service';
import { scoring } from '@assay/contracts/scoring';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import { poll } from '@assay/testing/poll';
import { volume } from '@assay/testing/volume';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
let projectId: string;
beforeAll(async () => {
  const services = {
    catalog: startCatalog,
    testcases: startTestcases,
    systems: startSystems,
    metrics: startMetrics,
    'run-records': startRunRecords,
    results: startResults,
    scoring: start,
  };
  world = await startWorld({ services });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(() => world.stop());

const exactMatch = {
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: { name: 'exact_match', options: {} },
};
const newMetric = async (body: object = exactMatch) =>
  (await world.create(`/projects/${projectId}/metrics`, { name: 'm', ...body })).id as string;
const newRun = async (...metricIds: string[]) =>
  await world.create(`/projects/${projectId}/runs`, { metricIds });
const payloads = (answer: unknown, output: unknown) => ({
  inputs: {},
  expected: { answer },
  outputs: { output },
});
const newRecord = async (runId: string, answer: unknown, output: unknown) =>
  (await world.create(`/runs/${runId}/records`, payloads(answer, output))).id as string;
const getRun = async (runId: string) => (await world.request('GET', `/runs/${runId}`)).body;
const completed = (runId: string) =>
  poll('the run is completed', async () => {
    const run = await getRun(runId);
    return run.status === 'completed' && run;
  });
const scoresOf = async (recordId: string) =>
  (await world.request('GET', `/records/${recordId}`)).body.scores;

describe('scores that the service makes', () => {
  test('each record gets a score with its value, the reasoning and how it came about', async () => {
    const run = await newRun(await newMetric());
    const right = await newRecord(run.id, 'yes', 'yes');
    const wrong = await newRecord(run.id, 'yes', 'no');
    expect(await completed(run.id)).toMatchObject({
      numScores: 2,
      scoring: { expected: 2, scored: 2, failed: 0, pending: 0 },
    });
    expect((await scoresOf(right))[0]).toMatchObject({
      metricConfigId: run.metricVersionIds[0],
      userId: 'background-job',
      source: 'heuristic',
      score: { binaryScore: true, value: true, reasoning: expect.any(String) },
      provenance: {
        metricVersionId: run.metricVersionIds[0],
        evaluator: 'exact_match',
        attempts: 1,
        durationMs: expect.any(Number),
      },
    });
    expect((await scoresOf(wrong))[0].score.binaryScore).toBe(false);
  });

  const recordCount = volume(2000, 800);
  /** Of clients that send each by itself, and of each of four uploads. */
  const partCount = recordCount / 5;

  test(`a run of ${recordCount.toLocaleString('en')} records with three metrics is scored, and its accounts add up at every read`, async () => {
    const metricIds = [
      await newMetric(),
      await newMetric({
        evalType: 'heuristic',
        outputType: 'float',
        builtin: { name: 'levenshtein', options: {} },
      }),
      await newMetric({
        evalType: 'heuristic',
        outputType: 'boolean',
        builtin: { name: 'json_schema', options: { schema: { type: 'string', minLength: 2 } } },
      }),
    ];
    const run = await newRun(...metricIds);
    const indexes = Array.from({ length: recordCount }, (_, index) => index);
    const payloadsOf = (index: number) => payloads(`answer ${index}`, `answer ${index % 100}`);
    const single = indexes.slice(0, partCount).values();
    const client = async () => {
      for (const index of single) await world.create(`/runs/${run.id}/records`, payloadsOf(index));
    };
    const upload = async (part: number[]) => {
      const reply = await world.request('POST', `/runs/${run.id}/records/bulk`, undefined, {
        headers: { 'content-type': 'application/x-ndjson' },
        raw: part.map((index) => `${JSON.stringify(payloadsOf(index))}\n`).join(''),
      });
      expect(reply.status).toBe(200);
    };
    const parts = [1, 2, 3, 4].map((part) =>
      indexes.slice(part * partCount, (part + 1) * partCount),
    );
    const creations = Promise.all([...Array.from({ length: 16 }, client), ...parts.map(upload)]);
    const check = async () => {
      const {
        numRecords,
        scoring: { expected, scored, failed, pending },
      } = await getRun(run.id);
      expect(expected).toBe(scored + failed + pending);
      expect(expected).toBe(3 * numRecords);
      return scored === 3 * recordCount;
    };
    const isScored = poll('all is scored', check);
    await creations;
    await isScored;
    const { metrics } = (await world.request('GET', `/runs/${run.id}/summary`)).body;
    expect(metrics.map(({ count }: { count: number }) => count)).toEqual(
      Array(3).fill(recordCount),
    );
    expect(metrics[0].mean).toBe(100 / recordCount);
  });

  /** A run over records in this text, a JSON of the outputs for each, when all of it is scored. */
  async function scoredOutputs(builtin: object, outputs: string[], expected = '{}') {
    const metric = { evalType: 'heuristic', outputType: 'boolean', builtin };
    const run = await newRun(await newMetric(metric));
    const lines = outputs.map((json) => `{"inputs":{},"expected":${expected},"outputs":${json}}\n`);
    const reply = await world.request('POST', `/runs/${run.id}/records/bulk`, undefined, {
      headers: { 'content-type': 'application/x-ndjson' },
      raw: lines.join(''),
    });
    expect(reply.status).toBe(200);
    const { scoring } = await completed(run.id);
    const { data } = (await world.request('GET', `/runs/${run.id}/records?limit=100`)).body;
    const values = data.map(({ scores }: { scores: { score: { value: unknown } }[] }) =>
      scores.map(({ score }) => score.value),
    );
    return { scoring, values: values.flat() };
  }

  test('one number beyond a double stops no other record of its upload', async () => {
    const builtin = { name: 'number_close', options: { output: '/v', expected: '/v' } };
    const outputs = Array.from({ length: 60 }, (_, index) => (index === 20 ? '1e400' : '1.0'));
    const run = await scoredOutputs(
      builtin,
      outputs.map((number) => `{"v":${number}}`),
      '{"v":1}',
    );
    expect(run.scoring).toMatchObject({ expected: 60, scored: 60, failed: 0, pending: 0 });
    expect(run.values).toEqual(outputs.map((number) => number === '1.0'));
  });

  test('numbers of records are compared with all of the digits that were sent', async () => {
    const outputs = ['12345678901234567890', '12345678901234567891', '"12345678901234567890"'];
    const jsons = outputs.map((number) => `{"v":${number}}`);
    const expected = '{"v":12345678901234567890}';
    const exact = await scoredOutputs({ name: 'exact_match' }, jsons, expected);
    expect(exact.values).toEqual([true, false, true]);
    const equal = await scoredOutputs({ name: 'json_equal' }, jsons, expected);
    expect(equal.values).toEqual([true, false, false]);
    const schema = { properties: { v: { multipleOf: 2 } } };
    const options = { output: '', schema };
    const fitting = await scoredOutputs({ name: 'json_schema', options }, jsons);
    expect(fitting.values).toEqual([true, false, true]);
  });

  test('prose fits no schema that asks for a field', async () => {
    const schema = { required: ['city'], properties: { city: { type: 'string' } } };
    const texts = ['sorry, no', '{"city": 5}', '{"city": "Par', '{"city": "Bonn"}'];
    const { values } = await scoredOutputs(
      { name: 'json_schema', options: { output: '/v', schema } },
      texts.map((v) => JSON.stringify({ v })),
    );
    expect(values).toEqual([false, false, false, true]);
  });

  test('what cannot be judged is a failure that says why; an AI metric without a provider says so', async () => {
    const judge = {
      evalType: 'ai',
      outputType: 'boolean',
      promptTemplate: 'Is {{ outputs.output }} right?',
    };
    const pointer = {
      ...exactMatch,
      builtin: { name: 'exact_match', options: { output: '/elsewhere' } },
    };
    const run = await newRun(await newMetric(judge), await newMetric(pointer));
    await newRecord(run.id, 'a', 'a');
    expect(await completed(run.id)).toMatchObject({
      scoring: { expected: 2, scored: 0, failed: 2, pending: 0 },
    });
    const failures = (await world.request('GET', `/runs/${run.id}/failures`)).body.data;
    expect(failures.map(({ code }: { code: string }) => code).sort()).toEqual([
      'code_error',
      'no_provider',
    ]);
    expect(failures.map(({ message }: { message: string }) => message).join()).toContain('gpt-4o');
  });

  test('a retry scores what failed, and a rescore takes the changed metric', async () => {
    const metricId = await newMetric({
      ...exactMatch,
      builtin: { name: 'exact_match', options: { output: '/elsewhere' } },
    });
    const run = await newRun(metricId);
    const record = await newRecord(run.id, 'a', 'A');
    await completed(run.id);
    expect((await world.request('POST', `/runs/${run.id}/retry`)).body).toEqual({ queued: 1 });
    expect((await completed(run.id)).scoring.failed).toBe(1);
    await world.request('PATCH', `/metrics/${metricId}`, {
      ...exactMatch,
      builtin: { name: 'exact_match', options: { ignoreCase: true } },
    });
    expect((await world.request('POST', `/runs/${run.id}/rescore`)).body).toEqual({
      queued: 1,
      awaited: 0,
    });
    expect((await completed(run.id)).scoring).toEqual({
      expected: 2,
      scored: 1,
      failed: 1,
      pending: 0,
    });
    expect((await scoresOf(record))[0].score.value).toBe(true);
  });

  test('a deleted score is made anew', async () => {
    const run = await newRun(await newMetric());
    const record = await newRecord(run.id, 'a', 'a');
    await completed(run.id);
    await world.request('DELETE', `/records/${record}/scores/${run.metricVersionIds[0]}`);
    await completed(run.id);
    expect(await scoresOf(record)).toHaveLength(1);
  });

  test('a record too large for one part of the database is scored all the same', async () => {
    const run = await newRun(await newMetric());
    const text = 'x'.repeat(2_000_000);
    const record = await newRecord(run.id, text, text);
    await completed(run.id);
    expect((await scoresOf(record))[0].score.value).toBe(true);
  });

  test('an evaluator that takes for ever fails its own record alone', async () => {
    const slow = {
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'regex_match', options: { pattern: '(x+x+)+y' } },
    };
    const run = await newRun(await newMetric(slow));
    const records = await Promise.all(
      ['xxy', 'x'.repeat(200_000), 'xy'].map((output) => newRecord(run.id, '', output)),
    );
    const { scoring } = await completed(run.id);
    expect(scoring.pending).toBe(0);
    expect((await scoresOf(records[0]!))[0].score.value).toBe(true);
    expect((await scoresOf(records[2]!))[0].score.value).toBe(false);
  });
});

describe('when things are lost or deleted', () => {
  test('records, metrics and testsets deleted meanwhile leave nothing pending and no job', async () => {
    const metricId = await newMetric();
    const run = await newRun(metricId);
    const records = await Promise.all(
      Array.from({ length: 100 }, (_, index) => newRecord(run.id, index, index)),
    );
    await Promise.all([
      world.request('DELETE', `/metrics/${metricId}`),
      ...records.slice(0, 50).map((id) => world.request('DELETE', `/records/${id}`)),
    ]);
    expect(await completed(run.id)).toMatchObject({
      numRecords: 50,
      scoring: { expected: 50, pending: 0 },
    });
    const manager = await world.bus.connection.jetstreamManager();
    await poll('no job is left', async () => {
      const info = await manager.consumers.info(
        `${world.config.SUBJECT_PREFIX.toUpperCase()}-JOBS-${scoring.name}-scoreRecords`,
        'scoring-scoreRecords',
      );
      return info.num_pending + info.num_ack_pending === 0;
    });
  });
});
