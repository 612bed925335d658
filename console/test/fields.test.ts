import { expect, test } from 'vitest';
import {
  type Definition,
  fieldsOf,
  noFields,
  withField,
  withoutField,
} from '../src/pages/testset/fields.ts';

const definition: Definition = {
  jsonSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: {
      question: { type: 'string', minLength: 1, description: 'As it was asked' },
      topic: { type: ['string', 'null'] },
      toString: true,
    },
    required: ['question', 'elsewhere'],
    additionalProperties: false,
  },
  fieldMapping: { inputs: ['question'], expected: ['idealAnswer'], metadata: ['topic'] },
};
const summary = (of: Definition) =>
  fieldsOf(of).map(({ name, role, type, isRequired }) => [name, role, type, isRequired]);

test('fields are those of the mapping by role, and then those that only the schema has', () => {
  expect(summary(definition)).toEqual([
    ['question', 'inputs', 'string', true],
    ['idealAnswer', 'expected', 'any', false],
    ['topic', 'metadata', 'other', false],
    ['toString', 'metadata', 'any', false],
  ]);
  expect(summary(noFields)).toEqual([]);
});

test('a change of one field leaves all else of schema and mapping', () => {
  const renamed = withField(definition, 'question', { name: 'prompt' });
  expect(renamed.jsonSchema).toEqual({
    ...definition.jsonSchema,
    properties: {
      prompt: { type: 'string', minLength: 1, description: 'As it was asked' },
      topic: { type: ['string', 'null'] },
      toString: true,
    },
    required: ['elsewhere', 'prompt'],
  });
  expect(renamed.fieldMapping.inputs).toEqual(['prompt']);
  const moved = withField(definition, 'topic', { role: 'expected' });
  expect(moved.fieldMapping).toEqual({
    inputs: ['question'],
    expected: ['idealAnswer', 'topic'],
    metadata: [],
  });
  const typed = withField(definition, 'question', { type: 'any', description: '' });
  expect(typed.jsonSchema.properties).toMatchObject({ question: { minLength: 1 } });
  expect(withField(definition, 'topic', { type: 'integer' }).jsonSchema.properties).toMatchObject({
    topic: { type: 'integer' },
  });
});

test('a field is added and taken away again', () => {
  const added = withField(noFields, '__proto__x', {
    role: 'inputs',
    type: 'number',
    isRequired: true,
  });
  expect(summary(added)).toEqual([['__proto__x', 'inputs', 'number', true]]);
  expect(summary(withoutField(added, '__proto__x'))).toEqual([]);
  expect(withoutField(added, '__proto__x').jsonSchema.required).toEqual([]);
});
