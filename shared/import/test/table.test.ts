import { writeJson } from '@assay/json/write';
import { expect, test } from 'vitest';
import { rolesAmong } from '../roles.ts';
import { faultOf, importFiles } from './imported.ts';

test('a table becomes a testset whose columns have the roles that their names suggest', async () => {
  const { of } = await importFiles('csv', {
    'questions.csv':
      'id,question,ideal answer,topic,_key\n7,Where?,Here.,parcel,q7\n8,"When,\nnow?",,parcel,q8\n',
  });
  expect(of('testset')).toMatchObject([
    {
      name: 'questions',
      fieldMapping: { inputs: ['question', 'topic'], expected: ['ideal answer'], metadata: ['id'] },
    },
  ]);
  expect(of('testcase')).toMatchObject([
    {
      key: 'q7',
      jsonData: { id: '7', question: 'Where?', 'ideal answer': 'Here.', topic: 'parcel' },
    },
    { key: 'q8', jsonData: { id: '8', question: 'When,\nnow?', topic: 'parcel' } },
  ]);
});

test('the user says the roles, the key and the name', async () => {
  const { of } = await importFiles(
    'csv',
    { 'a.tsv': 'n\tq\tx\n1\tWhere?\tno\n' },
    { name: 'Parcels', key: 'n', roles: { q: 'expected', x: 'ignored' } },
  );
  expect(of('testset')[0]).toMatchObject({
    name: 'Parcels',
    fieldMapping: { inputs: ['n'], expected: ['q'], metadata: [] },
  });
  expect(of('testcase')).toMatchObject([{ key: '1', jsonData: { n: '1', q: 'Where?' } }]);
});

test('a column of answers is a run whose records name their testcases', async () => {
  const { of, reasons } = await importFiles('csv', {
    'capitals.csv':
      'question,expected,answer\nFrance?,Paris,Paris\nPeru?,Lima,\nFrance?,Paris,Lyon\n',
  });
  expect(of('testset')[0]!.fieldMapping).toEqual({
    inputs: ['question'],
    expected: ['expected'],
    metadata: [],
  });
  const keys = of('testcase').map(({ key }) => key!);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe(`${keys[0]}:2`);
  expect(of('run')).toMatchObject([
    { name: 'answer', testset: 'testset:1', metrics: [], column: 'answer', answers: 2 },
  ]);
  expect(of('record')).toMatchObject([
    {
      testcaseKey: keys[0],
      inputs: { question: 'France?' },
      expected: { expected: 'Paris' },
      outputs: { output: 'Paris' },
    },
    { testcaseKey: keys[2], outputs: { output: 'Lyon' } },
  ]);
  expect(reasons).toEqual([]);
});

test('several columns of answers are a run each; an object is the outputs, and null is no answer', async () => {
  const { of } = await importFiles(
    'jsonl',
    {
      'a.jsonl': [
        { id: 'a', q: 1, v1: { text: 'x' }, 'gpt-4o': 'y', output_b: 3 },
        { id: 'b', q: 2, v1: null, 'gpt-4o': 'z', output_b: 4 },
      ],
    },
    { key: 'id', roles: { v1: 'output' } },
  );
  expect(of('run').map(({ name }) => name)).toEqual(['v1', 'gpt-4o', 'output_b']);
  expect(of('record').map(({ testcaseKey, outputs }) => [testcaseKey, outputs])).toEqual([
    ['a', { text: 'x' }],
    ['a', { output: 'y' }],
    ['a', { output: 3 }],
    ['b', { output: 'z' }],
    ['b', { output: 4 }],
  ]);
});

test('the runs of a table are the same where roles are given as they are guessed, and others where they differ', async () => {
  const files = { 'a.csv': 'question,expected,answer\nFrance?,Paris,Lyon\n' };
  const idOf = async (options = {}) =>
    (await importFiles('csv', files, options)).of('run')[0]!.labels.importedId;
  const guessed = await idOf();
  const given = { question: 'input', expected: 'expected', answer: 'output' } as const;
  expect(await idOf({ roles: given })).toBe(guessed);
  expect(await idOf({ roles: { ...given, expected: 'ignored' } })).not.toBe(guessed);
});

test('a testcase that a table has twice has one answer in a run', async () => {
  const { of } = await importFiles(
    'csv',
    { 'a.csv': 'id,q,response\n1,a,x\n1,a,y\n' },
    { key: 'id' },
  );
  expect(of('record').map(({ outputs }) => outputs)).toEqual([{ output: 'x' }]);
});

