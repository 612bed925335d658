import { compareNumbers, type Decimal } from './numbers.ts';

/** `coefficient × 10^exponent`. */
interface Term {
  coefficient: bigint;
  exponent: bigint;
}

/**
 * Whether two numbers are at most `absolute` apart, or at most `relative` of the size of the second,
 * to the last digit. Takes time by the digits of the numbers, and none by the size of exponents.
 */
export function areClose(
  one: Decimal,
  other: Decimal,
  { absolute, relative }: { absolute: Decimal; relative: Decimal },
): boolean {
  const order = compareNumbers(one, other);
  if (order === 0) return true;
  if (absolute.digits === '' && relative.digits === '') return false;
  const [high, low] = (order > 0 ? [one, other] : [other, one]).map(termOf) as [Term, Term];
  const share = termOf(relative);
  const size = termOf({ ...other, isNegative: false });
  const tolerances = [
    termOf(absolute),
    {
      coefficient: share.coefficient * size.coefficient,
      exponent: share.exponent + size.exponent,
    },
  ];
  return tolerances.some((tolerance) => signOfSum([high, negative(low), negative(tolerance)]) <= 0);
}

/** Whether a number is a whole multiple of another, to the last digit: 0.3 is one of 0.1. */
export function isMultipleOf(value: Decimal, divisor: Decimal): boolean {
  const [{ coefficient, exponent }, by] = [termOf(value), termOf(divisor)];
  if (by.coefficient === 0n) return false;
  if (coefficient === 0n) return true;
  const power = exponent - by.exponent;
  // The digits end in no zero, so nothing is divisible by a power of ten that is left.
  if (power < 0n) return false;
  // A divisor has fewer factors of 2 and 5 than binary digits: higher powers of ten say no more.
  const bits = BigInt(by.coefficient.toString(16).length * 4);
  return (coefficient * 10n ** (power < bits ? power : bits)) % by.coefficient === 0n;
}

function termOf({ isNegative, digits, point }: Decimal): Term {
  const coefficient = BigInt(digits);
  return {
    coefficient: isNegative ? -coefficient : coefficient,
    exponent: BigInt(point) - BigInt(digits.length),
  };
}

const negative = ({ coefficient, exponent }: Term): Term => ({
  coefficient: -coefficient,
  exponent,
});

/**
 * The sign of the sum of up to nine terms. Goes from the highest exponent to the lowest, and ends as
 * soon as the terms that are left are too small to change the sign: so no exponent is written out.
 */
function signOfSum(terms: Term[]): number {
  const rest = terms
    .filter(({ coefficient }) => coefficient !== 0n)
    .toSorted((one, other) => (one.exponent < other.exponent ? 1 : -1));
  let sum: Term = { coefficient: 0n, exponent: 0n };
  while (rest.length > 0) {
    // The sum is at least 10^exponent, and all that is left less than ten times the highest top.
    const { coefficient: digits, exponent: power } = sum;
    const isSettled = rest.every(
      ({ coefficient, exponent }) => power > exponent + lengthOf(coefficient),
    );
    if (digits !== 0n && isSettled) break;
    const next = rest.shift()!;
    sum = sum.coefficient === 0n ? next : plus(sum, next);
  }
  return sum.coefficient === 0n ? 0 : sum.coefficient > 0n ? 1 : -1;
}

/** The sum of two terms, of which the second has the lower exponent. */
const plus = (high: Term, low: Term): Term => ({
  coefficient: high.coefficient * 10n ** (high.exponent - low.exponent) + low.coefficient,
  exponent: low.exponent,
});

/** At least the decimal digits: to count them would take quadratic time. */
const lengthOf = (coefficient: bigint): bigint =>
  BigInt(Math.ceil(coefficient.toString(16).length * Math.log10(16)));
