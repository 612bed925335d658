import type { OutputType } from './evaluation.ts';

/** The field in which a score carries the value of each output type (contract section 2, Score). */
export const valueFields = {
  boolean: 'binaryScore',
  int: 'intScore',
  float: 'floatScore',
} as const;

/** Descriptions, for people, of the values of each output type. */
export const valueInWords = {
  boolean: 'true or false',
  int: 'a whole number from 1 to 5',
  float: 'a number from 0 to 1',
} as const;

const floatScale = { min: 0, max: 1 };
/** How far a float may lie outside of its scale by rounding, as a share of the scale's width. */
const roundingMax = 1e-9;

/**
 * The value that a score of this output type says; undefined for anything else. A float a hair
 * outside of its scale, as the cosine of two equal vectors often is, is the bound (contract section
 * 5, Accounts).
 */
export function scoreValue(outputType: OutputType, value: unknown): boolean | number | undefined {
  if (outputType !== 'float' || typeof value !== 'number')
    return isValueOf(outputType, value) ? value : undefined;
  const { min, max } = floatScale;
  const bound = Math.min(max, Math.max(min, value));
  return Math.abs(value - bound) <= roundingMax * (max - min) ? bound : undefined;
}

/** Is this a value of a metric with this output type? */
export function isValueOf(outputType: OutputType, value: unknown): value is boolean | number {
  if (outputType === 'boolean') return typeof value === 'boolean';
  if (typeof value !== 'number') return false;
  return outputType === 'int'
    ? Number.isInteger(value) && value >= 1 && value <= 5
    : value >= 0 && value <= 1;
}
