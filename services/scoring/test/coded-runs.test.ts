import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
let projectId: string;
beforeAll(async () => {
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  // A busy machine takes longer than a second for honest code too.
  world = await startWorld({
    services,
    config: { CODE_TIMEOUT_MS: 5000, CODE_WITHOUT_WALL: true },
  });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
});
afterAll(() => world.stop());

async function newRun(source: string, { outputType = 'boolean', language = 'javascript' } = {}) {
  const metric = { name: 'm', evalType: 'heuristic', outputType, code: { language, source } };
  const metricId = (await world.create(`/projects/${projectId}/metrics`, metric)).id;
  return await world.create(`/projects/${projectId}/runs`, { metricIds: [metricId] });
}
const newRecord = async (runId: string, outputs: object) =>
  (
    await world.create(`/runs/${runId}/records`, {
      inputs: { question: 'q' },
      expected: { answer: 'a' },
      outputs,
    })
  ).id;
const settled = (runId: string) =>
  poll('nothing is pending', async () => {
    const run = (await world.request('GET', `/runs/${runId}`)).body;
    return run.scoring.pending === 0 && run;
  });
const failuresOf = async (runId: string) =>
  (await world.request('GET', `/runs/${runId}/failures`)).body.data;

describe('code', () => {
  test('scores each record by what it was given, answered and should have answered', async () => {
    const run = await newRun(
      `interface RecordParts { outputs: { answer: string }; expected: { answer: string } }
       function evaluate({ outputs, expected }: RecordParts) {
         return { value: outputs.answer === expected.answer ? 1 : 0.25, reasoning: \`said \${outputs.answer}\` };
       }`,
      { language: 'typescript', outputType: 'float' },
    );
    const right = await newRecord(run.id, { answer: 'a' });
    const wrong = await newRecord(run.id, { answer: 'b' });
    expect((await settled(run.id)).scoring).toEqual({
      expected: 2,
      scored: 2,
      failed: 0,
      pending: 0,
    });
    const scoreOf = async (id: string) =>
      (await world.request('GET', `/records/${id}`)).body.scores[0];
    expect(await scoreOf(right)).toMatchObject({
      source: 'heuristic',
      score: { floatScore: 1, value: 1, reasoning: 'said a' },
      provenance: { evaluator: 'typescript', attempts: 1 },
    });
    expect((await scoreOf(wrong)).score.value).toBe(0.25);
  });

  test('that throws fails its record alone, with its error and line', async () => {
    const run = await newRun(
      'function evaluate({ outputs }) {\n  return outputs.answer.length > 0;\n}',
    );
    await newRecord(run.id, { answer: 'a' });
    const broken = await newRecord(run.id, {});
    expect((await settled(run.id)).scoring).toEqual({
      expected: 2,
      scored: 1,
      failed: 1,
      pending: 0,
    });
    expect(await failuresOf(run.id)).toMatchObject([
      {
        recordId: broken,
        code: 'code_error',
        message: expect.stringMatching(/^Line 2: TypeError/),
      },
    ]);
  });

  test('that never ends is stopped at its deadline, and the others are scored', async () => {
    const run = await newRun(
      'function evaluate({ outputs }) { while (outputs.hang); return true; }',
    );
    const hanging = await newRecord(run.id, { hang: true });
    await newRecord(run.id, {});
    expect((await settled(run.id)).scoring).toEqual({
      expected: 2,
      scored: 1,
      failed: 1,
      pending: 0,
    });
    expect(await failuresOf(run.id)).toMatchObject([
      { recordId: hanging, code: 'timeout', message: expect.stringContaining('5000 ms') },
    ]);
  });

  test('whose value does not fit the metric fails with both', async () => {
    const run = await newRun('function evaluate() { return 7; }', { outputType: 'int' });
    await newRecord(run.id, {});
    await settled(run.id);
    expect((await failuresOf(run.id))[0]).toMatchObject({
      code: 'code_error',
      message:
        'evaluate returned 7, but its metric is of the type int: a whole number from 1 to 5.',
    });
  });

  test('that does not compile is refused when the metric is made, with its line', async () => {
    const metric = {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'int',
      code: { language: 'javascript', source: 'function evaluate() {\n  return (;\n}' },
    };
    const reply = await world.request('POST', `/projects/${projectId}/metrics`, metric);
    expect([reply.status, reply.body.details.issues[0]]).toMatchObject([
      400,
      { path: '/code/source', line: 2 },
    ]);
  });
});

test('a preview tells the records that the metric does not apply to, with the reason', async () => {
  const run = await newRun('function evaluate() { return true; }');
  await newRecord(run.id, { answer: 'a' });
  const exempt = await newRecord(run.id, {});
  await settled(run.id);
  const metric = {
    name: 'm',
    evalType: 'heuristic',
    outputType: 'float',
    code: {
      language: 'javascript',
      source:
        'const evaluate = ({ outputs }) => outputs.answer ? { floatScore: 1 } : { value: null, reasoning: "no answer" };',
    },
  };
  const path = `/projects/${projectId}/metrics/preview`;
  const { body } = await world.request('POST', path, { metric, runId: run.id });
  expect(body).toMatchObject({
    scored: 1,
    failed: 0,
    after: { count: 1, mean: 1 },
    notApplicable: [{ recordId: exempt, reasoning: 'no answer' }],
  });
});

describe('a record with numbers that code cannot hold', () => {
  const raw =
    '{"inputs":{"id":9007199254740993},"expected":{},"outputs":{"rates":[0.5,0.12345678901234567891],"id":"9007199254740993"}}';
  const notesOf = async (language: string, source: string) => {
    const run = await newRun(source, { language });
    const reply = await world.request('POST', `/runs/${run.id}/records`, undefined, { raw });
    await settled(run.id);
    const { body } = await world.request('GET', `/records/${reply.body.id}`);
    return { score: body.scores[0]?.score.value, notes: body.notes };
  };

  test('is scored by the nearest, and says so in a note for each', async () => {
    const source = 'function evaluate({ inputs }) { return inputs.id === 9007199254740992; }';
    const { score, notes } = await notesOf('javascript', source);
    expect(score).toBe(true);
    expect(notes).toEqual([
      {
        code: 'holds_doubles',
        path: '/inputs/id',
        message:
          'No number of JavaScript holds 9007199254740993: code of a metric was given 9007199254740992.',
      },
      {
        code: 'holds_doubles',
        path: '/outputs/rates/1',
        message:
          'No number of JavaScript holds 0.12345678901234567891: code of a metric was given 0.12345678901234568.',
      },
    ]);
  });

  test('has the same notes once, however often it is scored', async () => {
    const source = 'function evaluate() { return true; }';
    const run = await newRun(source);
    const { body } = await world.request('POST', `/runs/${run.id}/records`, undefined, { raw });
    await settled(run.id);
    await world.request('POST', `/runs/${run.id}/rescore`, {});
    await settled(run.id);
    const record = await world.request('GET', `/records/${body.id}`);
    expect(record.body.notes).toHaveLength(2);
    expect(record.text).toContain('"id":9007199254740993');
  });

  test('has none of whole numbers in Python, which holds them', async () => {
    const { notes } = await notesOf('python', 'def evaluate(record):\n    return True');
    expect(notes.map(({ path }: { path: string }) => path)).toEqual(['/outputs/rates/1']);
  });
});
