import { volume } from '@assay/testing/volume';
import { afterAll, describe, expect, test } from 'vitest';
import { schemaLimits } from '../limits.ts';
import { createSchemaChecker } from '../schema.ts';

const checker = createSchemaChecker({ workers: 2 });
/**
 * For what must be done and takes long: a deadline that a busy machine does not reach by itself.
 */
const patient = createSchemaChecker({ timeoutMs: 60_000, workers: 2 });
/** Gives up soon, but not while a worker starts on a busy machine. */
const impatient = createSchemaChecker({ timeoutMs: 2_500, workers: 2 });
afterAll(() => Promise.all([checker, patient, impatient].map((each) => each.close())));

const text = (schema: unknown) => JSON.stringify(schema);
const times = <Value>(count: number, make: (position: number) => Value) =>
  Array.from({ length: count }, (_, position) => make(position));
const named = <Value>(count: number, make: (position: number) => Value) =>
  Object.fromEntries(times(count, (position) => [`f${position}`, make(position)]));
const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;

const doublings = (count: number) =>
  text({
    $defs: named(count + 1, (position) =>
      position === count
        ? { type: 'object' }
        : { allOf: [{ $ref: `#/$defs/f${position + 1}` }, { $ref: `#/$defs/f${position + 1}` }] },
    ),
    $ref: '#/$defs/f0',
  });

// Twice into every level of the document: harmless to look at, 2^depth to run.
const doublesByLevel = text({
  $defs: {
    n: {
      allOf: [
        { properties: { a: { $ref: '#/$defs/n' } } },
        { properties: { a: { $ref: '#/$defs/n' } } },
      ],
    },
  },
  $ref: '#/$defs/n',
});
const levels = (count: number) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`;

const disposable = <Checker extends { close(): Promise<void> }>(checker: Checker) => ({
  ...checker,
  [Symbol.asyncDispose]: () => checker.close(),
});

const small = () => checker.check('{"type":"object"}');

describe('a schema that costs too much is refused, and a small one is answered meanwhile', () => {
  test.each([
    ['22 doublings of references', doublings(22), /multiply/],
    [
      '10,000 properties',
      text({ properties: named(10_000, () => true) }),
      /property names|subschemas/,
    ],
    ['10,000 levels', nested(10_000), /deep/],
    ['levels just over the cap', nested(schemaLimits.depthMax + 1), /deep/],
    ['100,000 brackets', '['.repeat(100_000), /not valid JSON/],
    ['a huge enum', text({ enum: times(20_000, (position) => position) }), /enum/],
    [
      '2,000 references',
      text({ allOf: times(2000, () => ({ $ref: '#/$defs/a' })), $defs: { a: {} } }),
      /references/,
    ],
    ['1,000 patterns', text({ patternProperties: named(1000, () => ({})) }), /patterns/],
    ['a long pattern', text({ pattern: 'a'.repeat(10_000) }), /pattern has/],
    ['repetitions of repetitions', text({ pattern: '((a{1000}){1000}){1000}' }), /RE2/],
    [
      'patterns of many repetitions',
      text({ properties: named(100, () => ({ pattern: 'a{1000}' })) }),
      /instructions/,
    ],
    ['more than 256 KiB', text({ description: 'x'.repeat(schemaLimits.schemaBytesMax) }), /bytes/],
    [
      'an explosion of allOf',
      text({
        $defs: named(6, (position) => ({
          allOf: times(10, () => (position === 5 ? {} : { $ref: `#/$defs/f${position + 1}` })),
        })),
        $ref: '#/$defs/f0',
      }),
      /multiply/,
    ],
  ])('%s', async (_what, schema, reason) => {
    const [found, meanwhile] = await Promise.all([checker.check(schema), small()]);
    expect(found[0]?.message).toMatch(reason);
    expect(meanwhile).toEqual([]);
  });

  test('a schema at the caps is accepted: 4,900 properties, 14 doublings, 127 levels', async () => {
    expect(
      await patient.check(text({ properties: named(4_900, () => ({ type: 'string' })) })),
    ).toEqual([]);
    expect(await patient.check(doublings(14))).toEqual([]);
    expect(await patient.check(nested(schemaLimits.depthMax - 1))).toEqual([]);
  });
});

