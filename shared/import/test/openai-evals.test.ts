import { expect, test } from 'vitest';
import { importFiles } from './imported.ts';

const evaluation = {
  object: 'eval',
  id: 'eval_1',
  name: 'Capitals',
  data_source_config: {
    type: 'custom',
    schema: {
      type: 'object',
      properties: {
        item: {
          type: 'object',
          properties: { question: { type: 'string' }, answer: { type: 'string' } },
          required: ['question', 'answer'],
        },
      },
    },
  },
  testing_criteria: [
    {
      type: 'string_check',
      name: 'Same',
      operation: 'eq',
      input: '{{ sample.output_text }}',
      reference: '{{ item.answer }}',
    },
    {
      type: 'label_model',
      name: 'Kind',
      model: 'small-1',
      input: [{ role: 'user', content: 'Is it kind?' }],
      labels: ['yes', 'no'],
      passing_labels: ['yes'],
    },
    {
      type: 'score_model',
      name: 'Clear',
      model: 'small-1',
      input: [{ role: 'user', content: { type: 'input_text', text: 'Rate it' } }],
      range: [0, 1],
    },
    { type: 'score_model', name: 'Stars', model: 'small-1', input: [], range: [1, 5] },
    {
      type: 'text_similarity',
      name: 'Near',
      evaluation_metric: 'rouge_l',
      reference: '{{ item.answer }}',
      input: '{{ sample.output_text }}',
      pass_threshold: 0.5,
    },
    {
      type: 'text_similarity',
      name: 'Meaning',
      evaluation_metric: 'cosine',
      reference: '{{ item.answer }}',
      input: '',
    },
    { type: 'python', name: 'Code', source: 'def grade(sample, item):\n    return 1.0' },
  ],
};
const run = {
  object: 'eval.run',
  id: 'run_1',
  eval_id: 'eval_1',
  name: 'First',
  model: 'small-1',
  status: 'completed',
  created_at: 1_760_000_000,
  data_source: {
    input_messages: {
      type: 'template',
      template: [{ role: 'user', content: '{{ item.question }}' }],
    },
    sampling_params: { temperature: 0 },
  },
};
const item = {
  object: 'eval.run.output_item',
  id: 'outputitem_1',
  run_id: 'run_1',
  eval_id: 'eval_1',
  datasource_item_id: 4,
  datasource_item: { question: 'Capital of France?', answer: 'Paris' },
  status: 'pass',
  results: [
    {
      name: 'Same-0b1c2d3e-1111-2222-3333-444455556666',
      type: 'string-check-grader',
      score: 1,
      passed: true,
    },
    { name: 'Near', score: 0.8, passed: true, sample: null },
  ],
  sample: {
    model: 'small-1',
    input: [{ role: 'user', content: 'Capital of France?' }],
    output: [{ role: 'assistant', content: 'Paris' }],
    usage: { total_tokens: 12, completion_tokens: 2, prompt_tokens: 10, cached_tokens: 0 },
    error: { code: '', message: '' },
  },
};

const shapes = {
  'three files': {
    'eval.json': evaluation,
    'run.json': run,
    'items.json': { object: 'list', data: [item], has_more: false },
  },
  'one document': { 'saved.json': { eval: evaluation, run, output_items: [item] } },
  lines: { 'saved.jsonl': [item, run, evaluation] },
};

test.each(Object.entries(shapes))(
  'the answers of the API are one import as %s',
  async (_name, files) => {
    const { of, scoresOf } = await importFiles('openai-evals', files);
    expect(of('testset')).toMatchObject([
      {
        name: 'Capitals',
        jsonSchema: {
          properties: { question: { type: 'string' } },
          required: ['question', 'answer'],
        },
        fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
      },
    ]);
    expect(of('testcase')).toMatchObject([{ key: '4', jsonData: item.datasource_item }]);
    expect(of('system')).toMatchObject([
      {
        name: 'small-1',
        config: {
          model: 'small-1',
          prompt: run.data_source.input_messages,
          parameters: { temperature: 0 },
        },
      },
    ]);
    expect(of('run')).toMatchObject([
      {
        name: 'First',
        labels: { importedFrom: 'openai-evals', importedId: 'run_1' },
        startedAt: '2025-10-09T08:53:20.000Z',
      },
    ]);
    expect(of('record')).toMatchObject([
      {
        outputs: { messages: item.sample.output, output: 'Paris' },
        metrics: { inputTokens: 10, outputTokens: 2 },
      },
    ]);
    expect(scoresOf('openai-evals:outputitem_1')).toEqual({
      'Same (imported)': true,
      'Near (imported)': true,
      'Near score': 0.8,
    });
  },
);

test('graders are metrics, and those that have none here are noted', async () => {
  const { of, reasons } = await importFiles('openai-evals', shapes['one document']);
  const bodies = new Map(of('metric').map(({ body }) => [body.name, body]));
  expect(bodies.get('Same')!.builtin).toEqual({
    name: 'exact_match',
    options: { output: '/output', expected: '/answer' },
  });
  expect(bodies.get('Kind')).toMatchObject({
    evalType: 'ai',
    outputType: 'boolean',
    evalModelName: 'small-1',
  });
  expect(bodies.get('Kind')!.guidelines).toBe('Is it kind?\n\nIt passes for these labels: yes.');
  expect(bodies.get('Clear')).toMatchObject({
    evalType: 'ai',
    outputType: 'float',
    guidelines: 'Rate it',
  });
  expect(bodies.get('Near')).toMatchObject({ builtin: { name: 'rouge_l' }, passingThreshold: 0.5 });
  expect(bodies.get('Code')!.code!.source).toContain('def grade(sample, item)');
  expect(reasons.map((reason) => /grader "(\w+)"/.exec(reason)?.[1])).toEqual(['Stars', 'Meaning']);
});

test('a sample that failed is a record with the tag error', async () => {
  const failed = {
    ...item,
    sample: { ...item.sample, output: [], error: { code: 'x', message: 'refused' } },
  };
  const { of } = await importFiles('openai-evals', { 'items.json': { data: [failed] } });
  expect(of('record')).toMatchObject([
    { tags: ['error'], outputs: { error: { message: 'refused' } } },
  ]);
});

test('an eval without runs is a testset of its schema, so that testcases can be added', async () => {
  const { of } = await importFiles('openai-evals', { 'eval.json': evaluation });
  expect(of('testset')[0]!.fieldMapping).toEqual({
    inputs: ['question'],
    expected: ['answer'],
    metadata: [],
  });
});
