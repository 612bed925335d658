import { parseJson } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import type { Attributes, Value } from '@assay/otlp/span';
import { hasContent } from './content.ts';

/** Members of a flattened list or object that are put together. */
const membersMax = 10_000;
const flattenedDepthMax = 12;

/** A value with the attribute, or the event, of which it was read. */
export interface Finding<Value> {
  value: Value;
  from: string;
}

/** Notes of which attribute a field was read, and returns its value. */
export function noted<Value>(
  from: Record<string, string>,
  name: string,
  found: Finding<Value> | undefined,
): Value | undefined {
  if (found) from[name] = found.from;
  return found?.value;
}

/** Returns the first of these attributes that has a text; a number is its digits. */
export function textAt(
  attributes: Attributes,
  keys: readonly string[],
): Finding<string> | undefined {
  for (const from of keys) {
    const value = attributes.get(from);
    if (typeof value === 'string' && value !== '') return { value, from };
    if (typeof value === 'bigint' || typeof value === 'number')
      return { value: String(value), from };
  }
  return undefined;
}

/** Returns the first of these attributes that has a number of 0 or more, or the digits of one. */
export function numberAt(
  attributes: Attributes,
  keys: readonly string[],
): Finding<number> | undefined {
  for (const from of keys) {
    const given = attributes.get(from);
    const isNumeric =
      typeof given === 'bigint' ||
      typeof given === 'number' ||
      (typeof given === 'string' && /^\d{1,15}(?:\.\d{1,12})?$/.test(given));
    const value = isNumeric ? Number(given) : Number.NaN;
    if (Number.isFinite(value) && value >= 0) return { value, from };
  }
  return undefined;
}

/**
 * Returns the first of these attributes that has content, else the first that has anything. A text of JSON stands for
 * its value.
 */
export function valueAt(
  attributes: Attributes,
  keys: readonly string[],
): Finding<unknown> | undefined {
  let empty: Finding<unknown> | undefined;
  for (const from of keys) {
    const given = attributes.get(from);
    if (given === undefined || given === '') continue;
    const found = { value: parsed(given), from };
    if (hasContent(found.value)) return found;
    empty ??= found;
  }
  return empty;
}

/**
 * Returns the first finding that has content, else the first: a tool without arguments has `{}`, which says less than
 * whatever else was found.
 */
export function firstWithContent(
  findings: Iterable<Finding<unknown> | undefined>,
): Finding<unknown> | undefined {
  let empty: Finding<unknown> | undefined;
  for (const found of findings) {
    if (found === undefined) continue;
    if (hasContent(found.value)) return found;
    empty ??= found;
  }
  return empty;
}

/** Like {@link valueAt}, of attributes that always are JSON: there a text in quotes is that text. */
export function jsonAt(
  attributes: Attributes,
  keys: readonly string[],
): Finding<unknown> | undefined {
  const found = valueAt(attributes, keys);
  if (typeof found?.value !== 'string' || !/^(?:"|null$)/.test(found.value)) return found;
  try {
    return { ...found, value: parseJson(found.value) };
  } catch {
    return found;
  }
}

/** Returns a value as JSON has it; a text that is an object or a list of JSON is that. */
export const parsed = (value: Value): unknown =>
  typeof value === 'string' ? parsedText(value) : toJson(value);

/** Returns the object or the list of JSON that a text is; any other text as it is. */
export function parsedText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/**
 * Returns a value as JSON can have it: an integer that a number cannot hold as its digits, bytes in
 * base64, NaN and infinities as their names.
 */
export function toJson(value: Value): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map) return attributesToJson(value);
  return value;
}

/** Returns a value as text: a text as it is, any other as its JSON; undefined for none. */
export function textOf(value: Value): string | undefined {
  return value === undefined ? undefined : jsonText(toJson(value));
}

/** Returns a value of JSON as text: a text as it is, any other as its JSON. */
export const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : writeJson(value);

/** Returns attributes as an object, whose keys may be those of an object's own parts. */
export const attributesToJson = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(Array.from(attributes, ([key, value]) => [key, toJson(value)]));

/**
 * Puts together the members that stand flattened below a prefix: `prefix.0.role`, `prefix.0.content`. Members
 * whose names are numbers are a list in their order, gaps closed.
 */
export function unflattened(attributes: Attributes, prefix: string): Finding<unknown> | undefined {
  const tree: Tree = new Map();
  const start = `${prefix}.`;
  let members = 0;
  for (const [key, value] of attributes) {
    if (!key.startsWith(start) || members === membersMax) continue;
    const path = key.slice(prefix.length + 1).split('.');
    if (path.length > flattenedDepthMax) continue;
    members += 1;
    let at = tree;
    for (const name of path.slice(0, -1)) {
      const inner = at.get(name);
      const next: Tree = inner instanceof Map ? inner : new Map();
      if (next !== inner) at.set(name, next);
      at = next;
    }
    const last = path.at(-1)!;
    if (!(at.get(last) instanceof Map)) at.set(last, { leaf: value });
  }
  return members === 0 ? undefined : { value: built(tree), from: prefix };
}

type Tree = Map<string, Tree | { leaf: Value }>;

function built(tree: Tree): unknown {
  const entries = Array.from(tree, ([name, inner]): [string, unknown] => [
    name,
    inner instanceof Map ? built(inner) : parsed(inner.leaf),
  ]);
  return entries.every(([name]) => /^\d{1,9}$/.test(name))
    ? entries.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, value]) => value)
    : Object.fromEntries(entries);
}
