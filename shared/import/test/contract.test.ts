import { payloadPlan } from '@assay/contracts/body-shape';
import { metrics } from '@assay/contracts/metrics';
import { runRecords } from '@assay/contracts/run-records';
import { parseBody } from '@assay/runtime/http/body';
import { expect, test } from 'vitest';
import { formats } from '../formats.ts';
import { importFiles } from './imported.ts';

const hostile = `${'x'.repeat(300)}\ud83d`;
const long = {
  'out.json': {
    evalId: 'e',
    results: {
      version: 3,
      results: [
        {
          testIdx: hostile,
          promptIdx: 0,
          vars: { q: hostile },
          provider: { id: hostile },
          prompt: { raw: 'p', label: hostile },
          response: { output: 'x' },
          success: true,
          score: 0.5,
          namedScores: { [hostile]: 0.5, '': 1 },
        },
      ],
    },
  },
};

test('names, keys and labels are cut to what the service takes', async () => {
  const { of } = await importFiles('promptfoo', long, { name: hostile, importedAt: '2026-11-24' });
  for (const { body } of of('metric'))
    expect(metrics.operations.createMetric.body!.safeParse(body).error).toBeUndefined();
  for (const { name, description, jsonSchema, fieldMapping } of of('testset')) {
    expect(name.isWellFormed() && name.length <= 256).toBe(true);
    expect(description.length + Object.keys(jsonSchema).length).toBeGreaterThan(0);
    expect(fieldMapping.inputs).toEqual(['q']);
  }
  const body = runRecords.operations.createRun.body!;
  for (const { name, labels } of of('run'))
    expect(body.safeParse({ metricIds: [], name, labels }).error).toBeUndefined();
  expect(of('record')[0]!.clientId.length).toBeLessThanOrEqual(255);
  expect(of('testcase')[0]!.key!.length).toBeLessThanOrEqual(255);
  expect(of('record')[0]!.testcaseKey).toBe(of('testcase')[0]!.key);
});

test('two long keys that begin alike stay two', async () => {
  const rows = ['a', 'b'].map((end) => ({ k: 'x'.repeat(300) + end, q: end }));
  const { of } = await importFiles('jsonl', { 'a.jsonl': rows }, { key: 'k' });
  expect(new Set(of('testcase').map(({ key }) => key)).size).toBe(2);
});

test('every metric that a config of promptfoo or an eval of OpenAI becomes is one that the service takes', async () => {
  const asserted = [
    'equals',
    'contains',
    'icontains',
    'regex',
    'is-json',
    'levenshtein',
    'rouge-n',
    'llm-rubric',
    'model-graded-closedqa',
    'g-eval',
    'factuality',
    'javascript',
    'python',
    'not-equals',
  ];
  const tests = [{ vars: { q: 1 }, assert: asserted.map((type) => ({ type, value: 'x' })) }];
  const config = await importFiles('promptfoo', {
    'promptfooconfig.json': { prompts: ['p'], providers: ['echo'], tests },
  });
  const graders = [
    { type: 'string_check', name: 'a', operation: 'like', reference: '{{ item.x }}', input: '' },
    { type: 'label_model', name: 'b', model: 'm', input: [], labels: [], passing_labels: [] },
    { type: 'score_model', name: 'c', model: 'm', input: [] },
    {
      type: 'text_similarity',
      name: 'd',
      evaluation_metric: 'fuzzy_match',
      reference: '{{item.x}}',
      input: '',
    },
    { type: 'python', name: 'e', source: 'def grade(sample, item): return 1' },
  ];
  const evaluation = await importFiles('openai-evals', {
    'e.json': { object: 'eval', name: 'n', testing_criteria: graders },
  });
  const bodies = [...config.of('metric'), ...evaluation.of('metric')].map(({ body }) => body);
  expect(bodies).toHaveLength(asserted.length + graders.length);
  const schema = metrics.operations.createMetric.body!;
  for (const body of bodies) {
    const sent = parseBody(Buffer.from(JSON.stringify(body)), payloadPlan(schema));
    expect(schema.safeParse(sent).error, body.name).toBeUndefined();
  }
});

test('a second reading gives the same entities, so that a repeated import changes nothing', async () => {
  const csv = { 'exp.csv': 'inputs.q,reference_outputs.a,outputs,feedback.ok\nx,y,z,1\n' };
  const first = await importFiles('langsmith', csv);
  expect((await importFiles('langsmith', csv)).all).toEqual(first.all);
  expect(first.of('record')[0]!.clientId).toMatch(/^langsmith:[0-9a-f]+:\d+$/);
});

test('formats have names of their own', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length);
});
