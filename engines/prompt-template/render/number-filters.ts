import { JsonNumber } from '@assay/json/value';
import { isNumeric } from './compare.ts';
import { type Filter, integer } from './filter.ts';
import { nameOf, type Value } from './values.ts';

export const numberFilters: Record<string, Filter> = {
  abs: (value, _, state) => {
    if (value instanceof JsonNumber) return new JsonNumber(value.text.replace(/^-/, ''));
    return isNumeric(value)
      ? Math.abs(Number(value))
      : state.fail(`\`abs\` needs a number, not ${nameOf(value)}.`);
  },
  float: (value, given) => numberIn(value) ?? given.take(0, 'default') ?? 0,
  int: (value, given) => {
    if (isWholeText(value)) return value;
    const number = numberIn(value);
    return number === undefined ? (given.take(0, 'default') ?? 0) : Math.trunc(number);
  },
  round: (value, given, state) => {
    const precision = integer(given, 0, 'precision', 0, state);
    const method = given.take(1, 'method') ?? 'common';
    if (isWholeText(value)) return value;
    if (!isNumeric(value)) return state.fail(`\`round\` needs a number, not ${nameOf(value)}.`);
    if (precision < 0 || precision > precisionMax)
      return state.fail(`\`round\` keeps 0 to ${precisionMax} digits.`);
    if (method === 'common') return Number(Number(value).toFixed(precision));
    if (method !== 'floor' && method !== 'ceil')
      return state.fail('The methods of `round` are common, floor and ceil.');
    const unit = 10 ** precision;
    return Math[method](Number(value) * unit) / unit;
  },
};

/** A whole number as it was sent, which no calculation has to round. */
const isWholeText = (value: Value): value is JsonNumber =>
  value instanceof JsonNumber && value.isInDigits;

const precisionMax = 15;
const digitsMax = 400;

/** The number that a value is or, as a text, begins and ends with. */
function numberIn(value: Value): number | undefined {
  if (isNumeric(value)) return Number(value);
  if (typeof value !== 'string' || value.length > digitsMax) return undefined;
  const text = value.trim();
  const number = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
