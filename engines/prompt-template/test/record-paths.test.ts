import { expect, test } from 'vitest';
import { findUnknownFields, readsRecord } from '../check.ts';

const fields = { inputs: ['question', 'context'], expected: ['answer'] };

test.each([
  ['Is it right?', false],
  ['{{ guidelines }}', false],
  ['{% for inputs in [1] %}{{ inputs }}{% endfor %}', false],
  ['{{ outputs.answer }}', true],
  ['{{ all | tojson }}', true],
  ['{% if expected %}yes{% endif %}', true],
  ['{{ first.outputs.a }}', true],
  ['{{ ', true],
])('%s: reads something of the record: %s', (source, reads) => {
  expect(readsRecord(source)).toBe(reads);
});

test.each([
  ['{{ inputs.question }} {{ expected["answer"] }} {{ outputs.whatever }}', []],
  ['{{ inputs | tojson }} {{ inputs.items() }} {{ inputs[name] }}', []],
  [
    '{{ inputs.questoin }}',
    [
      'inputs.questoin is read, and no testset of the project has such a field. Did you mean inputs.question?',
    ],
  ],
  [
    '{{ inputs["answer"].text }}',
    [
      'inputs.answer is read, and no testset of the project has such a field. Did you mean expected.answer?',
    ],
  ],
  [
    '{{ all.inputs.topic }} {{ allInputs.topic }}',
    ['inputs.topic is read, and no testset of the project has such a field.'],
  ],
])('%s: tells the fields that no testset has', (source, messages) => {
  expect(findUnknownFields(source, fields).map(({ message }) => message)).toEqual(messages);
});

test('an unknown field is told at its place, once', () => {
  expect(findUnknownFields('a\n {{ inputs.q }} {{ inputs.q }}', fields)).toEqual([
    expect.objectContaining({ line: 2, column: 5 }),
  ]);
});
