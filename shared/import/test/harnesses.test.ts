import { JsonNumber } from '@assay/json/value';
import type { SchemaElement } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { faultOf, importFiles } from './imported.ts';
import { parquet } from './parquet.ts';

describe('lm-evaluation-harness', () => {
  const row = {
    doc_id: 0,
    doc: { question: '2+2?', answer: '#### 4' },
    target: '4',
    arguments: { gen_args_0: { arg_0: 'Q: 2+2?\nA:', arg_1: {} } },
    resps: [['It is 4']],
    filtered_resps: ['4'],
    filter: 'strict-match',
    metrics: ['exact_match', 'bleu'],
    doc_hash: 'd',
    prompt_hash: 'p',
    target_hash: 't',
    exact_match: 1.0,
    bleu: 34.5,
  };
  const files = {
    'small__one/samples_gsm8k_2026-01-02T03-04-05.123456.jsonl': [
      row,
      { ...row, filter: 'flexible-extract', filtered_resps: ['four'], exact_match: 0.0 },
    ],
    'small__one/results_2026-01-02T03-04-05.123456.json': {
      results: { gsm8k: {} },
      configs: { gsm8k: { num_fewshot: 5 } },
      config: { model: 'hf', model_args: 'pretrained=small/one' },
      git_hash: 'abc',
      model_name: 'small/one',
    },
  };

  test('doc and prompt are inputs, the target is expected, hashes are metadata, doc_id is the key', async () => {
    const { of } = await importFiles('lm-evaluation-harness', files);
    expect(of('testset')).toMatchObject([
      {
        name: 'gsm8k',
        fieldMapping: {
          inputs: ['question', 'answer', 'prompt'],
          expected: ['target'],
          metadata: ['doc_hash', 'prompt_hash', 'target_hash', 'importedId'],
        },
      },
    ]);
    expect(of('testcase')).toMatchObject([
      {
        key: '0',
        jsonData: { question: '2+2?', prompt: 'Q: 2+2?\nA:', target: '4', doc_hash: 'd' },
      },
    ]);
  });

  test('two filters of a sample are one record with two scores', async () => {
    const { of, scoresOf, reasons } = await importFiles('lm-evaluation-harness', files);
    expect(of('record')).toMatchObject([{ outputs: { response: '4', resps: [['It is 4']] } }]);
    expect(scoresOf('lm-evaluation-harness:0')).toEqual({
      'exact_match, strict-match': true,
      'exact_match, flexible-extract': false,
    });
    expect(reasons[0]).toContain('The scores of "bleu, strict-match" lie between 34.5 and 34.5');
  });

  test('a metric of which the results say that lower is better keeps its direction', async () => {
    const [samples] = Object.keys(files).filter((name) => name.includes('samples_'));
    const [results] = Object.keys(files).filter((name) => name.includes('results_'));
    const { of } = await importFiles('lm-evaluation-harness', {
      [samples!]: (files as Record<string, unknown>)[samples!],
      [results!]: {
        ...((files as Record<string, unknown>)[results!] as object),
        higher_is_better: { gsm8k: { exact_match: false } },
      },
    } as never);
    const directions = of('metric').map(({ body }) => body.lowerIsBetter);
    expect(directions.length).toBeGreaterThan(0);
    expect(directions.every((lowerIsBetter) => lowerIsBetter === true)).toBe(true);
  });

  test('results and folder are the system and the run', async () => {
    const { of } = await importFiles('lm-evaluation-harness', files);
    expect(of('system')).toMatchObject([
      {
        name: 'small/one',
        config: { model_args: 'pretrained=small/one', task: { num_fewshot: 5 } },
      },
    ]);
    expect(of('run')).toMatchObject([
      { name: 'gsm8k · small/one', labels: { task: 'gsm8k', commit: 'abc' } },
    ]);
  });
});

