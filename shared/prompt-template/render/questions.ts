import { compare, isEqual, isIn, isNumeric } from './compare.ts';
import { isFields, isOfKind, nameOf, sentence, type Value } from './values.ts';
import type { Work } from './work.ts';

const whole = (value: Value, work: Work): number =>
  Number.isInteger(value) ? (value as number) : work.fail(`${sentence(nameOf(value))} is neither odd nor even.`);

const isText = (value: Value): value is string => typeof value === 'string';

/** Jinja's tests, as after `is`. */
export const questions: Readonly<Record<string, (value: Value, work: Work) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  callable: (value) => isOfKind(value, 'callable'),
  defined: (value) => value !== undefined,
  even: (value, work) => whole(value, work) % 2 === 0,
  false: (value) => value === false,
  float: (value) => typeof value === 'number' && !Number.isInteger(value),
  integer: (value) => Number.isInteger(value),
  iterable: (value) => Array.isArray(value) || isText(value) || isFields(value),
  lower: (value, work) => isText(value) && isAs(value, value.toLowerCase, work),
  mapping: (value) => isFields(value),
  none: (value) => value === null,
  number: (value) => typeof value === 'number',
  odd: (value, work) => whole(value, work) % 2 !== 0,
  sequence: (value) => Array.isArray(value) || isText(value) || isFields(value),
  string: isText,
  true: (value) => value === true,
  undefined: (value) => value === undefined,
  upper: (value, work) => isText(value) && isAs(value, value.toUpperCase, work),
};

function isAs(text: string, convert: () => string, work: Work): boolean {
  work.characters(text.length);
  return convert.call(text) === text;
}

type Comparison = (value: Value, other: Value, work: Work) => boolean;

const isLess: Comparison = (value, other, work) => compare(value, other, work) < 0;
const isMore: Comparison = (value, other, work) => compare(value, other, work) > 0;
const isLessOrEqual: Comparison = (value, other, work) => compare(value, other, work) <= 0;
const isMoreOrEqual: Comparison = (value, other, work) => compare(value, other, work) >= 0;
const isDifferent: Comparison = (value, other, work) => !isEqual(value, other, work);

/** Operators that answer yes or no, and Jinja's names for them as tests of `select` and its like. */
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
  'not in': (value, other, work) => !isIn(value, other, work),
  divisibleby: (value, other, work) =>
    isNumeric(value) && isNumeric(other) ? Number(value) % Number(other) === 0 : work.fail('Only numbers are divisible by numbers.'),
};
