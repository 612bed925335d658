import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isValueOf, scoreValue } from '../value.ts';

describe('the value of a float score', () => {
  test('is the bound where rounding took it just outside of the scale', () => {
    expect(scoreValue('float', 1.0000000000000002)).toBe(1);
    expect(scoreValue('float', -1e-17)).toBe(0);
    expect(scoreValue('float', 1 + 1e-9 / 2)).toBe(1);
    expect(Object.is(scoreValue('float', -0), -0)).toBe(false);
  });

  test('is none further outside', () => {
    for (const value of [1.00000001, -1e-8, 2, Number.NaN, Number.POSITIVE_INFINITY, '1', null])
      expect(scoreValue('float', value)).toBeUndefined();
  });

  test('is itself everywhere on the scale, as for the other types', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (value) => {
        expect(scoreValue('float', value)).toBe(value === 0 ? 0 : value);
      }),
    );
    const anything = fc.oneof(fc.anything(), fc.integer({ min: -1, max: 7 }), fc.boolean());
    fc.assert(
      fc.property(fc.constantFrom('boolean' as const, 'int' as const), anything, (type, value) => {
        expect(scoreValue(type, value)).toBe(isValueOf(type, value) ? value : undefined);
      }),
    );
  });
});
