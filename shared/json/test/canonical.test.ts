import { isDeepStrictEqual } from 'node:util';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../canonical.ts';
import { canonicalNumber } from '../numbers.ts';

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

describe('two JSON texts', () => {
  test('are the same whatever the order of keys and the spaces between', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(JSON.stringify(shuffled(value), null, 3))).toBe(
          canonicalJson(JSON.stringify(value)),
        );
      }),
    );
  });

  test('are the same exactly when they are equal as values', () => {
    const alike = fc.constantFrom(
      [],
      {},
      '',
      0,
      '0',
      null,
      'null',
      [null],
      [[]],
      [{}],
      { a: null },
      { a: [] },
      { a: {} },
      's',
      'n0',
    );
    const value = fc.oneof(fc.jsonValue(), alike).map((any) => JSON.parse(JSON.stringify(any)));
    fc.assert(
      fc.property(value, value, (left, right) => {
        const areSame =
          canonicalJson(JSON.stringify(left)) === canonicalJson(JSON.stringify(right));
        expect(areSame).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: volume(1000) },
    );
  });

  test.each([
    ['{"a":1}', '{"a":1.0}'],
    ['{"a":100}', '{"a":1E+2}'],
    ['{"a":0.05}', '{"a":5e-2}'],
    ['{"a":-0}', '{"a":0.0e5}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"\\u0061":"\\u00e9"}', '{"a":"é"}'],
    ['{"__proto__":{"x":1},"toString":2}', '{"toString":2,"__proto__":{"x":1}}'],
  ])('%s and %s are the same', (left, right) => {
    expect(canonicalJson(left)).toBe(canonicalJson(right));
  });

  test.each([
    ['{"a":12345678901234567890}', '{"a":12345678901234567891}'],
    ['{"a":1e400}', '{"a":2e400}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":"n1e0"}', '{"a":1}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":null}', '{}'],
    ['{"__proto__":{}}', '{}'],
    ['{"a":1}', '{"a":-1}'],
  ])('%s and %s are not', (left, right) => {
    expect(canonicalJson(left)).not.toBe(canonicalJson(right));
  });
});

test('a number that is a double is told by its value', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(Number(canonicalNumber(JSON.stringify(number)))).toBe(number === 0 ? 0 : number);
      expect(canonicalNumber(number.toExponential())).toBe(canonicalNumber(JSON.stringify(number)));
    }),
  );
});
