import { parseByValue } from '@assay/json/parse';
import { isComposite, isNumber, isObject, JsonNumber } from '@assay/json/value';
import type { Fields } from '../entity.ts';

/** The value at a path of keys and indexes; undefined where there is none. Inherited keys are none. */
export function valueAt(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (!isComposite(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** The text at a path; undefined where there is none, or an empty one. */
export function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = valueAt(value, ...path);
  if (isNumber(found) || typeof found === 'boolean') return String(found);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The text or the object at a path; undefined where there is none, or an empty one. */
export const saidAt = (value: unknown, ...path: (string | number)[]): unknown =>
  textAt(value, ...path) ?? objectAt(value, ...path);

/** The number at a path, if it is one that JSON can have. */
export function numberAt(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = plainNumber(valueAt(value, ...path));
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** The nearest double of a number with more digits, as a score is one; any other value as it is. */
export const plainNumber = (value: unknown): unknown =>
  value instanceof JsonNumber ? value.toJSON() : value;

/** The numbers at these paths, by new names: those that are there and not negative. */
export function numbers(
  value: unknown,
  paths: Record<string, (string | number)[]>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([name, path]) => {
      const number = numberAt(value, ...path);
      return number === undefined || number < 0 ? [] : [[name, number]];
    }),
  );
}

export function objectAt(value: unknown, ...path: (string | number)[]): Fields | undefined {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : undefined;
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** An object as it is; any other value under the given name; nothing for null. */
export function fieldsOf(value: unknown, name: string): Fields {
  if (value === undefined || value === null) return {};
  return isObject(value) ? value : { [name]: value };
}

/** The members whose values are not undefined. */
export const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The members without these keys. */
export const without = (fields: Fields, ...keys: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));

/** The members with these keys. */
export const only = (fields: Fields, ...keys: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => keys.includes(key)));

/** Text that is JSON becomes its value, with all digits; text that is not stays. */
export function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  try {
    return parseByValue(value);
  } catch {
    return value;
  }
}
