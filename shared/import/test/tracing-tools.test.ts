import { describe, expect, test } from 'vitest';
import { importFiles } from './imported.ts';
import { plain, run, score, trace } from './langfuse.ts';

describe('Langfuse', () => {
  test('items are testcases: input, expected output, metadata, the id as key, where they are from', async () => {
    const { of } = await importFiles('langfuse', { 'items.jsonl': [plain] });
    expect(of('testset')).toMatchObject([
      {
        name: 'Capitals',
        fieldMapping: {
          inputs: ['question'],
          expected: ['city'],
          metadata: ['level', 'status', 'sourceTraceId', 'importedId'],
        },
      },
    ]);
    expect(of('testcase')).toMatchObject([
      {
        key: 'item-1',
        jsonData: {
          question: 'Capital of France?',
          city: 'Paris',
          status: 'ARCHIVED',
          sourceTraceId: 'trace-0',
          importedId: 'item-1',
        },
      },
    ]);
  });

  test('text that is JSON in quotes is unwrapped once; other text stays', async () => {
    const wrapped = JSON.stringify('{"city": "Paris"}');
    const csv = `id,input,expectedOutput\n1,${`"${wrapped.replaceAll('"', '""')}"`},Paris\n`;
    const { of } = await importFiles('langfuse', { 'items.csv': csv });
    expect(of('testcase')[0]!.jsonData).toMatchObject({
      input: '{"city": "Paris"}',
      expectedOutput: 'Paris',
    });
  });

  test("the dataset's two schemas become one of an object", async () => {
    const dataset = {
      id: 'd',
      name: 'Capitals',
      projectId: 'p',
      inputSchema: { type: 'object', properties: { question: { type: 'string' } } },
      expectedOutputSchema: { type: 'string' },
    };
    const { of } = await importFiles('langfuse', {
      'dataset.json': { ...dataset, items: [plain] },
    });
    expect(of('testset')[0]!.jsonSchema).toMatchObject({
      properties: { question: { type: 'string' }, expectedOutput: { type: 'string' } },
    });
  });

  test('schemas of one field on both sides stay apart', async () => {
    const schema = (type: string) => ({ type: 'object', properties: { text: { type } } });
    const dataset = { name: 'Capitals', projectId: 'p', inputSchema: schema('string') };
    const items = [{ ...plain, input: { text: 'a' }, expectedOutput: { text: 1 } }];
    const { of } = await importFiles('langfuse', {
      'dataset.json': { ...dataset, expectedOutputSchema: schema('number'), items },
    });
    expect(of('testset')[0]!.jsonSchema.properties).toMatchObject({
      text: { type: 'string' },
      expected_text: { type: 'number' },
    });
  });

  test('a run item is a record with the output, the cost and the link of its trace', async () => {
    const { of } = await importFiles('langfuse', {
      'items.json': { data: [plain] },
      'run.json': run,
      'traces.json': { data: [trace] },
    });
    expect(of('run')).toMatchObject([{ name: 'first', startedAt: '2026-01-01T00:00:00.000Z' }]);
    expect(of('system')).toMatchObject([{ name: 'capital-bot' }]);
    expect(of('record')).toMatchObject([
      {
        testcaseKey: 'item-1',
        inputs: { question: 'Capital of France?' },
        expected: { city: 'Paris' },
        outputs: { answer: 'Paris' },
        otelLinkId: 'trace-1',
        metrics: { latencyMs: 250, costUsd: 0.01 },
      },
    ]);
  });

  test('scores: shares are floats, 1 to 5 are ints, booleans booleans, words as the user says', async () => {
    const scores = [
      score('share', 1, { comment: 'fine' }),
      score('stars', 4, { source: 'ANNOTATION' }),
      score('yes', 1, { dataType: 'BOOLEAN' }),
      score('tone', 0, { dataType: 'CATEGORICAL', stringValue: 'good' }),
      score('mood', 0, { dataType: 'CATEGORICAL', stringValue: 'odd' }),
      score('points', 37),
    ];
    const files = {
      'items.json': [plain],
      'run.json': run,
      'traces.json': [trace],
      'scores.json': { data: scores },
    };
    const { of, scoresOf, reasons } = await importFiles('langfuse', files, {
      categories: { tone: { good: true } },
    });
    expect(scoresOf('langfuse:item-1:trace-1')).toEqual({
      share: 1,
      stars: 4,
      yes: true,
      tone: true,
    });
    expect(of('score')[0]!.score).toEqual({ floatScore: 1, reasoning: 'fine' });
    expect(of('metric').map(({ body }) => [body.name, body.outputType, body.evalType])).toEqual([
      ['share', 'float', 'heuristic'],
      ['stars', 'int', 'human'],
      ['yes', 'boolean', 'heuristic'],
      ['tone', 'boolean', 'heuristic'],
    ]);
    expect(reasons).toEqual([
      'The scores of "mood" are words, such as "odd": say which of them pass.',
      'The scores of "points" lie between 37 and 37, and the file does not say on which scale: they stay behind.',
    ]);
  });

  test('a run whose traces are not there is noted', async () => {
    const { of, reasons } = await importFiles('langfuse', {
      'items.json': [plain],
      'run.json': run,
    });
    expect(of('record')).toEqual([]);
    expect(reasons).toEqual(['A run names a trace that no file has: export it too.']);
  });
});

