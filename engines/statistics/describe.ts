/** The arithmetic mean, never outside the values by rounding; null without values. */
export function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    sum += value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return Math.min(high, Math.max(low, sum / values.length));
}

/** The sample standard deviation (divisor n − 1), in two passes; null below two values. */
export function standardDeviation(values: ArrayLike<number>): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - centre) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

export type DistributionEntry =
  | { value: boolean | number; count: number }
  | { low: number; high: number; count: number };

const binsCount = 10;
const intValues = [1, 2, 3, 4, 5];

/**
 * How often each value occurs, of values that have no upper end: ten equal bins from the least to
 * the largest, and one where these are equal.
 */
export function measuredDistribution(values: ArrayLike<number>): DistributionEntry[] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  if (values.length === 0) return [];
  if (low === high) return [{ low, high, count: values.length }];
  const edge = (bin: number) => (bin === binsCount ? high : low + ((high - low) * bin) / binsCount);
  const counts = new Array<number>(binsCount).fill(0);
  for (let i = 0; i < values.length; i++) {
    const bin = Math.floor(((values[i]! - low) / (high - low)) * binsCount);
    counts[Math.min(binsCount - 1, bin)]! += 1;
  }
  return counts.map((count, bin) => ({ low: edge(bin), high: edge(bin + 1), count }));
}

/**
 * How often each value occurs (contract section 3, Results): false and true, 1 to 5, or ten equal
 * bins on 0..1, each with its lower edge and without its upper, but for the last, which has both.
 * Entries with count 0 are there.
 */
export function distribution({
  outputType,
  values,
}: {
  outputType: 'boolean' | 'int' | 'float';
  values: ArrayLike<boolean | number>;
}): DistributionEntry[] {
  if (outputType === 'float') return binned(values);
  const counts = new Map<number, number>();
  for (let i = 0; i < values.length; i++)
    counts.set(Number(values[i]), (counts.get(Number(values[i])) ?? 0) + 1);
  if (outputType === 'boolean')
    return [false, true].map((value) => ({ value, count: counts.get(Number(value)) ?? 0 }));
  return intValues.map((value) => ({ value, count: counts.get(value) ?? 0 }));
}

function binned(values: ArrayLike<boolean | number>): DistributionEntry[] {
  const counts = new Array<number>(binsCount).fill(0);
  for (let i = 0; i < values.length; i++) {
    const bin = Math.min(binsCount - 1, Math.max(0, Math.floor(Number(values[i]) * binsCount)));
    counts[bin] = counts[bin]! + 1;
  }
  return counts.map((count, bin) => ({ low: bin / binsCount, high: (bin + 1) / binsCount, count }));
}