describe('openai/evals', () => {
  test('samples are testcases: input, ideal, other keys as metadata', async () => {
    const input = [{ role: 'user', content: '2+2?' }];
    const { of } = await importFiles('evals-repository', {
      'data/sums/samples.jsonl': [{ input, ideal: ['4', 'four'], level: 1 }],
    });
    expect(of('testset')).toMatchObject([
      {
        name: 'sums',
        fieldMapping: { inputs: ['input'], expected: ['ideal'], metadata: ['level'] },
      },
    ]);
    expect(of('testcase')).toMatchObject([{ jsonData: { input, ideal: ['4', 'four'], level: 1 } }]);
  });

  test('recordings are runs: sampled is the output, match a boolean, metrics are scores', async () => {
    const event = (type: string, data: unknown, sample_id = 'sums.dev.0') => ({
      run_id: 'r1',
      event_id: 0,
      sample_id,
      type,
      data,
      created_by: '',
      created_at: '2026-01-01',
    });
    const { of, scoresOf } = await importFiles('evals-repository', {
      'log.jsonl': [
        {
          spec: {
            completion_fns: ['small-1'],
            eval_name: 'sums.dev.v0',
            base_eval: 'sums',
            run_id: 'r1',
            created_at: '2026-01-01 10:00:00Z',
            run_config: { seed: 1 },
          },
        },
        event('sampling', { prompt: 'Q', sampled: ['4'] }),
        event('sampling', { prompt: 'R', sampled: ['5'] }, 'sums.dev.1'),
        event('match', { correct: true, expected: '4', picked: '4' }),
        event('metrics', { f1: 0.5 }),
        { final_report: { accuracy: 1 } },
      ],
    });
    expect(of('run')).toMatchObject([{ name: 'sums · small-1', labels: { importedId: 'r1' } }]);
    expect(of('record')).toMatchObject([
      { inputs: { input: 'Q' }, expected: { ideal: '4' }, outputs: { output: '4' } },
      { outputs: { output: '5' } },
    ]);
    expect(scoresOf('evals-repository:sums.dev.0')).toEqual({ match: true, f1: 0.5 });
  });
});

describe('HELM', () => {
  const instance = {
    input: { text: 'Capital?' },
    references: [
      { output: { text: 'Paris' }, tags: ['correct'] },
      { output: { text: 'Rome' }, tags: [] },
    ],
    split: 'test',
    id: 'id1',
  };
  const perturbed = { ...instance, perturbation: { name: 'typos' } };
  const state = {
    instance,
    train_trial_index: 0,
    request: { model: 'small/one', prompt: 'Q: Capital?' },
    result: { success: true, completions: [{ text: ' Paris' }], request_time: 0.5 },
  };
  const stat = (name: string, mean: number) => ({
    name: { name, split: 'test' },
    count: 1,
    sum: mean,
    mean,
  });
  const shared = {
    'runs/a/run_spec.json': {
      name: 'cities:model=small_one',
      adapter_spec: { model: 'small/one', max_tokens: 5 },
    },
    'runs/a/scenario.json': { name: 'cities', description: 'Capitals' },
  };
  const expectRun = ({ of, scoresOf }: Awaited<ReturnType<typeof importFiles>>) => {
    expect(of('testset')).toMatchObject([{ name: 'cities', description: 'Capitals' }]);
    expect(of('system')).toMatchObject([{ name: 'small/one', config: { max_tokens: 5 } }]);
    expect(of('testcase').map(({ key }) => key)).toEqual(['id1', 'id1:typos']);
    expect(of('testcase')[0]!.jsonData).toMatchObject({
      input: 'Capital?',
      choices: ['Paris', 'Rome'],
      answer: 'Paris',
      split: 'test',
      importedId: 'id1',
    });
    expect(of('record')[0]!.outputs.output).toBe(' Paris');
    expect(scoresOf('helm:id1:0')).toEqual({ exact_match: true, f1_score: 0.5 });
  };

  test('states of requests are testcases, also perturbed ones, and records; statistics are scores', async () => {
    const imported = await importFiles('helm', {
      ...shared,
      'runs/a/scenario_state.json': {
        adapter_spec: {},
        request_states: [state, { ...state, instance: perturbed }],
      },
      'runs/a/per_instance_stats.json': [
        {
          instance_id: 'id1',
          train_trial_index: 0,
          stats: [stat('exact_match', 1), stat('f1_score', 0.5), stat('num_output_tokens', 2)],
        },
      ],
    });
    expectRun(imported);
    expect(imported.reasons).toEqual(['Statistics of tokens, time and choices stay behind.']);
  });

  test('without states, instances and displayed predictions say the same', async () => {
    expectRun(
      await importFiles('helm', {
        ...shared,
        'runs/a/instances.json': [instance, perturbed],
        'runs/a/display_predictions.json': [
          {
            instance_id: 'id1',
            predicted_text: ' Paris',
            train_trial_index: 0,
            stats: { exact_match: 1, f1_score: 0.5 },
          },
        ],
      }),
    );
  });
});

