import { canonicalNumber } from './numbers.ts';
import { parseJson } from './parse.ts';
import { isComposite, isNumber, numberText } from './value.ts';

/**
 * A JSON text in one form: no space, keys sorted, of a repeated key the last, strings by their
 * characters, numbers by their value. Two texts have the same form exactly when their values are
 * equal. The text must be JSON.
 */
export const canonicalJson = (text: string): string => canonicalText(parseJson(text));

/**
 * The same of a value: equal for two values exactly when JSON Schema calls them equal. Names such
 * as `constructor` or `valueOf` are ordinary.
 */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (isNumber(value)) return canonicalNumber(numberText(value));
  if (!isComposite(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`);
  return `{${members.join(',')}}`;
}