test.each([
  ['answer', ['question', 'answer'], 'expected'],
  ['answer', ['question', 'expected', 'answer'], 'output'],
  ['output', ['input', 'ground truth', 'output'], 'output'],
  ['expected_output', ['input', 'expected_output'], 'expected'],
  ['ideal_answer', ['input', 'ideal_answer', 'expected'], 'expected'],
  ['response', ['prompt', 'response'], 'output'],
  ['Model answer', ['prompt', 'Model answer'], 'output'],
  ['output_v2', ['prompt', 'output_v2'], 'output'],
  ['claude-3.5', ['prompt', 'claude-3.5'], 'output'],
  ['output_format', ['prompt', 'output_format'], 'input'],
  ['response_time_ms', ['prompt', 'response_time_ms'], 'input'],
])('the column %s among %j has the role %s', (column, columns, role) => {
  expect(rolesAmong(columns, {})(column)).toBe(role);
});

test('cells are text as they stand; lists and objects of JSON are values', async () => {
  const { of } = await importFiles('csv', {
    'a.csv': 'a;b;c;d\n007;"[1, 2]";"{""x"": null}";true\n',
  });
  expect(of('testcase')[0]!.jsonData).toEqual({ a: '007', b: [1, 2], c: { x: null }, d: 'true' });
});

test.each([
  ['csv', { 'a.csv': 'question,answer\n"{""id"": 12345678901234567890}",x\n' }],
  ['jsonl', { 'a.jsonl': '{"question": {"id": 12345678901234567890}, "answer": "x"}' }],
  ['json', { 'a.json': '[{"question": {"id": 12345678901234567890}, "answer": "x"}]' }],
])('%s keeps every digit of a long number, and nothing is lost', async (format, files) => {
  const { of, reasons } = await importFiles(format, files);
  expect(writeJson(of('testcase')[0]!.jsonData)).toBe(
    '{"question":{"id":12345678901234567890},"answer":"x"}',
  );
  expect(reasons).toEqual([]);
});

test.each([
  ['json', { 'a.json': [{ question: 'Where?', n: 1 }] }],
  ['json', { 'a.json': { version: 1, data: [{ question: 'Where?', n: 1 }] } }],
  ['jsonl', { 'a.jsonl': [{ question: 'Where?', n: 1 }] }],
  ['jsonl', { 'a.jsonl': '\ufeff{"question": "Where?", "n": 1}\r\n\r\n' }],
])('%s keeps the values of its objects', async (format, files) => {
  const { of } = await importFiles(format, files);
  expect(of('testcase')).toMatchObject([{ jsonData: { question: 'Where?', n: 1 } }]);
});

test('fields that only later rows have belong to the testset from the start', async () => {
  const { all } = await importFiles('jsonl', { 'a.jsonl': [{ a: 1 }, { b: 2 }, { expected: 3 }] });
  expect(all[0]).toMatchObject({
    kind: 'testset',
    jsonSchema: { properties: { a: {}, b: {}, expected: {} } },
    fieldMapping: { inputs: ['a', 'b'], expected: ['expected'], metadata: [] },
  });
});

test('two files are two testsets, and of one name they get different ones', async () => {
  const { of, reasons } = await importFiles('json', {
    'x/a.json': [{ q: 1 }],
    'y/a.json': [{ q: 2 }],
  });
  expect(of('testset').map(({ name }) => name)).toEqual(['a', 'a (2)']);
  expect(of('testcase').map(({ testset }) => testset)).toEqual(['testset:1', 'testset:2']);
  expect(reasons).toEqual(['Two testsets are named "a": one became "a (2)".']);
});

test('__proto__ is a column of answers like others, and a row without it has none', async () => {
  const { of } = await importFiles(
    'jsonl',
    { 'a.jsonl': '{"q": 1, "__proto__": "x"}\n{"q": 2}\n' },
    { roles: JSON.parse('{"__proto__": "output"}') },
  );
  expect(of('record').map(({ outputs }) => outputs)).toEqual([{ output: 'x' }]);
});