describe('Parquet', () => {
  const write = (rowGroupSize: number) =>
    parquet(
      [
        { name: 'question', data: ['a?', 'b?', 'c?'], type: 'STRING' },
        { name: 'answers', data: [{ text: ['x'] }, { text: [] }, null], type: 'JSON' },
        { name: 'count', data: [1n, 2n ** 60n + 1n, 3n], type: 'INT64' },
        { name: 'picture', data: [new Uint8Array([1, 2]), null, null], type: 'BYTE_ARRAY' },
      ],
      rowGroupSize,
    );

  test('rows of all row groups are testcases, with each digit of long numbers; bytes are noted', async () => {
    const { of, reasons } = await importFiles('parquet', { 'train.parquet': write(2) });
    expect(of('testcase').map(({ jsonData }) => jsonData)).toEqual([
      { question: 'a?', answers: { text: ['x'] }, count: 1, picture: null },
      {
        question: 'b?',
        answers: { text: [] },
        count: new JsonNumber('1152921504606846977'),
        picture: null,
      },
      { question: 'c?', answers: null, count: 3, picture: null },
    ]);
    expect(reasons).toEqual(['Bytes, such as of images, stay behind.']);
  });

  // As Python has them of the same file, by pyarrow: else a row has another key there.
  test('times have their digits, and a zone where their column has one', async () => {
    const leaf = (name: string, logical_type: SchemaElement['logical_type']): SchemaElement => ({
      name,
      type: 'INT64',
      repetition_type: 'OPTIONAL',
      logical_type: logical_type!,
    });
    const local = { type: 'TIMESTAMP', isAdjustedToUTC: false } as const;
    const columns = {
      local: [1_704_067_200_000_000n, -876_544n, null],
      utc: [1_704_067_200_500n, 0n, null],
      nanoseconds: [1_704_067_200_123_456_789n, 1_000n, null],
      clock: [3_723_000_004n, 86_399_000_000n, null],
      day: [new Date('2024-02-29'), new Date('1900-01-01'), null],
    };
    const schema: SchemaElement[] = [
      { name: 'root', num_children: 5 },
      leaf('local', { ...local, unit: 'MICROS' }),
      leaf('utc', { ...local, isAdjustedToUTC: true, unit: 'MILLIS' }),
      leaf('nanoseconds', { ...local, unit: 'NANOS' }),
      leaf('clock', { type: 'TIME', isAdjustedToUTC: true, unit: 'MICROS' }),
      { name: 'day', type: 'INT32', repetition_type: 'OPTIONAL', converted_type: 'DATE' },
    ];
    const columnData = Object.entries(columns).map(([name, data]) => ({ name, data }));
    const { of } = await importFiles('parquet', {
      'times.parquet': parquet(columnData, undefined, schema),
    });
    expect(of('testcase').map(({ jsonData }) => jsonData)).toEqual([
      {
        local: '2024-01-01T00:00:00',
        utc: '2024-01-01T00:00:00.500000+00:00',
        nanoseconds: '2024-01-01T00:00:00.123456789',
        clock: '01:02:03.000004',
        day: '2024-02-29',
      },
      {
        local: '1969-12-31T23:59:59.123456',
        utc: '1970-01-01T00:00:00+00:00',
        nanoseconds: '1970-01-01T00:00:00.000001',
        clock: '23:59:59',
        day: '1900-01-01',
      },
      { local: null, utc: null, nanoseconds: null, clock: null, day: null },
    ]);
  });

  test('a file that is cut off is refused', async () => {
    const whole = write(2);
    for (const bytes of [whole.subarray(0, 20), whole.subarray(0, whole.length - 10)])
      expect(await faultOf('parquet', { 'a.parquet': bytes })).toContain(
        'a.parquet: cannot be read as Parquet',
      );
  });
});
