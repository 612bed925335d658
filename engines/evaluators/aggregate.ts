import type { OutputType } from './evaluation.ts';

/**
 * Aggregates several votes on one record (contract section 3, Judges): booleans to their majority,
 * where a tie is false; ints to the lower median; floats to the mean. There must be at least one
 * vote, of the metric's type.
 */
export function aggregate(
  outputType: OutputType,
  values: readonly (boolean | number)[],
): boolean | number {
  if (outputType === 'boolean')
    return values.filter((value) => value === true).length * 2 > values.length;
  const numbers = (values as readonly number[]).toSorted((a, b) => a - b);
  return outputType === 'int' ? numbers[Math.floor((numbers.length - 1) / 2)]! : meanOf(numbers);
}

/** Never outside the values by a rounding: three votes of 0.7 reach a threshold of 0.7. */
function meanOf(sorted: number[]): number {
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return Math.min(sorted.at(-1)!, Math.max(sorted[0]!, mean));
}
