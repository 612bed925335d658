import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../parse.ts';
import { pointerTo, valueAt } from '../pointer.ts';
import { hasMoreLevels, isNumber, isObject, JsonNumber, numberText } from '../value.ts';
import { writeJson } from '../write.ts';
import { lexeme } from './decimals.ts';

/** JSON whose numbers are written in every way, without spaces, as `writeJson` writes it. */
const { json } = fc.letrec<{ json: string; object: string; array: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    lexeme,
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'false', 'null'),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('json'), { maxLength: 4 }).map((elements) => `[${elements.join(',')}]`),
  object: fc
    .uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), tie('json')), {
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map(
      (members) =>
        `{${members
          // JavaScript puts keys that are indexes first.
          .map(([key, member]) => `${JSON.stringify(`k${key}`)}:${member}`)
          .join(',')}}`,
    ),
}));

describe('parsing with all digits', () => {
  test('what is written again is what was sent', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(writeJson(parseJson(text))).toBe(text);
      }),
      { numRuns: volume(1000) },
    );
  });

  test('but for its numbers, gives what JSON.parse gives, whatever the spaces and the order of keys', () => {
    const member = fc.tuple(fc.constantFrom('a', '1', '\\u0061', '__proto__', 'b'), json);
    const spaced = fc
      .tuple(fc.array(member, { maxLength: 5 }), fc.constantFrom('', ' ', '\n\t\r '))
      .map(
        ([members, space]) =>
          `${space}{${space}${members.map(([key, value]) => `"${key}"${space}:${space}${value}`).join(`${space},${space}`)}${space}}${space}`,
      );
    fc.assert(
      fc.property(spaced, (text) => {
        expect(JSON.parse(JSON.stringify(parseJson(text)))).toEqual(
          JSON.parse(JSON.stringify(JSON.parse(text))),
        );
      }),
      { numRuns: volume(1000) },
    );
  });

  test('refuses what JSON.parse refuses', () => {
    for (const text of ['', '1.', '01', '[1.0', '{"a":1.0,}', '[1.0]x', 'NaN'])
      expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test('a number that JavaScript writes as it was sent is a plain number, and no other', () => {
    const value = parseJson(
      '[1,-5,0.1,1e+21,0.30000000000000004,12345678901234567890,1.0,-0,1e21,1e400]',
    ) as unknown[];
    expect(value.slice(0, 5)).toEqual([1, -5, 0.1, 1e21, 0.30000000000000004]);
    expect(value.slice(5).map((each) => each instanceof JsonNumber && each.text)).toEqual([
      '12345678901234567890',
      '1.0',
      '-0',
      '1e21',
      '1e400',
    ]);
  });
});

test('beside numbers with their digits, all else is written as JSON.stringify writes it', () => {
  const value = { a: new Date(0), b: undefined, c: [undefined, null, 'x'], d: -0 };
  const number = parseJson('1.0');
  expect(writeJson({ ...value, number })).toBe(
    JSON.stringify({ ...value, number: 'N' }).replace('"N"', '1.0'),
  );
});

test('a number with its digits is a number everywhere, and no object with members', () => {
  const value = parseJson('{"a":[1.0]}');
  const number = valueAt({ root: value, pointer: pointerTo(['a', 0]) });
  expect([isNumber(number), isObject(number), hasMoreLevels(number, 0)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(numberText(number as JsonNumber)).toBe('1.0');
  expect(valueAt({ root: value, pointer: '/a/0/text' })).toBeUndefined();
  expect(JSON.stringify(value)).toBe('{"a":[1]}');
});
