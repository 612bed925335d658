import { isNumber, JsonNumber } from '@assay/json/value';
import { compare, isEqual, isIn, isNumeric } from './compare.ts';
import type { RenderState } from './render-state.ts';
import { isFields, isOfKind, nameOf, sentence, type Value, wholeNumberOf } from './values.ts';

function isOdd(value: Value, state: RenderState): boolean {
  const number = wholeNumberOf(value);
  if (number === undefined)
    return state.fail(`${sentence(nameOf(value))} is neither odd nor even.`);
  // Whatever a double makes of the others, the last digit says it.
  return value instanceof JsonNumber && value.isInDigits
    ? Number(value.text.at(-1)) % 2 !== 0
    : number % 2 !== 0;
}

const isText = (value: Value): value is string => typeof value === 'string';

/** Jinja's tests, as after `is`. */
export const tests: Readonly<Record<string, (value: Value, state: RenderState) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  callable: (value) => isOfKind(value, 'callable'),
  defined: (value) => value !== undefined,
  even: (value, state) => !isOdd(value, state),
  false: (value) => value === false,
  float: (value) => isNumber(value) && wholeNumberOf(value) === undefined,
  integer: (value) => wholeNumberOf(value) !== undefined,
  iterable: (value) => Array.isArray(value) || isText(value) || isFields(value),
  lower: (value, state) => isText(value) && isAs(value, value.toLowerCase, state),
  mapping: (value) => isFields(value),
  none: (value) => value === null,
  number: isNumber,
  odd: isOdd,
  sequence: (value) => Array.isArray(value) || isText(value) || isFields(value),
  string: isText,
  true: (value) => value === true,
  undefined: (value) => value === undefined,
  upper: (value, state) => isText(value) && isAs(value, value.toUpperCase, state),
};

function isAs(text: string, convert: () => string, state: RenderState): boolean {
  state.characters(text.length);
  return convert.call(text) === text;
}

type Comparison = (value: Value, other: Value, state: RenderState) => boolean;

const isLess: Comparison = (value, other, state) => compare(value, other, state) < 0;
const isMore: Comparison = (value, other, state) => compare(value, other, state) > 0;
const isLessOrEqual: Comparison = (value, other, state) => compare(value, other, state) <= 0;
const isMoreOrEqual: Comparison = (value, other, state) => compare(value, other, state) >= 0;
const isDifferent: Comparison = (value, other, state) => !isEqual(value, other, state);

/**
 * Operators that answer yes or no, and Jinja's names for them as tests of `select` and its like.
 */
export const comparisons: Readonly<Record<string, Comparison>> = {
  '==': isEqual,
  eq: isEqual,
  equalto: isEqual,
  '!=': isDifferent,
  ne: isDifferent,
  '<': isLess,
  lt: isLess,
  lessthan: isLess,
  '<=': isLessOrEqual,
  le: isLessOrEqual,
  '>': isMore,
  gt: isMore,
  greaterthan: isMore,
  '>=': isMoreOrEqual,
  ge: isMoreOrEqual,
  in: isIn,
  'not in': (value, other, state) => !isIn(value, other, state),
  divisibleby: (value, other, state) =>
    isNumeric(value) && isNumeric(other)
      ? Number(value) % Number(other) === 0
      : state.fail('Only numbers are divisible by numbers.'),
};