describe('LangSmith', () => {
  const example = {
    id: 'e1',
    inputs: { question: 'Capital?', answer: 'hint' },
    outputs: { answer: 'Paris' },
    metadata: { level: 1 },
    split: ['test'],
  };

  test('examples are testcases, a field of both sides is renamed and noted, the split is metadata', async () => {
    const { of, reasons } = await importFiles('langsmith', { 'capitals.jsonl': [example] });
    expect(of('testcase')).toMatchObject([
      {
        key: 'e1',
        jsonData: {
          question: 'Capital?',
          answer: 'hint',
          expected_answer: 'Paris',
          level: 1,
          split: ['test'],
        },
      },
    ]);
    expect(of('testset')[0]!.fieldMapping.expected).toEqual(['expected_answer']);
    expect(reasons).toEqual([
      'The field "answer" has two roles: as expected it became "expected_answer".',
    ]);
  });

  test('an experiment as CSV: outputs are records, and feedback columns are scores', async () => {
    const csv =
      'id,example_id,inputs.question,reference_outputs.answer,outputs,feedback.correct,feedback.fluency,feedback.tone,latency,error\nr1,e1,Capital?,Paris,"{""answer"": ""Paris""}",1,0.5,warm,1.5,\nr2,e2,Other?,Rome,,0,0.7,,0.1,timeout\n';
    const { of, scoresOf, reasons } = await importFiles('langsmith', { 'first.csv': csv });
    expect(of('run')).toMatchObject([{ name: 'first' }]);
    expect(of('record')).toMatchObject([
      {
        testcaseKey: 'e1',
        inputs: { question: 'Capital?' },
        expected: { answer: 'Paris' },
        outputs: { answer: 'Paris' },
        metrics: { latencyMs: 1500 },
      },
      { error: { message: 'timeout' }, tags: [] },
    ]);
    expect(scoresOf('langsmith:r1')).toEqual({ correct: true, fluency: 0.5 });
    expect(reasons).toEqual([
      'The scores of "tone" are words, such as "warm": say which of them pass.',
    ]);
  });

  test('a run that failed is an error, whether it says why, where, or only that it did', async () => {
    const failed = (id: string, error: unknown) => ({
      id,
      reference_example_id: id,
      inputs: { question: 'Capital?' },
      outputs: null,
      status: 'error',
      error,
    });
    const raised = "ConnectionError('down')";
    const where = 'Traceback (most recent call last):\n  ask()';
    const { of } = await importFiles('langsmith', {
      'runs.jsonl': [
        failed('r1', `${raised}${where}`),
        failed('r2', { type: 'Timeout', message: 'late' }),
        failed('r3', null),
      ],
    });
    expect(of('record').map(({ error }) => error)).toEqual([
      { name: 'ConnectionError', message: raised, stack: where },
      { name: 'Timeout', message: 'late' },
      { message: 'The run ended with an error.' },
    ]);
  });

  test('experiments on one testset, which is named, are runs with the names of their files', async () => {
    const csv = (id: string) =>
      `id,example_id,inputs.question,reference_outputs.answer,outputs,feedback.correct\n${id},e1,Capital?,Paris,Paris,1\n`;
    const files = { 'first.csv': csv('r1'), 'second.csv': csv('r2') };
    const { of } = await importFiles('langsmith', files, { name: 'Questions' });
    expect(of('run').map(({ name, labels }) => [name, labels.importedId])).toEqual([
      ['first', 'first'],
      ['second', 'second'],
    ]);
  });

  test('runs as the API answers them: feedback statistics are scores', async () => {
    const run = {
      id: 'r1',
      reference_example_id: 'e1',
      session_id: 's1',
      inputs: { q: 1 },
      outputs: { a: 2 },
      feedback_stats: { correct: { n: 1, avg: 1 } },
      start_time: '2026-01-01T00:00:00',
      end_time: '2026-01-01T00:00:02',
      prompt_tokens: 3,
      completion_tokens: 4,
      total_cost: 0.1,
      trace_id: 't1',
    };
    const { of, scoresOf } = await importFiles('langsmith', { 'runs.json': [run] });
    expect(of('record')).toMatchObject([
      {
        otelLinkId: 't1',
        metrics: { latencyMs: 2000, inputTokens: 3, outputTokens: 4, costUsd: 0.1 },
      },
    ]);
    expect(scoresOf('langsmith:r1')).toEqual({ correct: true });
  });
});

