import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areClose, isMultipleOf } from '../arithmetic.ts';
import {
  added,
  areEqualNumbers,
  canonicalNumber,
  compareNumbers,
  decimalOf,
  isDouble,
  isWhole,
  shortestNumber,
} from '../numbers.ts';
import { JsonNumber } from '../value.ts';
import { lexeme, rewritten, scaled } from './decimals.ts';

const sign = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0);
const compared = (one: string, other: string) => compareNumbers(decimalOf(one), decimalOf(other));
const numRuns = volume(2000);

describe('comparing two numbers', () => {
  test('agrees with whole numbers that are both scaled by the same power of ten', () => {
    fc.assert(
      fc.property(lexeme, lexeme, (one, other) => {
        expect(compared(one, other)).toBe(sign(scaled(one) - scaled(other)));
      }),
      { numRuns },
    );
  });

  test('is an equivalence: a number equals itself, the order does not matter, equals of equals are equal', () => {
    const equal = (one: string, other: string) =>
      areEqualNumbers(new JsonNumber(one), new JsonNumber(other));
    fc.assert(
      fc.property(lexeme, fc.nat(5), fc.nat(5), lexeme, (number, shift, more, other) => {
        const [second, third] = [rewritten(number, shift), rewritten(number, more)];
        expect([equal(number, number), equal(number, second), equal(second, third)]).toEqual([
          true,
          true,
          true,
        ]);
        expect(equal(number, third)).toBe(true);
        expect(equal(number, other)).toBe(equal(other, number));
        expect(equal(number, other)).toBe(equal(second, other));
      }),
      { numRuns },
    );
  });

  test('tells numbers of nineteen digits apart that are one double', () => {
    expect(compared('1234567890123456789', '1234567890123456788')).toBe(1);
    expect(compared('0.12345678901234567890', '0.12345678901234567891')).toBe(-1);
  });

  test.each([
    ['1e400', '1e401', -1],
    ['-1e400', '1', -1],
    ['1e999999999', '1e999999998', 1],
    ['1e-999999999', '0', 1],
    ['-0', '0.0e7', 0],
    ['1.0', '1', 0],
    ['10e-1', '1', 0],
    ['1e99999999999999999999', '10e99999999999999999998', 0],
    ['1e-99999999999999999999', '10e-99999999999999999999', -1],
    ['1e00000000000000000000000001', '10', 0],
    ['1e100000000000000000000', '0.1e100000000000000000001', 0],
    ['1e-100000000000000000000', '10e-100000000000000000001', 0],
  ])('%s against %s is %i', (one, other, order) => {
    expect(compared(one, other)).toBe(order);
  });
});

describe('the texts of a number', () => {
  test('equal numbers have one canonical text, and others another', () => {
    fc.assert(
      fc.property(lexeme, lexeme, fc.nat(9), (one, other, shift) => {
        expect(canonicalNumber(rewritten(one, shift))).toBe(canonicalNumber(one));
        expect(canonicalNumber(one) === canonicalNumber(other)).toBe(compared(one, other) === 0);
      }),
      { numRuns },
    );
  });

  test('the shortest form has the same value, is its own shortest form, and has no zeros at its end', () => {
    fc.assert(
      fc.property(lexeme, (number) => {
        const shortest = shortestNumber(number);
        expect(compared(shortest, number)).toBe(0);
        expect(shortestNumber(shortest)).toBe(shortest);
        expect(shortest).not.toMatch(/\.\d*0(?!\d)|\.(?!\d)|^-0$/);
      }),
      { numRuns },
    );
  });

  test('the shortest form of a double is the one that JavaScript writes', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, (number) => {
        expect(shortestNumber(number.toExponential())).toBe(String(number));
        expect(isDouble(String(number))).toBe(true);
      }),
      { numRuns },
    );
  });

  test('a number is that of its double exactly where both have one canonical text', () => {
    fc.assert(
      fc.property(lexeme, (number) => {
        expect(isDouble(number)).toBe(
          canonicalNumber(String(Number(number))) === canonicalNumber(number),
        );
      }),
      { numRuns },
    );
  });

  test.each([
    ['1.50', '1.5'],
    ['1.0', '1'],
    ['-0', '0'],
    ['0.000001', '0.000001'],
    ['1e-7', '1e-7'],
    ['100000000000000000000', '100000000000000000000'],
    ['1e20', '100000000000000000000'],
    ['1e21', '1e+21'],
    ['12345678901234567890', '12345678901234567890'],
    ['-1234567890123456789012.50', '-1.2345678901234567890125e+21'],
  ])('the shortest form of %s is %s', (number, shortest) => {
    expect(shortestNumber(number)).toBe(shortest);
  });
});

