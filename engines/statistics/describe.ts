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

/**
 * The value below which this share of the values lies, between two neighbours in proportion (type 7
 * of Hyndman and Fan, 1996, as NumPy's default); null without values.
 */
export function quantile(values: ArrayLike<number>, share: number): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  const above = sorted[Math.ceil(place)]!;
  return below + (above - below) * (place - Math.floor(place));
}

export type DistributionEntry =
  | { value: boolean | number; count: number }
  | { low: number; high: number; count: number };

const binsCount = 10;
/** Up to so many whole numbers are counted one by one. */
const countedValuesMax = 21;

/**
 * How often each value occurs, of values on a scale that lacks an end: ten equal bins from the least
 * to the largest, and one where these are equal.
 */
function openDistribution(values: ArrayLike<number>): DistributionEntry[] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  if (values.length === 0) return [];
  if (low === high) return [{ low, high, count: values.length }];
  return binned(values, { low, high });
}

/**
 * How often each value occurs (contract section 3, Results): false and true, each whole number of
 * a short scale, or ten equal bins on the scale, each with its lower edge and without its upper, but
 * for the last, which has both. Entries with count 0 are there.
 */
export function distribution({
  outputType,
  scale,
  values,
}: {
  outputType: 'boolean' | 'int' | 'float';
  scale: { low: number; high: number };
  values: ArrayLike<number>;
}): DistributionEntry[] {
  const { low, high } = scale;
  if (!Number.isFinite(low) || !Number.isFinite(high)) return openDistribution(values);
  switch (outputType) {
    case 'boolean': {
      const count = countValues(values);
      return [false, true].map((value) => ({ value, count: count(Number(value)) }));
    }
    case 'int': {
      if (high - low >= countedValuesMax) return binned(values, scale);
      const count = countValues(values);
      return Array.from({ length: high - low + 1 }, (_, step) => ({
        value: low + step,
        count: count(low + step),
      }));
    }
    case 'float':
      return binned(values, scale);
  }
}

function countValues(values: ArrayLike<number>): (value: number) => number {
  const counts = new Map<number, number>();
  for (let i = 0; i < values.length; i++) counts.set(values[i]!, (counts.get(values[i]!) ?? 0) + 1);
  return (value) => counts.get(value) ?? 0;
}

function binned(
  values: ArrayLike<number>,
  { low, high }: { low: number; high: number },
): DistributionEntry[] {
  const counts = new Array<number>(binsCount).fill(0);
  for (let i = 0; i < values.length; i++) {
    const bin = Math.floor(((values[i]! - low) / (high - low)) * binsCount);
    counts[Math.min(binsCount - 1, Math.max(0, bin))]! += 1;
  }
  const edge = (bin: number) => (bin === binsCount ? high : low + ((high - low) * bin) / binsCount);
  return counts.map((count, bin) => ({ low: edge(bin), high: edge(bin + 1), count }));
}