describe('Phoenix', () => {
  const run = {
    example_id: 'x1',
    repetition_number: 2,
    input: { question: 'Capital?' },
    reference_output: { answer: 'Paris' },
    output: 'Rome',
    error: null,
    latency_ms: 12.5,
    trace_id: 't1',
    prompt_token_count: 3,
    completion_token_count: 4,
    annotations: [
      {
        name: 'correct',
        annotator_kind: 'CODE',
        label: 'no',
        score: 0,
        explanation: 'It is Paris.',
      },
      { name: 'kind', annotator_kind: 'HUMAN', label: 'kind', score: null },
    ],
  };

  test.each([
    [
      'CSV',
      { 'd.csv': 'example_id,input_question,output_answer,metadata_level\nx1,Capital?,Paris,1\n' },
    ],
    [
      'the API',
      {
        'd.json': {
          data: {
            dataset_id: 'd',
            examples: [
              {
                id: 'x1',
                input: { question: 'Capital?' },
                output: { answer: 'Paris' },
                metadata: { level: '1' },
              },
            ],
          },
        },
      },
    ],
  ])(
    'examples by %s are testcases: input, expected output, metadata and id',
    async (_name, files) => {
      const { of } = await importFiles('phoenix', files);
      expect(of('testset')[0]!.fieldMapping).toEqual({
        inputs: ['question'],
        expected: ['answer'],
        metadata: ['level', 'importedId'],
      });
      expect(of('testcase')).toMatchObject([
        { key: 'x1', jsonData: { question: 'Capital?', answer: 'Paris', level: '1' } },
      ]);
    },
  );

  test('runs of an experiment are records: repetition, usage, trace, and annotations as scores', async () => {
    const { of, scoresOf } = await importFiles(
      'phoenix',
      { 'experiment.json': [run] },
      { categories: { kind: { kind: true } } },
    );
    expect(of('record')).toMatchObject([
      {
        clientId: 'phoenix:x1:2',
        testcaseKey: 'x1',
        expected: { answer: 'Paris' },
        outputs: { output: 'Rome' },
        otelLinkId: 't1',
        metrics: { latencyMs: 12.5, inputTokens: 3, outputTokens: 4 },
        metadata: { trial: 2 },
      },
    ]);
    expect(scoresOf('phoenix:x1:2')).toEqual({ correct: false, kind: true });
    expect(of('score')[0]!.score.reasoning).toBe('It is Paris.');
    expect(of('metric').map(({ body }) => body.evalType)).toEqual(['heuristic', 'human']);
  });

  test('an experiment as CSV has its annotations in columns', async () => {
    const csv =
      'example_id,repetition_number,input,reference_output,output,error,latency_ms,annotation_correct_label,annotation_correct_score,annotation_correct_explanation\nx1,1,"{""question"": ""Capital?""}",Paris,Paris,,7,yes,1.0,fine\n';
    const { of, scoresOf } = await importFiles('phoenix', { 'experiment.csv': csv });
    expect(of('record')).toMatchObject([
      { inputs: { question: 'Capital?' }, outputs: { output: 'Paris' }, metrics: { latencyMs: 7 } },
    ]);
    expect(scoresOf('phoenix:x1:1')).toEqual({ correct: true });
  });
});

describe('Braintrust', () => {
  const row = {
    id: 'r1',
    span_id: 's1',
    root_span_id: 's1',
    experiment_id: 'e1',
    dataset_record_id: 'd1',
    input: 'Capital?',
    expected: 'Paris',
    output: { text: 'Paris' },
    scores: { Exact: 1, Factuality: 0.6, Skipped: null },
    metadata: { level: 1 },
    tags: ['eu'],
    metrics: { start: 10, end: 11.5, prompt_tokens: 3, completion_tokens: 4 },
    error: null,
  };

  test('rows of an experiment are testcases, records and scores; spans within are noted', async () => {
    const inner = { ...row, id: 'r2', span_id: 's2' };
    const { of, scoresOf, reasons } = await importFiles('braintrust', {
      'exp.json': { events: [row, inner] },
    });
    expect(of('testcase')).toMatchObject([
      { key: 'd1', jsonData: { input: 'Capital?', expected: 'Paris', level: 1, tags: ['eu'] } },
    ]);
    expect(of('record')).toMatchObject([
      { outputs: { text: 'Paris' }, metrics: { latencyMs: 1500, inputTokens: 3, outputTokens: 4 } },
    ]);
    expect(scoresOf('braintrust:r1')).toEqual({ Exact: true, Factuality: 0.6 });
    expect(reasons).toEqual(['Spans within a row are parts of a trace, and stay behind.']);
  });

  test('rows of CSV, whose cells are JSON, and rows of a dataset', async () => {
    const csv =
      'id,input,expected,output,scores,metadata,tags,error\nr1,"{""q"": 1}",Paris,Paris,"{""Exact"": 1}",{},[],\n';
    const { of, scoresOf } = await importFiles('braintrust', { 'exp.csv': csv });
    expect(of('record')).toMatchObject([
      { inputs: { q: 1 }, outputs: { output: 'Paris' }, tags: [] },
    ]);
    expect(scoresOf('braintrust:r1')).toEqual({ Exact: true });
    const dataset = await importFiles('braintrust', {
      'd.jsonl': [{ id: 'd1', dataset_id: 'x', input: 1, expected: 2 }],
    });
    expect(dataset.of('testcase')).toHaveLength(1);
    expect(dataset.of('run')).toEqual([]);
  });
});
