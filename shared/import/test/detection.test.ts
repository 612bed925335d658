import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ImportFailure } from '../failure.ts';
import { detectFormat, detectSource, formats, whyNoFormat } from '../formats.ts';
import { fileOf, fileOfBlob, readHead, sourceOf } from '../source.ts';
import { zipOf } from './archive.ts';
import { filesOf } from './imported.ts';

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

const heads: [format: string, name: string, content: unknown][] = [
  ['csv', 'a.csv', 'question,answer\n1,2\n'],
  ['csv', 'a.tsv', 'question\tanswer\n'],
  ['json', 'a.json', [{ question: 1 }]],
  ['json', 'a.json', { data: [{ question: 1 }] }],
  ['jsonl', 'a.jsonl', line({ question: 1 }) + line({ question: 2 })],
  ['jsonl', 'a.jsonl', line({ question: 1 })],
  ['promptfoo', 'out.json', { evalId: 'x', results: { version: 3, results: [] }, config: {} }],
  ['promptfoo', 'results.jsonl', line({ promptIdx: 0, testIdx: 0, vars: {} })],
  ['promptfoo', 'promptfooconfig.yaml', 'prompts: []\n'],
  ['promptfoo', 'my.yaml', 'prompts: [a]\nproviders: [b]\n'],
  ['openai-evals', 'e.json', { object: 'eval', id: 'e', testing_criteria: [] }],
  ['openai-evals', 'i.json', { object: 'list', data: [{ object: 'eval.run.output_item' }] }],
  ['langfuse', 'i.csv', 'id,input,expectedOutput,metadata,sourceTraceId\n'],
  [
    'langfuse',
    'i.json',
    { data: [{ id: 1, datasetRunName: 'r', datasetItemId: 'i', traceId: 't' }] },
  ],
  ['langfuse', 'i.jsonl', line({ id: 1, input: 1, expectedOutput: 2, datasetName: 'x' })],
  ['langsmith', 'd.jsonl', line({ inputs: {}, outputs: {} })],
  ['langsmith', 'e.csv', 'inputs,outputs,feedback.correct\n'],
  ['inspect', 'l.json', { version: 2, status: 'success', eval: {}, samples: [] }],
  ['inspect', 'l.eval', zipOf([{ name: 'header.json', bytes: Buffer.from('{}') }])],
  ['lm-evaluation-harness', 'samples_a.jsonl', line({ doc_id: 0, doc: {}, target: '' })],
  ['phoenix', 'e.json', [{ example_id: 'x', repetition_number: 1, input: 1, reference_output: 2 }]],
  ['phoenix', 'd.csv', 'example_id,input_q,output_a\n'],
  [
    'braintrust',
    'e.json',
    [{ id: 1, input: 1, output: 1, expected: 2, scores: {}, root_span_id: 'r', span_id: 'r' }],
  ],
  ['parquet', 'x.parquet', Buffer.from('PAR1....')],
  ['evals-repository', 'samples.jsonl', line({ input: [], ideal: 'x' })],
  [
    'evals-repository',
    'log.jsonl',
    line({ spec: { completion_fns: ['x'] } }) + line({ run_id: 'r' }),
  ],
  ['helm', 'scenario_state.json', { adapter_spec: {}, request_states: [] }],
  ['bird', 'dev.json', [{ question_id: 0, db_id: 'd', question: 'q', evidence: '', SQL: '' }]],
  [
    'deepeval',
    'g.json',
    [{ input: 'x', actual_output: null, expected_output: 'y', context: null }],
  ],
];

test.each(heads)('%s is told by the head of %s %#', async (format, name, content) => {
  const [file] = filesOf({ [name]: content });
  expect(detectFormat(await readHead(file!), name)?.format).toBe(format);
});

test('what is no format is none', () => {
  const workbook = zipOf([{ name: 'xl/workbook.xml', bytes: Buffer.from('<x/>') }]);
  expect(detectFormat(workbook, 'book.xlsx')).toBeUndefined();
  expect(detectFormat(Buffer.from('hello'), 'a.txt')).toBeUndefined();
  expect(detectFormat(new Uint8Array(0), 'a.bin')).toBeUndefined();
});

test.each([
  [
    'half an archive',
    zipOf([{ name: 'a.csv', bytes: Buffer.from('a,b') }]).subarray(0, 40),
    'x: is a zip archive',
  ],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'x: is neither text nor'],
  ['a program', Buffer.from('\x7fELF\0\0\0\0'), 'x: is neither text nor'],
])('%s says why it cannot be read', async (_, bytes, sentence) => {
  const why = await whyNoFormat({ name: 'x', files: filesOf({ x: bytes }) });
  expect(why?.message).toContain(sentence);
});

test('text of no format is left to a person, also when its head ends within a character', async () => {
  const text = 'é'.repeat(100_000);
  for (const content of [text, `a${text}`])
    expect(await whyNoFormat({ name: 'x', files: filesOf({ x: content }) })).toBeUndefined();
});

test('a head that ends in the middle of a value is enough', () => {
  const text = JSON.stringify([
    { question_id: 0, db_id: 'd', question: 'q', SQL: 'x'.repeat(500), z: 1 },
  ]);
  expect(detectFormat(Buffer.from(text.slice(0, 100)), 'dev.json')?.format).toBe('bird');
});

test('a folder is what its surest file is', async () => {
  const files = filesOf({
    'r/notes.csv': 'a,b\n',
    'r/scenario_state.json': { request_states: [] },
  });
  expect(await detectSource({ name: 'r', files })).toEqual({ format: 'helm', confidence: 0.9 });
});

test('bytes of any kind, in any format, are entities or one failure with a sentence', async () => {
  const start = fc.constantFrom(
    '',
    '{',
    '[{"a":',
    '[[[',
    'a,b\n',
    '"',
    'PK\x03\x04',
    'PAR1',
    '\xff\xfe',
    '{"results":{"results":[',
    '{"version":2,"eval":{},"samples":[',
    '[{"doc_id":0},',
  );
  const rest = fc.string({
    unit: fc.constantFrom('"', '{', '}', '[', ']', ',', ':', 'a', '1', '\n', '\\', '\0', 'é'),
    maxLength: 60,
  });
  const name = fc.constantFrom('a.json', 'a.jsonl', 'a.csv', 'a.eval', 'scenario_state.json');
  await fc.assert(
    fc.asyncProperty(
      start,
      rest,
      name,
      fc.constantFrom(...formats),
      async (head, tail, name, format) => {
        const file = fileOf(name, Buffer.from(head + tail, 'latin1'));
        try {
          for await (const entity of format.read(sourceOf(file))) expect(entity.kind).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(ImportFailure);
          expect((error as Error).message).toMatch(/\.$/);
        }
      },
    ),
    { numRuns: volume(1000) },
  );
});

test('a blob of a browser or of a file is a source', async () => {
  const blob = new Blob(['question\n', 'Where?\n']);
  const file = fileOfBlob('a.csv', blob);
  const kinds: string[] = [];
  for await (const { kind } of formats.find(({ name }) => name === 'csv')!.read(sourceOf(file)))
    kinds.push(kind);
  expect(kinds).toEqual(['testset', 'testcase']);
});
