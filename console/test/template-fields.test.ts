import { expect, test } from 'vitest';
import {
  expressionsIn,
  fieldsOf,
  isAbsent,
  withField,
} from '../src/pages/metric/template-fields.ts';

const template = `{% set question = inputs.question -%}
{% set answer = outputs["the answer"] -%}

Is {{ answer }} right?
{% set later = 1 -%}`;

test('the fields of a template are the lines that it begins with', () => {
  expect(fieldsOf(template)).toEqual([
    { name: 'question', expression: 'inputs.question' },
    { name: 'answer', expression: 'outputs["the answer"]' },
  ]);
  expect(fieldsOf('Is {{ outputs }} right?')).toEqual([]);
});

test('a field reads whatever is typed, also while that is no expression yet', () => {
  const typed = ['', 'outputs.', 'a -%}', '$&'];
  for (const expression of typed) {
    const changed = withField(template, { name: 'answer', expression });
    expect(fieldsOf(changed)[1]).toEqual({ name: 'answer', expression });
    expect(withField(changed, fieldsOf(template)[1]!)).toBe(template);
  }
  expect(withField(template, { name: 'later', expression: '2' })).toBe(template);
});

test('all that a record and its testset have can be read, names of every kind', () => {
  const values = { inputs: {}, outputs: { steps: [{ 'a "b" \\': 1 }], 'x/y': 2 } };
  const testset = { fieldMapping: { inputs: ['user name'], expected: ['ideal'], metadata: [] } };
  expect(expressionsIn(values, testset as never)).toEqual([
    'inputs',
    'inputs["user name"]',
    'expected',
    'expected.ideal',
    'outputs',
    'outputs.steps',
    'outputs["x/y"]',
    'outputs.steps[0]',
    'outputs.steps[0]["a \\"b\\" \\\\"]',
  ]);
});

test.each([
  ['inputs.question', false],
  ['inputs', false],
  ['inputs.questions', true],
  ['inputs.toString', true],
  ['inputs.question.text', true],
  ['outputs.steps[0]["a \\"b\\""]', false],
  ['outputs.steps[1]', true],
  ['outputs.steps | last', false],
  ['expected.answer', false],
  ['answer', false],
])('of %s it is %s that the record certainly lacks it', (expression, isMissing) => {
  const values = { inputs: { question: 'Why?' }, outputs: { steps: [{ 'a "b"': 1 }] } };
  expect(isAbsent(expression, values)).toBe(isMissing);
});
