/** As deep as payloads may be nested (contract section 1, Limits). */
const DEPTH_MAX = 512;

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/**
 * What a model's answer says as JSON: a text that holds a JSON object or array is that; any other value is itself. A text that is
 * nested deeper than a payload may be is a text.
 */
export const jsonOf = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || depthOf(value) > DEPTH_MAX) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text[i];
    if (inString && unit === '\\') i += 1;
    else if (unit === '"') inString = !inString;
    else if (!inString && (unit === '[' || unit === '{')) deepest = Math.max(deepest, ++depth);
    else if (!inString && (unit === ']' || unit === '}')) depth -= 1;
  }
  return deepest;
};

/** A text that is the same for two JSON values exactly when they are equal, whatever the order of their fields. */
export const equalityKey = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`;
  // JSON.stringify writes -0 as 0.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${equalityKey(field)}`).join(',')}}`;
};

/** Where two JSON values first differ, as a JSON Pointer; undefined when they are equal. Keeps its own stack, so depth costs no call. */
export const firstDifference = (left: unknown, right: unknown): string | undefined => {
  const open: Compared[] = [{ left, right, name: '', parent: undefined }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const names = sharedNames(pair.left, pair.right);
    if (names === undefined) return pathOf(pair);
    for (let i = names.length - 1; i >= 0; i -= 1) {
      const name = names[i]!;
      open.push({ left: fieldOf(pair.left, name), right: fieldOf(pair.right, name), name, parent: pair });
    }
  }
  return undefined;
};

type Compared = { left: unknown; right: unknown; name: string; parent: Compared | undefined };

const fieldOf = (value: unknown, name: string): unknown => (value as Record<string, unknown>)[name];

/** The names below which two values still have to be compared; undefined when they already differ here. */
const sharedNames = (left: unknown, right: unknown): string[] | undefined => {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right ? [] : undefined;
  if (Array.isArray(left) !== Array.isArray(right)) return undefined;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => Object.hasOwn(right, name)) ? names : undefined;
};

const pathOf = (pair: Compared): string => {
  const segments: string[] = [];
  for (let at: Compared | undefined = pair; at?.parent !== undefined; at = at.parent) {
    segments.push(`/${at.name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return segments.reverse().join('');
};
