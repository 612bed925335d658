import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type MockProviders, say, startMockProviders } from './mock-providers.ts';

let world: World;
let mock: MockProviders;
let projectId: string;
let runId: string;
let recordIds: string[];

const missing = '00000000-0000-7000-8000-000000000000';
const asOther = { identity: { organizationId: missing } };
const judge = {
  name: 'Right',
  evalType: 'ai',
  outputType: 'boolean',
  guidelines: 'Be strict.',
  promptTemplate: 'Is {{ outputs.answer }} right?',
  evalModelName: 'openai/gpt-4o',
};
const same = {
  name: 'Same',
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: { name: 'exact_match' },
};

beforeAll(async () => {
  mock = await startMockProviders(() => say({ reasoning: 'It is right.', binaryScore: true }));
  world = await startWorld({
    services: {
      catalog: startCatalog,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
    },
    config: mock.config(),
  });
  projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
  runId = (await world.create(`/projects/${projectId}/runs`, { metricIds: [] })).id;
  recordIds = [];
  for (const answer of ['right', 'wrong', 'right']) {
    const record = { inputs: {}, expected: { answer: 'right' }, outputs: { answer } };
    recordIds.push((await world.create(`/runs/${runId}/records`, record)).id);
  }
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});
let asked: number;
beforeEach(() => {
  asked = mock.calls.length;
});

type As = Parameters<World['request']>[3];
const check = (body: object, as?: As) =>
  world.request('POST', `/projects/${projectId}/metrics/check`, body, as);
const metricsOf = async () =>
  (await world.request('GET', `/projects/${projectId}/metrics`)).body.data as { id: string }[];