test('__proto__ is a field like others, and changes no prototype', async () => {
  const { of } = await importFiles('jsonl', {
    'a.jsonl': '{"__proto__": {"x": 1}, "toString": 2}',
  });
  expect(Object.keys(of('testcase')[0]!.jsonData)).toEqual(['__proto__', 'toString']);
  expect(of('testset')[0]!.fieldMapping.inputs).toEqual(['__proto__', 'toString']);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('a fault in the last row stops the import before its first entity', async () => {
  const lines = `${'{"q": 1}\n'.repeat(1000)}{"q": `;
  expect(await faultOf('jsonl', { 'a.jsonl': lines })).toBe(
    'ImportFailure: a.jsonl, line 1001, column 7: is not JSON: the file is cut off or damaged, or of another format. Export it again.',
  );
});

test.each([
  [
    'a line that is no object',
    'jsonl',
    { 'a.jsonl': '{"q": 1}\n[2]\n' },
    'a.jsonl, line 2: is no object',
  ],
  ['a document without a list', 'json', { 'a.json': { q: 1 } }, 'a.json: has no list of entries'],
  [
    'more fields than a testset has',
    'jsonl',
    { 'a.jsonl': Array.from({ length: 2001 }, (_, n) => ({ [`f${n}`]: n })) },
    'a.jsonl, line 2001: brings the 2001th different field',
  ],
  [
    'a format that is none',
    'xlsx',
    { 'a.xlsx': 'x' },
    '"xlsx" is not a format: say one of openai-evals,',
  ],
])('%s is refused with its place', async (_name, format, files, message) => {
  expect(await faultOf(format, files)).toContain(`ImportFailure: ${message}`);
});

test('a key that a testset has twice is noted, and the first testcase is kept', async () => {
  const { of, reasons } = await importFiles('csv', { 'a.csv': 'k,q\n1,a\n1,b\n' }, { key: 'k' });
  expect(of('testcase').map(({ jsonData }) => jsonData.q)).toEqual(['a']);
  expect(reasons).toEqual(['A testcase has the key of an earlier one, which was kept alone.']);
});

test('a list of BIRD questions, alone and with predictions', async () => {
  const question = {
    question_id: 3,
    db_id: 'shop',
    question: 'How many?',
    evidence: 'e',
    SQL: 'SELECT 1',
    difficulty: 'simple',
  };
  const { of } = await importFiles('bird', {
    'dev.json': [question],
    'predict_dev.json': { 3: 'SELECT 2\t----- bird -----\tshop' },
  });
  expect(of('testset')[0]!.fieldMapping).toEqual({
    inputs: ['db_id', 'question', 'evidence'],
    expected: ['SQL'],
    metadata: ['question_id', 'difficulty', 'importedId'],
  });
  expect(of('testcase')).toMatchObject([{ key: '3', jsonData: { SQL: 'SELECT 1' } }]);
  expect(of('record')).toMatchObject([
    {
      testcaseKey: '3',
      expected: { SQL: 'SELECT 1' },
      outputs: { SQL: 'SELECT 2', db_id: 'shop' },
    },
  ]);
  expect(await faultOf('bird', { 'p.json': { 4: 'x\t----- bird -----\ty' } })).toContain(
    'p.json, at /4: predicts a question that is not there',
  );
});

test('goldens of deepeval: context is input, and an actual output is a record', async () => {
  const golden = { input: 'Where?', expected_output: 'Here.', context: ['c'], actual_output: null };
  const { of } = await importFiles('deepeval', {
    'goldens.json': [
      golden,
      {
        ...golden,
        actual_output: 'There.',
        retrieval_context: ['r'],
        additional_metadata: { topic: 't' },
      },
    ],
  });
  expect(of('testset')[0]!.fieldMapping).toEqual({
    inputs: ['input', 'context'],
    expected: ['expected_output'],
    metadata: ['topic'],
  });
  expect(of('record')).toMatchObject([
    {
      inputs: { input: 'Where?', context: ['c'] },
      outputs: { actual_output: 'There.', retrieval_context: ['r'] },
    },
  ]);
});

test('goldens of deepeval in CSV: what it joins by a bar is a list, and that is said', async () => {
  const header = 'input,actual_output,expected_output,context,retrieval_context';
  const { of, reasons } = await importFiles('deepeval', {
    'goldens.csv': `${header}\nq,,007,Geography|Mountains,\nr,,8,Rivers,\n`,
  });
  expect(of('testcase').map(({ jsonData }) => jsonData)).toEqual([
    { input: 'q', expected_output: '007', context: ['Geography', 'Mountains'] },
    { input: 'r', expected_output: '8', context: ['Rivers'] },
  ]);
  expect(reasons).toEqual([
    '"context" is a list again, cut at each "|": a text that had one is in two parts.',
  ]);
});

test('a source whose every row has a metric of its own is refused', async () => {
  const rows = Array.from({ length: 1001 }, (_, n) => ({
    id: n,
    inputs: {},
    outputs: {},
    reference_example_id: 'e',
    feedback_stats: { [`m${n}`]: { avg: 1 } },
  }));
  expect(await faultOf('langsmith', { 'a.json': rows })).toContain(
    'a.json, line 1, at /1000: brings more than 1000 metrics',
  );
});
