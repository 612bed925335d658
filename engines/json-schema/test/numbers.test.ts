import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createSchemaChecker } from '../schema.ts';

const checker = createSchemaChecker({ timeoutMs: 10_000 });
afterAll(() => checker.close());

let schemas = 0;

/** The problems of JSON texts with a schema that is JSON text, too. */
async function problemsOf(schemaText: string, ...documents: string[]) {
  schemas += 1;
  const found = await checker.validate({ schemaText, schemaHash: `numbers-${schemas}`, documents });
  return found.map((problems) => problems.map(({ message }) => message));
}

const valid = async (schemaText: string, ...documents: string[]) =>
  (await problemsOf(schemaText, ...documents)).map((problems) => problems.length === 0);

describe('numbers are checked by their value, to the last digit', () => {
  test.each([
    [
      '{"const":12345678901234567890}',
      ['12345678901234567890', '12345678901234567891', '1234567890123456789e1'],
      [true, false, true],
    ],
    [
      '{"const":1}',
      ['1', '1.0', '10e-1', '1.0000000000000000001', '"1"'],
      [true, true, true, false, false],
    ],
    ['{"const":0}', ['-0', '0.0', '1e-400'], [true, true, false]],
    [
      '{"const":{"a":[12345678901234567890]}}',
      ['{"a":[12345678901234567890]}', '{"a":[12345678901234567891]}'],
      [true, false],
    ],
    [
      '{"enum":[1,12345678901234567890]}',
      ['12345678901234567890', '12345678901234567000', '1.00'],
      [true, false, true],
    ],
    [
      '{"minimum":9007199254740993}',
      ['9007199254740992', '9007199254740993', '1e400', '-1e400'],
      [false, true, true, false],
    ],
    [
      '{"maximum":9007199254740993}',
      ['9007199254740994', '9007199254740993', '1e400'],
      [false, true, false],
    ],
    ['{"exclusiveMinimum":0}', ['1e-400', '0e5', '-1e-400'], [true, false, false]],
    ['{"exclusiveMaximum":1e400}', ['1e399', '1e400', '10e399'], [true, false, false]],
    [
      '{"multipleOf":0.1}',
      ['0.3', '12345678901234567890.1', '12345678901234567890.15'],
      [true, true, false],
    ],
    [
      '{"multipleOf":2}',
      ['12345678901234567890', '12345678901234567891', '1e999999999'],
      [true, false, true],
    ],
    [
      '{"type":"integer"}',
      [
        '12345678901234567890',
        '1e400',
        '1.0',
        '12345678901234567.5',
        '1e-400',
        '0.99999999999999999999',
      ],
      [true, true, true, false, false, false],
    ],
    ['{"type":"number"}', ['1e400', '-1e999999999'], [true, true]],
    [
      '{"items":{"minimum":12345678901234567890}}',
      ['[12345678901234567889]', '[12345678901234567890]'],
      [false, true],
    ],
    [
      '{"uniqueItems":true}',
      ['[12345678901234567890,12345678901234567891]', '[1,1.0]', '[{"a":1e400},{"a":10e399}]'],
      [true, false, false],
    ],
    [
      '{"anyOf":[{"$ref":"#/$defs/id"}],"$defs":{"id":{"const":12345678901234567890}}}',
      ['12345678901234567890', '12345678901234567000'],
      [true, false],
    ],
    [
      '{"$schema":"http://json-schema.org/draft-04/schema#","minimum":12345678901234567890,"exclusiveMinimum":true}',
      ['12345678901234567890', '12345678901234567891'],
      [false, true],
    ],
  ])('%s', async (schemaText, documents, expected) => {
    expect(await valid(schemaText, ...documents)).toEqual(expected);
  });

  test('problems show the digits that were sent', async () => {
    const schema = '{"properties":{"id":{"const":12345678901234567890},"n":{"maximum":1e400}}}';
    expect(await problemsOf(schema, '{"id":12345678901234567891,"n":2e400}')).toEqual([
      [
        '"id" must be 12345678901234567890, but it is 12345678901234567891.',
        '"n" must be at most 1e400, but it is 2e400.',
      ],
    ]);
    expect(await problemsOf('{"enum":[[1e400]]}', '[2e400]')).toEqual([
      ['The data must be [1e400], but it is [2e400].'],
    ]);
  });

  test('bounds agree with whole numbers of any length', async () => {
    const whole = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    const near = fc.tuple(whole, fc.integer({ min: -2, max: 2 }));
    await fc.assert(
      fc.asyncProperty(near, async ([bound, more]) => {
        const value = bound + BigInt(more);
        const schema = (keyword: string) => `{"${keyword}":${bound}}`;
        for (const [keyword, holds] of [
          ['minimum', value >= bound],
          ['exclusiveMinimum', value > bound],
          ['maximum', value <= bound],
          ['exclusiveMaximum', value < bound],
          ['const', value === bound],
        ] as const)
          expect([keyword, await valid(schema(keyword), String(value))]).toEqual([
            keyword,
            [holds],
          ]);
      }),
      { numRuns: volume(60) },
    );
  });
});
