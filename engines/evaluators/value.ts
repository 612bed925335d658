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

/** Is this a value of a metric with this output type? */
export function isValueOf(outputType: OutputType, value: unknown): value is boolean | number {
  if (outputType === 'boolean') return typeof value === 'boolean';
  if (typeof value !== 'number') return false;
  return outputType === 'int'
    ? Number.isInteger(value) && value >= 1 && value <= 5
    : value >= 0 && value <= 1;
}
