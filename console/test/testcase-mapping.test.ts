import { expect, test } from 'vitest';
import { mappingFor } from '../src/pages/trace/testcase-mapping.ts';

const definition = (
  fieldMapping: { inputs?: string[]; expected?: string[]; metadata?: string[] },
  types: Record<string, string> = {},
  required: string[] = [],
) => ({
  jsonSchema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
    required,
  },
  fieldMapping: { inputs: [], expected: [], metadata: [], ...fieldMapping },
});
const places = (...given: Parameters<typeof mappingFor>) =>
  Object.fromEntries(mappingFor(...given));

test('fields are mapped to values of their names: an input of the input first, an expected one of the output', () => {
  const trace = {
    input: { line: '2 cups', unit: 'of the input', topic: 'food' },
    output: { line: 'of the output', unit: 'cup', 'a/b': 1 },
    metadata: { topic: 'of the metadata' },
  };
  const fields = { inputs: ['line'], expected: ['unit', 'a/b', 'missing'], metadata: ['topic'] };
  expect(places(definition(fields), trace)).toEqual({
    line: '/input/line',
    unit: '/output/unit',
    'a/b': '/output/a~1b',
    topic: '/metadata/topic',
  });
});

test('without equal names the first field of a role takes the whole, where its type fits', () => {
  const fields = { inputs: ['hint', 'question'], expected: ['answer'] };
  const types = { question: 'string', answer: 'string' };
  const texts = { input: 'Where is it?', output: 'Here.' };
  expect(places(definition(fields, types, ['question']), texts)).toEqual({
    question: '/input',
    answer: '/output',
  });
  expect(places(definition(fields, types), texts)).toEqual({ hint: '/input', answer: '/output' });
});

test('a text that is alone in an object is found, and nothing of another type is taken', () => {
  const fields = { inputs: ['question'], expected: ['answer', 'score'] };
  const types = { question: 'string', answer: 'string', score: 'integer' };
  expect(places(definition(fields, types), { input: { q: 'Where?' }, output: { a: 1 } })).toEqual({
    question: '/input/q',
  });
  expect(places(definition(fields, types), { input: ['a'], output: { score: 2 } })).toEqual({
    score: '/output/score',
  });
  expect(places(definition(fields, types), {})).toEqual({});
});
