import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createSchemaChecker } from '../schema.ts';

const checker = createSchemaChecker({ timeoutMs: 20_000, workers: 1 });
afterAll(() => checker.close());

const check = (schema: unknown) =>
  checker.check(typeof schema === 'string' ? schema : JSON.stringify(schema));

let schemas = 0;
async function problemsOf(schema: unknown, ...documents: unknown[]) {
  const texts = documents.map((document) =>
    typeof document === 'string' ? document : JSON.stringify(document),
  );
  const schemaText = typeof schema === 'string' ? schema : JSON.stringify(schema);
  return checker.validate({ schemaText, schemaHash: String(schemas++), documents: texts });
}

const draft = (number: string) => `http://json-schema.org/draft-0${number}/schema#`;
const later = (name: string) => `https://json-schema.org/draft/${name}/schema`;

describe('a schema that cannot be used is refused with its place', () => {
  const outside = [
    'https://example.com/other.json',
    'other.json',
    'http://json-schema.org/draft-07/schema#',
    'urn:x:y',
    'file:///etc/passwd',
  ];
  test.each(outside)('a reference to %s, outside the schema', async ($ref) => {
    expect(await check({ properties: { a: { items: { $ref } } } })).toMatchObject([
      { path: '/properties/a/items/$ref' },
    ]);
  });
  test.each(['#/nope', '#/properties/a/toString', '#nope', '#/required'])(
    'a reference to %s, where no schema is',
    async ($ref) => {
      expect(await check({ required: ['x'], properties: { a: { $ref } } })).toMatchObject([
        { path: '/properties/a/$ref' },
      ]);
    },
  );
  test.each([
    ['a look-ahead', { properties: { 'a/b': { pattern: '(?=a)' } } }, '/properties/a~1b/pattern'],
    ['a back-reference', { patternProperties: { '(a)\\1': {} } }, '/patternProperties/(a)\\1'],
    [
      'a pattern behind a reference to an unknown keyword',
      { $ref: '#/x/y', x: { y: { pattern: '(?!a)' } } },
      '/x/y/pattern',
    ],
    ['an unknown dialect', { $schema: 'https://example.com/dialect' }, '/$schema'],
    ['a dialect that is no text', { $schema: 3 }, '/$schema'],
    ['another dialect inside', { $defs: { a: { $schema: draft('7') } } }, '/$defs/a/$schema'],
    ['an unknown type', { properties: { a: { type: 'text' } } }, '/properties/a/type'],
    ['a negative length', { $schema: draft('6'), items: { minLength: -1 } }, '/items/minLength'],
    ['properties that are no object', { $schema: later('2019-09'), properties: 3 }, '/properties'],
    [
      'draft 4 exclusiveMinimum without minimum',
      { $schema: draft('4'), exclusiveMinimum: true },
      '/exclusiveMinimum',
    ],
    [
      'draft 4 exclusiveMaximum as a number',
      { $schema: draft('4'), maximum: 3, exclusiveMaximum: 4 },
      '/exclusiveMaximum',
    ],
    ['half of a surrogate pair in a name', { properties: { '\ud800': {} } }, '/properties/\ud800'],
    [
      'dependents of __proto__',
      '{"dependentRequired":{"__proto__":["a"]}}',
      '/dependentRequired/__proto__',
    ],
    ['text that is no JSON', '{"type"', ''],
    ['an array', '[]', ''],
    ['a reference to itself', { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, ''],
  ])('%s', async (_what, schema, path) => {
    expect(await check(schema)).toMatchObject([{ path, message: expect.stringMatching(/\.$/) }]);
  });
  test('all faults are reported, not only the first', async () => {
    const found = await check({
      properties: { a: { type: 'x' }, b: { pattern: '(' }, c: { $ref: '#/d' } },
    });
    expect(found.map(({ path }) => path)).toEqual([
      '/properties/a/type',
      '/properties/b/pattern',
      '/properties/c/$ref',
    ]);
  });
  test('unknown keywords and formats, and what lies under default and const, are no fault', async () => {
    expect(
      await check({
        format: 'colour',
        'x-order': { pattern: '(?=a)' },
        default: { $ref: 'http://x' },
        const: { $ref: '#/y' },
        nullable: true,
      }),
    ).toEqual([]);
  });
});

describe('every dialect checks by its own rules', () => {
  test.each([
    [
      'draft 4',
      {
        $schema: draft('4'),
        id: 'http://x/y',
        properties: { a: { minimum: 3, exclusiveMinimum: true } },
      },
      { a: 3 },
      'more than 3',
    ],
    [
      'draft 6',
      { $schema: draft('6'), properties: { a: { exclusiveMinimum: 3 } } },
      { a: 3 },
      'more than 3',
    ],
    [
      'draft 7',
      `{"$schema":"${draft('7')}","if":{"required":["a"]},"then":{"required":["b"]}}`,
      { a: 3 },
      '"b" is required',
    ],
    [
      '2019-09',
      {
        $schema: later('2019-09'),
        $recursiveAnchor: true,
        properties: { a: { $recursiveRef: '#' }, b: { type: 'null' } },
      },
      { a: { b: 1 } },
      '"a.b" must be null',
    ],
    [
      '2020-12',
      { $schema: later('2020-12'), properties: { a: { prefixItems: [{ type: 'null' }] } } },
      { a: [1] },
      '"a[0]" must be null',
    ],
    [
      '2020-12 when none is named',
      { $dynamicAnchor: 'n', properties: { a: { $dynamicRef: '#n' }, b: { type: 'null' } } },
      { a: { b: 1 } },
      '"a.b" must be null',
    ],
  ])('%s', async (_name, schema, document, message) => {
    expect(await check(schema)).toEqual([]);
    expect(await problemsOf(schema, document, {})).toEqual([
      [{ path: expect.stringMatching(/^\/data/), message: expect.stringContaining(message) }],
      [],
    ]);
  });
  test('draft 6 has no if, and what stands beside a $ref counts from 2019-09 on only', async () => {
    expect(await problemsOf(`{"$schema":"${draft('6')}","if":true,"then":false}`, {})).toEqual([
      [],
    ]);
    const beside = {
      definitions: { a: {} },
      properties: { a: { $ref: '#/definitions/a', type: 'null' } },
    };
    expect(await problemsOf({ $schema: draft('7'), ...beside }, { a: 1 })).toEqual([[]]);
    expect(await problemsOf({ $schema: later('2019-09'), ...beside }, { a: 1 })).toMatchObject([
      [{ path: '/data/a' }],
    ]);
  });
  test('pointers, anchors and identifiers inside the schema resolve', async () => {
    const $defs = {
      x: { $id: 'x.json', $anchor: 'k', type: 'string' },
      'y/%': { $anchor: 'z', type: 'string' },
    };
    const references = {
      a: 'x.json',
      b: 'x.json#k',
      c: '#z',
      d: '#/$defs/y~1%25',
      e: 'https://a.b/x.json',
    };
    const properties = Object.fromEntries(
      Object.entries(references).map(([name, $ref]) => [name, { $ref }]),
    );
    const [found] = await problemsOf(
      { $id: 'https://a.b/c.json', $defs, properties },
      { a: 1, b: 1, c: 1, d: 1, e: 1 },
    );
    expect(found?.map(({ path }) => path)).toEqual([
      '/data/a',
      '/data/b',
      '/data/c',
      '/data/d',
      '/data/e',
    ]);
  });
  test('each pattern is its own', async () => {
    const [found] = await problemsOf(
      { properties: { a: { pattern: '^a' }, b: { pattern: '^b' } } },
      { a: 'a', b: 'a' },
    );
    expect(found).toEqual([
      { path: '/data/b', message: '"b" must match the pattern "^b", but it is "a".' },
    ]);
  });
});

describe('problems are sentences for people', () => {
  test('the examples of the contract', async () => {
    const schema = {
      properties: { question: { type: 'string' }, idealAnswer: { type: 'string' } },
      required: ['question'],
      additionalProperties: false,
    };
    const [found] = await problemsOf(schema, { idealAnswer: 3, 'a/b~': 1 });
    expect(found).toEqual([
      { path: '/data', message: '"question" is required, but it is missing.' },
      { path: '/data/a~1b~0', message: '"a/b~" is not allowed: the schema has no such field.' },
      { path: '/data/idealAnswer', message: '"idealAnswer" must be a string, but it is a number.' },
    ]);
  });
  test.each([
    [{ enum: ['x', 1] }, 2, '"a" must be one of "x", 1, but it is 2.'],
    [{ const: { b: 1 } }, { b: 2 }, '"a" must be {"b":1}, but it is {"b":2}.'],
    [{ minimum: 1 }, 0, '"a" must be at least 1, but it is 0.'],
    [{ maximum: 1 }, 2, '"a" must be at most 1, but it is 2.'],
    [{ exclusiveMaximum: 1 }, 1, '"a" must be less than 1, but it is 1.'],
    [{ multipleOf: 0.01 }, 0.001, '"a" must be a multiple of 0.01, but it is 0.001.'],
    [{ minLength: 2 }, '😀', '"a" must have at least 2 characters, but it has 1.'],
    [{ maxLength: 1 }, 'ab', '"a" must have at most 1 character, but it has 2.'],
    [{ format: 'email' }, 'x', '"a" must be a valid e-mail address, but it is "x".'],
    [{ type: 'integer' }, 1.5, '"a" must be an integer, but it is the number 1.5.'],
    [{ type: ['string', 'null'] }, [], '"a" must be a string or null, but it is an array.'],
    [{ minItems: 1 }, [], '"a" must have at least 1 item, but it has 0.'],
    [{ maxItems: 1 }, [1, 2], '"a" must have at most 1 item, but it has 2.'],
    [{ prefixItems: [{}], items: false }, [1, 2], '"a" must have at most 1 item, but it has 2.'],
    [
      { prefixItems: [{}], unevaluatedItems: false },
      [1, 2],
      '"a" must have at most 1 item, but it has 2.',
    ],
    [
      { uniqueItems: true },
      [1, { b: 1, c: 2 }, { c: 2, b: 1 }],
      '"a" must have no repeated items, but items 1 and 2 are the same.',
    ],
    [
      { contains: { type: 'null' } },
      [1],
      '"a" must have at least 1 item of the kind that its schema asks for.',
    ],
    [{ minProperties: 1 }, {}, '"a" must have at least 1 field, but it has 0.'],
    [{ maxProperties: 0 }, { b: 1 }, '"a" must have at most 0 fields, but it has 1.'],
    [
      { propertyNames: { maxLength: 1 } },
      { bc: 1 },
      '"a.bc" is not allowed as the name of a field.',
    ],
    [
      { dependentRequired: { b: ['c'] } },
      { b: 1 },
      '"a.c" is required when "b" is there, but it is missing.',
    ],
    [
      { unevaluatedProperties: false },
      { b: 1 },
      '"a.b" is not allowed: no part of the schema has such a field.',
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      '"a" must be a string or null, but it is a number.',
    ],
    [
      { anyOf: [{ $ref: '#/$defs/s' }, { type: 'null' }] },
      1,
      '"a" must be a string or null, but it is a number.',
    ],
    [
      { anyOf: [{ minimum: 5 }, { multipleOf: 2 }] },
      1,
      '"a" must match at least one of 2 forms, but it matches none; it is a number.',
    ],
    [
      { oneOf: [{}, { minimum: 0 }] },
      1,
      '"a" must match exactly one of 2 forms, but it matches more than one.',
    ],
    [{ not: { type: 'number' } }, 1, '"a" must not be a number.'],
    [
      JSON.parse('{"if":{"minimum":1},"then":{"multipleOf":2}}'),
      3,
      '"a" must be a multiple of 2, but it is 3.',
    ],
    [false, 1, '"a" is not allowed.'],
  ])('%j against %j', async (rule, value, message) => {
    const schema = { $defs: { s: { type: 'string' } }, properties: { a: rule } };
    const [found] = await problemsOf(schema, { a: value });
    expect(found?.map((each) => each.message)).toEqual([message]);
  });
  test('a document has at most 100 problems', async () => {
    const [found] = await problemsOf(
      { properties: { a: { items: { type: 'null' } } } },
      { a: Array.from({ length: 1000 }, () => 1) },
    );
    expect(found).toHaveLength(100);
  });
  test('documents come as text or bytes, and what is no JSON is a problem of that document alone', async () => {
    const documents = [Buffer.from('{"a":1}'), Buffer.from('{"a"'), Buffer.from('{"a":"x"}')];
    const found = await checker.validate({
      schemaText: '{"properties":{"a":{"type":"string"}}}',
      schemaHash: 'bytes',
      documents,
    });
    expect(found.map((problems) => problems.map(({ path }) => path))).toEqual([
      ['/data/a'],
      ['/data'],
      [],
    ]);
  });
});

describe('names that objects inherit are ordinary field names', () => {
  const inherited = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'];
  test('required', async () => {
    const [missing, there] = await problemsOf(
      { required: inherited },
      {},
      `{${inherited.map((name) => `"${name}":1`).join(',')}}`,
    );
    expect(missing).toHaveLength(inherited.length);
    expect(there).toEqual([]);
  });
  test.each(inherited)(
    '%s in properties, additionalProperties and unevaluatedProperties',
    async (name) => {
      for (const closing of ['additionalProperties', 'unevaluatedProperties']) {
        const schema = `{"properties":{"${name}":{"type":"string"}},"${closing}":false}`;
        const found = await problemsOf(schema, `{"${name}":1}`, `{"${name}":"x"}`, '{}');
        expect(found.map((problems) => problems.map(({ path }) => path))).toEqual([
          [`/data/${name}`],
          [],
          [],
        ]);
      }
    },
  );
  test('toString is unevaluated although objects inherit it', async () => {
    const schema = { anyOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(await problemsOf(schema, '{"a":1,"toString":1}')).toMatchObject([
      [{ path: '/data/toString' }],
    ]);
  });
  test('as formats they are unknown ones, and inside enum, const and uniqueItems values like any other', async () => {
    expect(await problemsOf({ format: 'valueOf' }, '"x"')).toEqual([[]]);
    expect(
      await problemsOf('{"const":{"constructor":{"a":1}}}', '{"constructor":{"a":1}}'),
    ).toEqual([[]]);
    expect(
      await problemsOf(
        { uniqueItems: true },
        '[{"valueOf":1},{"valueOf":1}]',
        '[{"valueOf":1},{"valueOf":2}]',
      ),
    ).toMatchObject([[{}], []]);
  });
});

describe('laws', () => {
  test('a document is equal to its own const whatever it holds, and never to that of a different one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (left, right) => {
        const [own, other] = await problemsOf(
          `{"const":${JSON.stringify(left)}}`,
          JSON.stringify(left),
          JSON.stringify([left, right]),
        );
        expect(own).toEqual([]);
        expect(other).toHaveLength(1);
      }),
      { numRuns: volume(60) },
    );
  });
  test('whatever JSON is sent as a schema gets an answer of places and sentences', async () => {
    const word = fc.constantFrom(
      'type',
      'properties',
      '$ref',
      'items',
      '$id',
      '$defs',
      'enum',
      'pattern',
      'allOf',
      '$anchor',
      '$dynamicRef',
      '__proto__',
      'not',
      '$schema',
    );
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(1, true, 'string', '#', '#/$defs', '(', null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(word, tie('node'), { maxKeys: 4 }),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(word, tree, { maxKeys: 5 }), async (schema) => {
        for (const { path, message } of await check(schema)) {
          expect(path).toMatch(/^(\/.*)?$/);
          expect(message).toMatch(/\.$/);
        }
      }),
      { numRuns: volume(200) },
    );
  });
});