describe('a document that costs too much has one problem', () => {
  test('one that would take for ever, while small ones are answered before it', async () => {
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const bomb = checker.validate({
      schemaText: doublesByLevel,
      schemaHash: 'levels',
      documents: [levels(60)],
    });
    const others = [
      small(),
      checker.validate({ schemaText: '{"type":"null"}', schemaHash: 'small', documents: ['1'] }),
    ];
    await Promise.all([
      bomb.then(note('bomb')),
      ...others.map((other) => other.then(note('small'))),
    ]);
    expect(order).toEqual(['small', 'small', 'bomb']);
    const problem = {
      path: '/data',
      message: expect.stringContaining('too long'),
      isUnchecked: true,
    };
    expect(await bomb).toEqual([[problem]]);
  });

  test('the other documents of its batch are checked all the same', async () => {
    const documents = ['{"a":1}', levels(60), '"x"', '{'];
    const found = await impatient.validate({
      schemaText: doublesByLevel,
      schemaHash: 'batch',
      documents,
    });
    expect(found.map((problems) => problems[0]?.message)).toEqual([
      undefined,
      expect.stringContaining('too long'),
      undefined,
      'The data is not valid JSON.',
    ]);
  });

  test('several bombs at once leave a worker to others', async () => {
    const order: string[] = [];
    const bombs = times(2, (position) =>
      impatient.validate({
        schemaText: doublesByLevel,
        schemaHash: 'batch',
        documents: [levels(60 + position)],
      }),
    );
    const last = Promise.all(bombs).then(() => order.push('bombs'));
    await impatient.check('{"type":"object"}').then(() => order.push('small'));
    await last;
    expect(order).toEqual(['small', 'bombs']);
  });

  test('the largest document is checked, a larger one has a problem, and neither ends the service', async () => {
    await using own = disposable(createSchemaChecker({ timeoutMs: 60_000, workers: 1 }));
    const largest = `[${'{},'.repeat(schemaLimits.documentBytesMax / 3 - 1)}{}]`;
    const documents = ['1', `${largest}  `, largest];
    const found = await own.validate({
      schemaText: '{"items":{"required":["a"]}}',
      schemaHash: 'objects',
      documents,
    });
    expect(found.map((problems) => problems.length)).toEqual([0, 1, 100]);
    expect(await small()).toEqual([]);
  });

  test('a document deeper than the stack is answered', async () => {
    const schemaText = text({ $defs: { n: { items: { $ref: '#/$defs/n' } } }, $ref: '#/$defs/n' });
    const found = await patient.validate({
      schemaText,
      schemaHash: 'deep',
      documents: ['['.repeat(100_000) + ']'.repeat(100_000), '[]'],
    });
    expect(found).toEqual([
      [{ path: '/data', message: expect.stringContaining('too deeply') }],
      [],
    ]);
  });

  test('millions of errors are counted and a hundred told, inline, behind references and in branches', async () => {
    const document = `[${'0,'.repeat(volume(2_000_000))}0]`;
    const kinds = [
      '{"items":{"type":"null"}}',
      '{"items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"null"}}}',
    ];
    for (const schemaText of kinds) {
      const [found] = await patient.validate({
        schemaText,
        schemaHash: schemaText,
        documents: [document],
      });
      expect(found).toHaveLength(100);
      const branches = (last: string) =>
        `{"anyOf":[${schemaText.replace('#/', '#/anyOf/0/')},${last}]}`;
      expect(
        await patient.validate({
          schemaText: branches('{"type":"array"}'),
          schemaHash: branches('1'),
          documents: [document],
        }),
      ).toEqual([[]]);
      const [refused] = await patient.validate({
        schemaText: branches('{"items":{"type":"string"}}'),
        schemaHash: branches('2'),
        documents: [document],
      });
      expect(refused?.length).toBeGreaterThan(0);
    }
  });
});

describe('a schema that does not compile in time', () => {
  const schemaText = text({ properties: named(4_900, () => ({ type: 'string' })) });

  test('is a problem of the schema when it is checked', async () => {
    await using hasty = disposable(createSchemaChecker({ timeoutMs: 20, workers: 1 }));
    expect(await hasty.check(schemaText)).toEqual([
      { path: '', message: 'The schema takes too long to compile.' },
    ]);
    expect(await hasty.check('{}')).toBeDefined();
  });

  test('is one problem of each document, and is not compiled again at once', async () => {
    await using hasty = disposable(createSchemaChecker({ timeoutMs: 60, workers: 1 }));
    const wanted = { schemaText, schemaHash: 'slow', documents: ['{}', '{}'] };
    const problem = [
      {
        path: '/data',
        message: 'The data was not checked: the schema takes too long to check.',
        isUnchecked: true,
      },
    ];
    expect(await hasty.validate(wanted)).toEqual([problem, problem]);
    expect(await hasty.validate(wanted)).toEqual([problem, problem]);
  });
});

describe('what is linear by design stays so', () => {
  test('a pattern that backtracks for ever elsewhere', async () => {
    const [found] = await patient.validate({
      schemaText: text({ pattern: '^(a+)+$' }),
      schemaHash: 'backtrack',
      documents: [JSON.stringify(`${'a'.repeat(100_000)}!`)],
    });
    expect(found).toMatchObject([
      { path: '/data', message: expect.stringContaining('must match the pattern') },
    ]);
  });

  test('uniqueItems on 100,000 objects', async () => {
    const unique = times(100_000, (position) => ({ position }));
    const documents = [text(unique), text([...unique, { position: 0 }])];
    const [none, repeated] = await patient.validate({
      schemaText: '{"uniqueItems":true}',
      schemaHash: 'unique',
      documents,
    });
    expect(none).toEqual([]);
    expect(repeated).toMatchObject([
      { message: expect.stringContaining('items 0 and 100000 are the same') },
    ]);
  });
});
