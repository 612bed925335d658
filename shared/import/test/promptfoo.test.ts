import { describe, expect, test } from 'vitest';
import { importFiles } from './imported.ts';
import { output, row } from './promptfoo.ts';

describe('results of promptfoo', () => {
  test('vars are inputs; description and metadata are metadata; the index of the test is the key', async () => {
    const { of } = await importFiles('promptfoo', output([row]));
    expect(of('testcase')).toMatchObject([
      { key: '0', jsonData: { country: 'France', description: 'Europe', level: 1 } },
    ]);
    expect(of('testset')[0]!.fieldMapping).toMatchObject({
      inputs: ['country'],
      metadata: ['description', 'level'],
    });
  });

  test('values of assertions that compare are expected, by their metric or type', async () => {
    const { of } = await importFiles('promptfoo', output([row]));
    expect(of('record')[0]!.expected).toEqual({ equals: 'Paris', Polite: 'Is polite' });
  });

  test('each provider and prompt is a version of a system and a run of its own', async () => {
    const other = { ...row, promptIdx: 1, prompt: { raw: 'Say {{country}}', label: 'Short' } };
    const { of } = await importFiles(
      'promptfoo',
      output([row, other, { ...row, provider: 'echo' }]),
    );
    expect(of('system').map(({ name, config }) => [name, config.prompt])).toEqual([
      ['Small', 'Capital of {{country}}?'],
      ['Small', 'Say {{country}}'],
      ['echo', 'Capital of {{country}}?'],
    ]);
    expect(of('run').map(({ name, testset }) => [name, testset])).toEqual([
      ['Small · Plain', 'testset:1'],
      ['Small · Short', 'testset:1'],
      ['echo · Plain', 'testset:1'],
    ]);
    expect(of('testcase')).toHaveLength(1);
    expect(of('record')).toHaveLength(3);
  });

  test('output, latency, tokens and cost are of the record', async () => {
    const json = { ...row, testIdx: 1, response: { output: { city: 'Paris' } } };
    const { of } = await importFiles('promptfoo', output([row, json]));
    expect(of('record')).toMatchObject([
      {
        outputs: { output: 'Paris' },
        metrics: { latencyMs: 120, inputTokens: 20, outputTokens: 10, costUsd: 0.002 },
      },
      { outputs: { city: 'Paris' } },
    ]);
  });

  test('a second result of one test and prompt is a record of its own', async () => {
    const again = { ...row, response: { ...row.response, output: 'Lyon' }, success: false };
    const { of, scoresOf } = await importFiles('promptfoo', output([row, again]));
    expect(of('testcase')).toHaveLength(1);
    expect(of('record').map(({ clientId, outputs }) => [clientId, outputs.output])).toEqual([
      ['promptfoo:0:0:0', 'Paris'],
      ['promptfoo:0:0:0:2', 'Lyon'],
    ]);
    expect(scoresOf('promptfoo:0:0:0:2')).toMatchObject({ 'promptfoo pass': false });
  });

  test('the verdict, the score and every component are scores with their reasons', async () => {
    const { of, scoresOf } = await importFiles('promptfoo', output([row]));
    expect(scoresOf('promptfoo:0:0:0')).toEqual({
      'promptfoo pass': true,
      'promptfoo score': 0.75,
      equals: true,
      Polite: true,
      'Polite score': 0.5,
      brevity: 0.25,
    });
    expect(of('score').find(({ metric }) => metric === 'scored:equals')!.score.reasoning).toBe(
      'equal',
    );
  });

  test('a grader that failed gives no score, and is noted', async () => {
    const failed = structuredClone(row);
    Object.assign(failed.gradingResult.componentResults[1]!, {
      pass: false,
      score: 0,
      metadata: { graderError: true },
    });
    const { scoresOf, reasons } = await importFiles('promptfoo', output([failed]));
    expect(scoresOf('promptfoo:0:0:0')).not.toHaveProperty('Polite');
    expect(reasons).toContain('The grader of "Polite" failed, which is no score.');
  });

  test('named scores outside 0 to 1 stay behind, and are noted', async () => {
    const { of, reasons } = await importFiles(
      'promptfoo',
      output([{ ...row, namedScores: { length: 12 } }]),
    );
    expect(of('metric').map(({ body }) => body.name)).not.toContain('length');
    expect(reasons).toContain(
      'The scores of "length" lie between 12 and 12, and the file does not say on which scale: they stay behind.',
    );
  });

  test('an error is that of its record, without scores', async () => {
    const error = {
      ...row,
      response: undefined,
      error: 'timeout',
      failureReason: 2,
      success: false,
    };
    const { of } = await importFiles('promptfoo', output([error]));
    expect(of('record')).toMatchObject([{ error: { message: 'timeout' }, tags: [] }]);
    expect(of('score')).toEqual([]);
  });

  test('version 2 with its table, and lines of results, say the same', async () => {
    const expected = (await importFiles('promptfoo', output([row]))).of('record');
    expect((await importFiles('promptfoo', output([row], 2))).of('record')).toEqual(expected);
    expect((await importFiles('promptfoo', { 'out.jsonl': [row] })).of('record')).toEqual(expected);
  });
});