describe('distances and multiples', () => {
  const none = decimalOf('0');

  test('two numbers are close exactly when whole numbers scaled alike are', () => {
    fc.assert(
      fc.property(lexeme, lexeme, lexeme, (one, other, tolerance) => {
        const absolute = { ...decimalOf(tolerance), isNegative: false };
        const distance = scaled(one) - scaled(other);
        const isClose =
          distance === 0n ||
          (distance < 0n ? -distance : distance) <=
            (scaled(tolerance) < 0n ? -scaled(tolerance) : scaled(tolerance));
        expect(areClose(decimalOf(one), decimalOf(other), { absolute, relative: none })).toBe(
          isClose,
        );
      }),
      { numRuns },
    );
  });

  test('a share of the second number is taken to its last digit', () => {
    const close = (one: string, other: string, relative: string) =>
      areClose(decimalOf(one), decimalOf(other), {
        absolute: none,
        relative: decimalOf(relative),
      });
    expect(close('105', '100', '0.05')).toBe(true);
    expect(close('-105', '-100', '0.05')).toBe(true);
    expect(close('105.0000000000000000001', '100', '0.05')).toBe(false);
    expect(close('1e999999999', '2e999999999', '0.5')).toBe(true);
    expect(close('1e999999999', '3e999999999', '0.5')).toBe(false);
    expect(close('1e999999999', '1', '0.5')).toBe(false);
    expect(close('1', '1e999999999', '1')).toBe(true);
    expect(close('1', '1e-999999999', '1')).toBe(false);
  });

  test('a multiple is one to its last digit', () => {
    fc.assert(
      fc.property(lexeme, lexeme, (value, divisor) => {
        const by = scaled(divisor);
        expect(isMultipleOf(decimalOf(value), decimalOf(divisor))).toBe(
          by !== 0n && scaled(value) % by === 0n,
        );
      }),
      { numRuns },
    );
    expect(isMultipleOf(decimalOf('0.3'), decimalOf('0.1'))).toBe(true);
    expect(isMultipleOf(decimalOf('12345678901234567891'), decimalOf('2'))).toBe(false);
    expect(isMultipleOf(decimalOf('1e999999999'), decimalOf('1024'))).toBe(true);
    expect(isMultipleOf(decimalOf('1e999999999'), decimalOf('3'))).toBe(false);
  });

  test('a number is whole however it is written', () => {
    for (const text of ['1.0', '10e-1', '1e400', '0.5e1', '-0.0', '12345678901234567890'])
      expect([text, isWhole(decimalOf(text))]).toEqual([text, true]);
    for (const text of ['1e-1', '12345678901234567.5', '1e-400', '15e-1'])
      expect([text, isWhole(decimalOf(text))]).toEqual([text, false]);
  });
});

test('a whole number of any length and a small one are added as they are on paper', () => {
  const long = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
  const edge = fc
    .tuple(fc.integer({ min: 14, max: 40 }), fc.integer({ min: -20, max: 20 }), fc.boolean())
    .map(
      ([power, more, isNegative]) => (isNegative ? -1n : 1n) * 10n ** BigInt(power) + BigInt(more),
    );
  const small = fc.integer({ min: -20_000_000, max: 20_000_000 });
  fc.assert(
    fc.property(
      fc.oneof(long, edge),
      fc.oneof(small, fc.integer({ min: -30, max: 30 })),
      (integer, more) => {
        expect(added(String(integer), more)).toBe(String(integer + BigInt(more)));
      },
    ),
    { numRuns },
  );
});

test('a number of many digits, or with an exponent of many digits, is no burden', () => {
  const zeros = '0'.repeat(500_000);
  expect(canonicalNumber(`1${zeros}1${zeros}`).endsWith('e500000')).toBe(true);
  expect(canonicalNumber(`1e${'9'.repeat(500_000)}`)).toHaveLength(500_002);
  expect(canonicalNumber(`10e${'9'.repeat(500_000)}`)).toBe(`1e1${zeros}`);
  expect(compared(`1e${'9'.repeat(500_000)}`, `1e1${zeros}`)).toBe(-1);
});
