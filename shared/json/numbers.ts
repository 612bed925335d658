import { type JsonNumber, numberText } from './value.ts';

/**
 * A number by its digits, `0.digits × 10^point`, and never written out: an exponent may have any
 * length. Zero has no digits.
 */
export interface Decimal {
  isNegative: boolean;
  /** Significant digits, without zeros at either end. */
  digits: string;
  /** A whole number in digits: the power of ten of the place before the first of the digits. */
  point: string;
}

const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?)(\d+))?$/;
const zero: Decimal = { isNegative: false, digits: '', point: '0' };

/** Reads a number of JSON; leading zeros are taken, too. */
export function decimalOf(number: number | JsonNumber | string): Decimal {
  const text = typeof number === 'string' ? number : numberText(number);
  const [, sign, whole, fraction = '', exponentSign = '', exponent = '0'] = numberForm.exec(text)!;
  const all = whole! + fraction;
  const first = leadingZeros(all);
  const digits = all.slice(first, endOfSignificant(all));
  if (digits === '') return zero;
  const power = exponent.slice(leadingZeros(exponent)) || '0';
  const signed = exponentSign === '-' && power !== '0' ? `-${power}` : power;
  return { isNegative: sign === '-', digits, point: added(signed, whole!.length - first) };
}

// By hand: /^0+/ and /0+$/ take a copy, or quadratic time on a long run of zeros amid the digits.
function leadingZeros(digits: string): number {
  let zeros = 0;
  while (digits[zeros] === '0') zeros++;
  return zeros;
}

function endOfSignificant(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end;
}

/** -1, 0 or 1 as the first number is less, equal or greater. */
export function compareNumbers(one: Decimal, other: Decimal): number {
  const [sign, otherSign] = [signOf(one), signOf(other)];
  if (sign !== otherSign) return sign < otherSign ? -1 : 1;
  const bySize =
    sign === 0 ? 0 : compareIntegers(one.point, other.point) || compare(one.digits, other.digits);
  return sign < 0 && bySize !== 0 ? -bySize : bySize;
}

export const areEqualNumbers = (one: number | JsonNumber, other: number | JsonNumber): boolean =>
  typeof one === 'number' && typeof other === 'number'
    ? one === other
    : compareNumbers(decimalOf(one), decimalOf(other)) === 0;

/** Numbers of at most fifteen digits, of a size far from the ends of doubles. */
const shortForm = /^-?[\d.]{1,15}(?:[eE][-+]?\d{1,2})?$/;

/** Does a double say the number to its last digit? */
export function isDouble(text: string): boolean {
  if (shortForm.test(text)) return true;
  const double = Number(text);
  if (String(double) === text) return true;
  return Number.isFinite(double) && compareNumbers(decimalOf(text), decimalOf(double)) === 0;
}

export const isWhole = ({ digits, point }: Decimal): boolean =>
  digits === '' || compareIntegers(point, String(digits.length)) >= 0;

const signOf = ({ isNegative, digits }: Decimal): number =>
  digits === '' ? 0 : isNegative ? -1 : 1;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Compares two whole numbers in digits, of any length. */
function compareIntegers(one: string, other: string): number {
  const [isNegative, isOtherNegative] = [one.startsWith('-'), other.startsWith('-')];
  if (isNegative !== isOtherNegative) return isNegative ? -1 : 1;
  const bySize = one.length === other.length ? compare(one, other) : one.length - other.length;
  return Math.sign(isNegative ? -bySize : bySize);
}

/** Digits that a double holds in any case. */
const exactDigits = 15;

/** The sum of a whole number in digits and a small one, in the time that it takes to read it. */
export function added(integer: string, small: number): string {
  if (integer.length <= exactDigits) return String(Number(integer) + small);
  const isNegative = integer.startsWith('-');
  const digits = isNegative ? integer.slice(1) : integer;
  const modulus = 10 ** exactDigits;
  const sum = Number(digits.slice(-exactDigits)) + (isNegative ? -small : small);
  const head = digits.slice(0, -exactDigits);
  if (head === '') return String(isNegative ? -sum : sum);
  const carry = Math.floor(sum / modulus);
  const tail = String(sum - carry * modulus).padStart(exactDigits, '0');
  const whole = `${carry === 0 ? head : carry > 0 ? increased(head) : decreased(head)}${tail}`;
  const size = whole.slice(Math.min(leadingZeros(whole), whole.length - 1));
  return isNegative ? `-${size}` : size;
}

function increased(digits: string): string {
  let last = digits.length - 1;
  while (digits[last] === '9') last--;
  const zeros = '0'.repeat(digits.length - 1 - last);
  return last < 0 ? `1${zeros}` : `${digits.slice(0, last)}${Number(digits[last]) + 1}${zeros}`;
}

function decreased(digits: string): string {
  const last = endOfSignificant(digits) - 1;
  const nines = '9'.repeat(digits.length - 1 - last);
  return `${digits.slice(0, last)}${Number(digits[last]) - 1}${nines}`;
}

/** `1`, `1.0`, `10e-1` → `1e0`; `-0` → `0`: equal numbers have one text. */
export function canonicalNumber(text: string): string {
  const { isNegative, digits, point } = decimalOf(text);
  return digits === '' ? '0' : `${isNegative ? '-' : ''}${digits}e${added(point, -digits.length)}`;
}

/**
 * The shortest form of a number (contract section 5, Numbers), which is that of JavaScript for
 * every double: all digits from 1e-6 to below 1e21, an exponent outside of that, no zeros or point
 * at the end.
 */
export function shortestNumber(text: string): string {
  const { isNegative, digits, point } = decimalOf(text);
  if (digits === '') return '0';
  const size =
    compareIntegers(point, '-6') > 0 && compareIntegers(point, '22') < 0
      ? writtenOut(digits, Number(point))
      : withExponent(digits, added(point, -1));
  return isNegative ? `-${size}` : size;
}

function writtenOut(digits: string, point: number): string {
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

function withExponent(digits: string, exponent: string): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${fraction}e${exponent.startsWith('-') ? '' : '+'}${exponent}`;
}