test('metadata of a record that is larger than the service takes is noted, and the record kept', async () => {
  const large = { ...row, response: { output: 'Paris', metadata: { trace: 'x'.repeat(20_000) } } };
  const { of, reasons } = await importFiles('promptfoo', output([large]));
  expect(of('record')).toHaveLength(1);
  expect(reasons).toEqual(['The metadata of a record is larger than 16 KiB, and stays behind.']);
});

describe('a config of promptfoo', () => {
  const config = `
description: Capitals
prompts: ['Capital of {{country}}?']
providers: [openai:small-1, { id: openai:large-1, label: Large, config: { temperature: 0 } }]
defaultTest:
  assert:
    - { type: is-json, value: { type: object } }
    - { type: levenshtein, value: Paris }
    - { type: not-contains, value: sorry }
tests:
  - vars: { country: France }
    assert:
      - { type: equals, value: Paris }
      - { type: llm-rubric, value: Is polite }
      - { type: javascript, value: output.length < context.vars.country.length }
      - { type: rouge-n, value: Paris }
      - { type: latency, threshold: 100 }
  - vars: { country: Japan }
    assert:
      - { type: regex, value: 'T.*o' }
      - { type: python, value: 'len(output) > 1', metric: long }
`;
  const bodies = async (text: string) => {
    const { of } = await importFiles('promptfoo', { 'promptfooconfig.yaml': text });
    return new Map(of('metric').map(({ body }) => [body.name, body]));
  };

  test('tests are testcases, and providers with prompts are versions of systems', async () => {
    const { of } = await importFiles('promptfoo', { 'promptfooconfig.yaml': config });
    expect(of('testcase').map(({ jsonData }) => jsonData.country)).toEqual(['France', 'Japan']);
    expect(of('testcase')[0]!.jsonData).toMatchObject({ equals: 'Paris', levenshtein: 'Paris' });
    expect(of('system').map(({ name, config: { provider } }) => [name, provider])).toEqual([
      ['openai:small-1', 'openai:small-1'],
      ['Large', 'openai:large-1'],
    ]);
  });

  test('checks that have a built-in evaluator are metrics of it', async () => {
    const found = await bodies(config);
    expect(found.get('is-json')!.builtin).toEqual({
      name: 'json_schema',
      options: { output: '/output', schema: { type: 'object' } },
    });
    expect(found.get('levenshtein')).toMatchObject({
      outputType: 'float',
      builtin: { name: 'levenshtein', options: { expected: '/levenshtein' } },
    });
    expect(found.get('regex')!.builtin!.options.pattern).toBe('T.*o');
  });

  test('a check of some tests only says of the others that it does not apply', async () => {
    const source = (await bodies(config)).get('equals')!.code!.source;
    const evaluate = new Function(`${source}; return evaluate;`)();
    expect(evaluate({ expected: { equals: 'Paris' }, outputs: { output: 'Paris' } })).toBe(true);
    expect(evaluate({ expected: {}, outputs: { output: 'x' } })).toMatchObject({ value: null });
  });

  test('a negated comparison is code that negates it', async () => {
    const source = (await bodies(config)).get('not-contains')!.code!.source;
    const evaluate = new Function(`${source}; return evaluate;`)();
    const expected = { 'not-contains': 'sorry' };
    expect(evaluate({ expected, outputs: { output: 'so sorry' } })).toBe(false);
    expect(evaluate({ expected, outputs: { output: 'Paris' } })).toBe(true);
  });

  test('rubrics are judges, and code is code with output and vars', async () => {
    const found = await bodies(config);
    expect(found.get('llm-rubric')).toMatchObject({
      evalType: 'ai',
      outputType: 'boolean',
      guidelines: 'Is polite',
    });
    const evaluate = new Function(`${found.get('javascript')!.code!.source}; return evaluate;`)();
    expect(evaluate({ inputs: { country: 'France' }, outputs: { output: 'Paris' } })).toBe(true);
    expect(found.get('long')!.code).toMatchObject({ language: 'python' });
    expect(found.get('long')!.code!.source).toContain('    return (len(output) > 1)\n');
  });

  test('what no metric here checks is noted', async () => {
    const { reasons } = await importFiles('promptfoo', { 'promptfooconfig.yaml': config });
    expect(reasons).toEqual([
      '"rouge-n" was ROUGE-N and became ROUGE-L, whose values differ.',
      'Assertions of type "latency" have no metric here: score them yourself and send the scores.',
    ]);
  });

  test('YAML that is broken is refused with its line, and aliases that multiply are too', async () => {
    await expect(bodies('providers: [a\nprompts: b: c')).rejects.toThrow(
      /promptfooconfig.yaml, line \d/,
    );
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}]`),
    ].join('\n');
    await expect(bodies(`providers: []\ntests: []\n${bomb}`)).rejects.toThrow('by aliases');
  });
});
