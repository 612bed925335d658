import { describeJudgeTemplates } from '@assay/judge-templates/describe';
import { expect, test } from 'vitest';
import { adoptedDraft } from '../src/pages/metric/adopted-draft.ts';
import { firstDraft } from '../src/pages/metric/draft.ts';
import type { JudgeTemplate } from '../src/pages/metric/judge-library.tsx';
import type { Testset } from '../src/pages/metric/names.ts';
import { fieldsOf } from '../src/pages/metric/template-fields.ts';
import { outputNameIn, outputsOf } from '../src/pages/metric/typed-outputs.ts';

const correctness = describeJudgeTemplates().find(
  ({ name }) => name === 'correctness',
) as unknown as JudgeTemplate;
const testset = (inputs: string[], expected: string[]) =>
  ({ fieldMapping: { inputs, expected, metadata: [] } }) as unknown as Testset;
const readBy = (...[known]: [Parameters<typeof adoptedDraft>[1]]) =>
  Object.fromEntries(
    fieldsOf(adoptedDraft(correctness, known).promptTemplate).map(({ name, expression }) => [
      name,
      expression,
    ]),
  );

/** Where the template itself reads. */
const usual = readBy({ testsets: [], values: {} });

test('a ready-made judge reads the only field that the testset has, and the only output of a record', () => {
  expect(
    readBy({ testsets: [testset(['line'], ['answer'])], values: { outputs: { text: 'x' } } }),
  ).toEqual({ ...usual, reference: 'expected.answer', answer: 'outputs.text' });
});

test('without a testset it reads what the record has', () => {
  expect(
    readBy({
      testsets: [],
      values: { inputs: { Question: 1 }, expected: { 'a b': 1 }, outputs: { text: 1 } },
    }),
  ).toEqual({
    question: 'inputs.Question',
    reference: 'expected["a b"]',
    answer: 'outputs.text',
  });
});

test('where several could be meant, or nothing is known, it reads what its template says', () => {
  expect(
    readBy({
      testsets: [testset(['a', 'b'], ['c']), testset([], ['d'])],
      values: { outputs: { e: 1, f: 2 } },
    }),
  ).toEqual(usual);
});

test('a typed answer is the output that the draft reads, or all outputs where it is an object', () => {
  const judge = { ...firstDraft, promptTemplate: 'Is {{ outputs.response }} {{ outputs.b }}?' };
  expect(outputNameIn(judge)).toBe('response');
  expect(outputNameIn(firstDraft)).toBe('answer');
  expect(outputNameIn({ ...judge, scorer: 'builtin', options: { output: '/a~1b/c' } })).toBe('a/b');
  expect(outputNameIn({ ...judge, scorer: 'code', source: 'outputs.text.length' })).toBe('text');
  expect(outputsOf('Paris', 'text')).toEqual({ text: 'Paris' });
  expect(outputsOf('{"a": 1}', 'text')).toEqual({ a: 1 });
  expect(outputsOf('{ not JSON', 'text')).toEqual({ text: '{ not JSON' });
});