describe('a check of a metric', () => {
  test.each<[string, object]>([
    ['a body without a type', { name: 'm' }],
    ['fields out of bounds', { ...judge, temperature: 3, votes: 2 }],
    ['a template that does not parse', { ...judge, promptTemplate: 'Is\n {{ outputs. }}?' }],
    ['a model of no provider', { ...judge, evalModelName: 'nobody/model' }],
    ['an evaluator that there is not', { ...same, builtin: { name: 'nothing' } }],
    ['two evaluators', { ...same, code: { language: 'javascript', source: 'x' } }],
  ])('tells of %s what its creation would be refused for', async (_name, body) => {
    const refused = await world.request('POST', `/projects/${projectId}/metrics`, body);
    expect(refused.status).toBe(400);
    const { status, body: reply } = await check(body);
    expect([status, reply]).toEqual([200, { issues: refused.body.details.issues, warnings: [] }]);
  });

  test('tells of a change what the change would be refused for, and nothing of either is kept', async () => {
    const metric = await world.create(`/projects/${projectId}/metrics`, judge);
    const before = await metricsOf();
    for (const change of [
      { evalType: 'human', outputType: 'int' },
      { evalType: 'ai', outputType: 'boolean', promptTemplate: '{{ input.x }}' },
      { evalType: 'ai', outputType: 'boolean', votes: 0 },
      {},
    ]) {
      const refused = await world.request('PATCH', `/metrics/${metric.id}`, change);
      expect(refused.status).toBe(400);
      const reply = await check({ ...change, metricId: metric.id });
      expect(reply.body).toEqual({ issues: refused.body.details.issues, warnings: [] });
    }
    const fine = { evalType: 'ai', outputType: 'boolean', temperature: 1, metricId: metric.id };
    expect((await check(fine)).body).toEqual({ issues: [], warnings: [] });
    expect((await check(same)).body).toEqual({ issues: [], warnings: [] });
    expect(await metricsOf()).toEqual(before);
  });

  test('tells all faults at once: those of the schema, of the template, of code and of the model', async () => {
    const pathsOf = async (body: object) =>
      (await check(body)).body.issues.map(({ path }: { path: string }) => path);
    const broken = 'Is\n {{ outputs. }}?';
    expect(await pathsOf({ ...judge, temperature: 3, promptTemplate: broken })).toEqual([
      '/temperature',
      '/promptTemplate',
    ]);
    const model = { evalModelName: 'nobody/model', promptTemplate: broken };
    expect(await pathsOf({ ...judge, ...model })).toEqual(['/promptTemplate', '/evalModelName']);
    const metric = await world.create(`/projects/${projectId}/metrics`, judge);
    const change = { evalType: 'ai', outputType: 'int', promptTemplate: broken };
    expect(await pathsOf({ ...change, metricId: metric.id })).toEqual([
      '/outputType',
      '/promptTemplate',
    ]);
    await world.request('DELETE', `/metrics/${metric.id}`);
  });

  test('warns of a prompt that reads nothing of the record', async () => {
    const { body } = await check({ ...judge, promptTemplate: 'Is it {{ guidelines }}?' });
    expect(body.warnings).toMatchObject([{ code: 'reads_nothing', path: '/promptTemplate' }]);
  });

  test("warns of a field that no testset of the project has, also in a ready-made judge's prompt", async () => {
    const own = (await world.create('/projects', { name: 'fields', description: '' })).id;
    await world.create(`/projects/${own}/testsets`, {
      name: 't',
      description: '',
      jsonSchema: { type: 'object', properties: { question: {}, ideal: {} } },
      fieldMapping: { inputs: ['question'], expected: ['ideal'], metadata: [] },
    });
    const warned = async (body: object) => {
      const path = `/projects/${own}/metrics/check`;
      return (await world.request('POST', path, body)).body.warnings;
    };
    const promptTemplate = '{{ outputs.a }}\n{{ inputs.questoin }}';
    expect(await warned({ ...judge, promptTemplate })).toEqual([
      {
        code: 'unknown_field',
        path: '/promptTemplate',
        line: 2,
        column: 4,
        message: expect.stringContaining('Did you mean inputs.question?'),
      },
    ]);
    const builtin = { name: 'exact_match', options: { expected: '/ideel' } };
    expect(await warned({ ...same, builtin })).toMatchObject([
      { path: '/builtin/options/expected', message: expect.stringContaining('expected.ideal?') },
    ]);
    const adopted = await world.create(`/projects/${own}/metrics/adopt`, {
      template: 'correctness',
      fields: { reference: '/expected/idel' },
    });
    expect(JSON.stringify(adopted.warnings)).toContain('Did you mean expected.ideal?');
  });

  test('shows the warnings of a creation', async () => {
    const unpriced = { ...judge, evalModelName: 'openai/unheard-of' };
    const { body } = await check(unpriced);
    const created = await world.create(`/projects/${projectId}/metrics`, unpriced);
    expect(body.warnings).toEqual(created.warnings);
    expect(body.warnings[0].code).toBe('unknown_price');
    await world.request('DELETE', `/metrics/${created.id}`);
  });

  test('renders the prompt as the judge is sent it, without asking the judge', async () => {
    const { body } = await check({ ...judge, recordId: recordIds[0] });
    expect(mock.calls.length).toBe(asked);
    const { instructions, prompt, delimiter } = body.renderedPrompt;
    expect(prompt).toBe(`Is <${delimiter}>right</${delimiter}> right?`);
    expect(instructions).toContain('Be strict.');
    const metric = await world.create(`/projects/${projectId}/metrics`, judge);
    await world.request('POST', `/projects/${projectId}/metrics/preview`, {
      metric: judge,
      runId,
      limit: 1,
    });
    expect(mock.calls.at(-1)!.body).toMatchObject({
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: prompt },
      ],
    });
    const change = { evalType: 'ai', outputType: 'boolean', promptTemplate: '{{ guidelines }}' };
    const changed = await check({ ...change, metricId: metric.id, recordId: recordIds[0] });
    expect(changed.body.renderedPrompt.prompt).toBe('Be strict.');
    await world.request('DELETE', `/metrics/${metric.id}`);
  });

  test('renders the prompt for a record that is sent, with its digits', async () => {
    const raw = JSON.stringify({
      ...judge,
      promptTemplate: 'Is {{ outputs.answer }} right, beside {{ expected.answer }}?',
    }).replace(
      /\}$/,
      ',"record":{"inputs":{},"expected":{"answer":12345678901234567890.10},"outputs":{"answer":"typed"}}}',
    );
    const reply = await world.request('POST', `/projects/${projectId}/metrics/check`, undefined, {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    expect(reply.status, reply.text).toBe(200);
    const { prompt, delimiter } = reply.body.renderedPrompt;
    expect(prompt).toBe(
      `Is <${delimiter}>typed</${delimiter}> right, beside <${delimiter}>12345678901234567890.10</${delimiter}>?`,
    );
    expect(mock.calls.length).toBe(asked);
    const broken = await check({ ...judge, record: { inputs: [], expected: {}, outputs: {} } });
    expect([broken.status, broken.body.details.issues[0].path]).toEqual([400, '/record/inputs']);
  });

  test('warns of a prompt that cannot be rendered for the record, with its place', async () => {
    const promptTemplate = 'Is {{ outputs.answer }}\n {{ 1 // 0 }}?';
    const { status, body } = await check({ ...judge, promptTemplate, recordId: recordIds[0] });
    expect(status).toBe(200);
    expect(body).toEqual({
      issues: [],
      warnings: [
        {
          code: 'template_error',
          path: '/promptTemplate',
          message: expect.any(String),
          line: 2,
          column: expect.any(Number),
        },
      ],
    });
  });

  test('of what is not there, or of another organization, is refused with its place', async () => {
    const metric = await world.create(`/projects/${projectId}/metrics`, judge);
    const elsewhere = (await world.create('/projects', { name: 'p', description: '' })).id;
    const change = { evalType: 'ai', outputType: 'boolean' };
    const issue = async (body: object, project = projectId) => {
      const reply = await world.request('POST', `/projects/${project}/metrics/check`, body);
      return [reply.status, reply.body.details.issues?.[0].path];
    };
    expect(await issue({ ...judge, recordId: missing })).toEqual([400, '/recordId']);
    expect(await issue({ ...judge, recordId: recordIds[0] }, elsewhere)).toEqual([
      400,
      '/recordId',
    ]);
    expect(await issue({ ...change, metricId: missing })).toEqual([400, '/metricId']);
    expect(await issue({ ...change, metricId: metric.id }, elsewhere)).toEqual([400, '/metricId']);
    expect((await issue({}, missing))[0]).toBe(404);
    expect((await check(judge, asOther)).status).toBe(404);
    await world.request('DELETE', `/metrics/${metric.id}`);
  });
});

