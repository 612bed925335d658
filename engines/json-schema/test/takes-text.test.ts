import { describe, expect, test } from 'vitest';
import { takesText } from '../takes-text.ts';

const definitions = { $defs: { text: { type: 'string' }, object: { type: 'object' } } };

describe('a text as it stands may meet a schema', () => {
  test.each([
    { type: 'string' },
    { type: ['null', 'string'] },
    ...[{ minLength: 1 }, { maxLength: 280 }, { pattern: 'a' }, { format: 'date' }],
    ...[{ contentEncoding: 'base64' }, { contentMediaType: 'text/html' }, { contentSchema: {} }],
    ...[{ const: 'yes' }, { enum: [1, 'yes'] }],
    { minLength: 1, required: ['city'] },
    { anyOf: [{ type: 'object' }, { type: 'string' }] },
    { oneOf: [{ type: 'object' }, { enum: ['none'] }] },
    { allOf: [{ anyOf: [{ maxLength: 3 }, { type: 'object' }] }] },
    { $ref: '#/$defs/text', ...definitions },
    { anyOf: [{ $ref: '#/$defs/object' }, { $ref: '#/$defs/text' }], ...definitions },
    { $ref: '#letters', $defs: { a: { $anchor: 'letters', type: 'string' } } },
    { $ref: '#', maxLength: 280 },
  ])('that asks for one: %j', (schema) => {
    expect(takesText(schema)).toBe(true);
  });

  test.each([
    true,
    false,
    {},
    { description: 'Anything.', $defs: { a: { type: 'object' } } },
    { not: { type: 'object' } },
    { $ref: '#' },
    { anyOf: [true, { title: 'Anything.' }] },
  ])('that does not say what a value is: %j', (schema) => {
    expect(takesText(schema)).toBe(true);
  });

  test.each([
    { type: 'object' },
    { type: ['integer', 'null'] },
    { const: 1 },
    { enum: [1, null, ['yes']] },
    { required: ['city'] },
    { required: ['city'], properties: { city: { type: 'string' } } },
    { items: { type: 'string' } },
    { minimum: 0 },
    { uniqueItems: true },
    { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { anyOf: [true, { type: 'object' }] },
    { $ref: '#/$defs/object', ...definitions },
    { type: 'object', not: { type: 'string' } },
    // Before 2019-09 nothing counts beside a reference.
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/a',
      type: 'string',
      definitions: { a: { type: 'object' } },
    },
  ])('but not %j', (schema) => {
    expect(takesText(schema)).toBe(false);
  });
});
