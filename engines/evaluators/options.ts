import { compareNumbers, decimalOf } from '@assay/json/numbers';
import { isPointer } from '@assay/json/pointer';
import { isNumber, isObject } from '@assay/json/value';
import { writtenOutSize } from '@assay/runtime/json/pattern-size';
import { RE2JS } from 're2js';

/** Returns a sentence about the problem of an option's value; undefined if it has none. */
type OptionRule = (value: unknown) => string | undefined;

/**
 * An option of an evaluator: the JSON Schema of its values, which people and programs read, and
 * what is wrong with a value.
 */
export interface Option {
  schema: Record<string, unknown>;
  problemOf: OptionRule;
}

const patternLengthMax = 2_000;
const patternSizeMax = 5_000;
/**
 * Equal alternatives each count when written out, but are one when compiled: only a pattern far too
 * large is refused by its text.
 */
const patternWrittenOutMax = 4 * patternSizeMax;

const tooLarge = 'The pattern is too large once its repetitions are written out.';

const rule =
  (holds: (value: unknown) => boolean, message: string): OptionRule =>
  (value) =>
    holds(value) ? undefined : message;

const isNumberBetween = (value: unknown, low: number, high: number): boolean =>
  isNumber(value) &&
  compareNumbers(decimalOf(value), decimalOf(low)) >= 0 &&
  compareNumbers(decimalOf(value), decimalOf(high)) <= 0;

export const flag = (description: string): Option => ({
  schema: { type: 'boolean', default: false, description },
  problemOf: rule((value) => typeof value === 'boolean', 'Must be true or false.'),
});

export const pointer = (description: string): Option => ({
  schema: { type: 'string', format: 'json-pointer', description },
  problemOf: rule(
    (value) => typeof value === 'string' && isPointer(value),
    'Must be a JSON Pointer: "" for the whole, or "/" before each name, with "~1" for "/" and "~0" for "~".',
  ),
});

export const marker = (description: string): Option => ({
  schema: { type: 'string', minLength: 1, description },
  problemOf: rule(
    (value) => typeof value === 'string' && value !== '',
    'Must be a text that is not empty.',
  ),
});

export const tolerance = (description: string): Option => ({
  schema: { type: 'number', minimum: 0, default: 0, description },
  problemOf: rule(
    (value) => isNumberBetween(value, 0, Number.MAX_VALUE),
    'Must be a number of at least 0.',
  ),
});

export const share = (description: string): Option => ({
  schema: { type: 'number', minimum: 0, maximum: 1, description },
  problemOf: rule((value) => isNumberBetween(value, 0, 1), 'Must be a number between 0 and 1.'),
});

/**
 * Accepts every value that can be the top of a JSON Schema; the schema checker decides whether it
 * is a valid one.
 */
export const schema = (description: string): Option => ({
  schema: { type: ['object', 'boolean'], description },
  problemOf: rule(
    (value) => typeof value === 'boolean' || isObject(value),
    'Must be a JSON Schema: an object, or true or false.',
  ),
});

export const pattern = (description: string): Option => ({
  schema: { type: 'string', maxLength: patternLengthMax, description },
  problemOf: patternProblem,
});

function patternProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'Must be a regular expression, as a text.';
  if (value.length > patternLengthMax) return `Must have at most ${patternLengthMax} characters.`;
  // Compiling takes as long as the pattern is large, and keeps the event loop.
  if (writtenOutSize(value) > patternWrittenOutMax) return tooLarge;
  try {
    return RE2JS.compile(value).programSize() <= patternSizeMax ? undefined : tooLarge;
  } catch (error) {
    const reason = String((error as Error).message).replace(/^error parsing regexp: /, '');
    return `Not a regular expression that RE2 knows (it has no look-around and no back-references): ${reason}.`;
  }
}
