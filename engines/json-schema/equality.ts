import { canonicalText } from '@assay/json/canonical';

/** The positions of the first item that repeats an earlier one. */
export function firstRepeat(items: unknown[]): { first: number; second: number } | undefined {
  const seen = new Map<string, number>();
  for (const [second, item] of items.entries()) {
    const key = canonicalText(item);
    const first = seen.get(key);
    if (first !== undefined) return { first, second };
    seen.set(key, second);
  }
  return undefined;
}

/**
 * Whether a number is a whole multiple of another, exactly, as their decimal texts say: 0.3 is one
 * of 0.1.
 */
export function isMultipleOf({ value, divisor }: { value: number; divisor: number }): boolean {
  if (divisor === 0) return false;
  const [left, right] = [decimal(value), decimal(divisor)];
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = (number: Decimal) => number.digits * 10n ** BigInt(number.exponent - exponent);
  return scaled(left) % scaled(right) === 0n;
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const fraction = mantissa.split('.')[1] ?? '';
  return {
    digits: BigInt(mantissa.replace('.', '')),
    exponent: Number(exponent) - fraction.length,
  };
}