describe('a preview of a metric that is not stored', () => {
  test('scores a record that is sent, in place of those of a run', async () => {
    const record = { inputs: {}, expected: { answer: 'right' }, outputs: { answer: 'right' } };
    const tried = (body: object) =>
      world.request('POST', `/projects/${projectId}/metrics/preview`, body);
    for (const metric of [same, judge]) {
      const { status, body } = await tried({ metric, record });
      expect([status, body.scored, body.scores[0]?.value]).toEqual([200, 1, true]);
    }
    for (const [body, path] of [
      [{ metric: same }, '/runId'],
      [{ metric: same, record, runId }, '/runId'],
      [{ metric: same, record, recordId: recordIds[0] }, '/recordId'],
    ] as const) {
      const refused = await tried(body);
      expect([refused.status, refused.body.details.issues[0].path]).toEqual([400, path]);
    }
    const other = await world.request(
      'POST',
      `/projects/${projectId}/metrics/preview`,
      { metric: same, record },
      asOther,
    );
    expect(other.status).toBe(404);
  });

  const preview = (body: object, as?: As) =>
    world.request('POST', `/projects/${projectId}/metrics/preview`, { runId, ...body }, as);

  test('scores the oldest records of a run, and keeps nothing', async () => {
    const before = await metricsOf();
    const reply = await preview({ metric: same, limit: 2 });
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        scored: 2,
        failed: 0,
        flipped: 0,
        before: { count: 0, mean: null, passRate: null },
        after: { count: 2, mean: 0.5, passRate: 0.5 },
        costUsd: 0,
        scores: [
          { recordId: recordIds[0], value: true, reasoning: expect.any(String) },
          { recordId: recordIds[1], value: false, reasoning: expect.any(String) },
        ],
        flips: [],
        failures: [],
        notApplicable: [],
      },
    ]);
    expect((await preview({ metric: judge })).body).toMatchObject({
      scored: 3,
      costUsd: expect.any(Number),
      scores: recordIds.map((recordId) => ({ recordId, value: true, reasoning: 'It is right.' })),
    });
    expect(await metricsOf()).toEqual(before);
    expect((await world.request('GET', `/runs/${runId}`)).body).toMatchObject({
      numScores: 0,
      costUsd: 0,
      metricIds: [],
    });
  });

  test('scores one record of the run where it names one', async () => {
    const { body } = await preview({ metric: same, recordId: recordIds[1] });
    expect(body).toMatchObject({ scored: 1, scores: [{ recordId: recordIds[1], value: false }] });
  });

  test('is refused with the place of what is wrong', async () => {
    const placed = async (body: object) => {
      const { status, body: reply } = await preview(body);
      return [status, reply.details.issues[0].path];
    };
    expect(await placed({ metric: { ...judge, votes: 2 } })).toEqual([400, '/metric/votes']);
    expect(await placed({ metric: { ...judge, promptTemplate: '{{' } })).toEqual([
      400,
      '/metric/promptTemplate',
    ]);
    const human = { name: 'm', evalType: 'human', outputType: 'int' };
    expect(await placed({ metric: human })).toEqual([400, '/metric']);
    expect(await placed({ metric: same, runId: missing })).toEqual([400, '/runId']);
    const another = (await world.create(`/projects/${projectId}/runs`, { metricIds: [] })).id;
    for (const body of [{ recordId: missing }, { recordId: recordIds[0], runId: another }])
      expect(await placed({ metric: same, ...body })).toEqual([400, '/recordId']);
    const elsewhere = (await world.create('/projects', { name: 'p', description: '' })).id;
    const path = `/projects/${elsewhere}/metrics/preview`;
    const foreign = await world.request('POST', path, { metric: same, runId });
    expect(foreign.body.details.issues[0].path).toBe('/runId');
    expect((await preview({ metric: same }, asOther)).status).toBe(404);
  });
});
