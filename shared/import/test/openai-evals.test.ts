import { expect, test } from 'vitest';
import { importFiles } from './imported.ts';
import { evaluation, item, run } from './openai-evals.ts';

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
  expect(reasons.map((reason) => /grader "(\w+)"/.exec(reason)?.[1])).toEqual(['Meaning']);
  expect(bodies.get('Stars')).toMatchObject({
    evalType: 'ai',
    outputType: 'float',
    min: 1,
    max: 5,
  });
});

test('a sample that failed is a record with the tag error', async () => {
  const failed = {
    ...item,
    sample: { ...item.sample, output: [], error: { code: 'x', message: 'refused' } },
  };
  const { of } = await importFiles('openai-evals', { 'items.json': { data: [failed] } });
  expect(of('record')).toMatchObject([
    { tags: [], outputs: {}, error: { name: 'x', message: 'refused' } },
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
