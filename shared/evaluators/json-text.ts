/** As deep as payloads may be nested (contract section 1, Limits). */
const DEPTH_MAX = 512;

/**
 * Reads a model's answer as JSON: parses a text that holds a JSON object or array, and returns any other value unchanged. A text that is
 * nested deeper than a payload may be stays a text.
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

/**
 * A place where two JSON values differ, as a JSON Pointer; undefined when they are equal. Keeps its own stack, so depth costs no call,
 * and puts only arrays and objects on it, so that five million numbers cost no memory.
 */
export const findDifference = (left: unknown, right: unknown): string | undefined => {
  const open: Compared[] = [{ left, right, name: '', parent: undefined }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const differing = compareFields(pair, open);
    if (differing) return pathOf(differing);
  }
  return undefined;
};

type Compared = { left: unknown; right: unknown; name: string | number; parent: Compared | undefined };

/** The pair that differs, if it or a plain field of it does; arrays and objects below it are put on `open`. */
const compareFields = (pair: Compared, open: Compared[]): Compared | undefined => {
  const { left, right } = pair;
  if (!isComposite(left) || !isComposite(right)) return left === right ? undefined : pair;
  if (Array.isArray(left) !== Array.isArray(right)) return pair;
  const names = Array.isArray(left) ? undefined : Object.keys(left);
  const count = names?.length ?? (left as unknown as unknown[]).length;
  if (count !== (names ? Object.keys(right).length : (right as unknown as unknown[]).length)) return pair;
  for (let i = 0; i < count; i += 1) {
    const name = names?.[i] ?? i;
    if (!Object.hasOwn(right, name)) return pair;
    const [a, b] = [left[name], right[name]];
    if (isComposite(a) && isComposite(b)) open.push({ left: a, right: b, name, parent: pair });
    else if (a !== b) return { left: a, right: b, name, parent: pair };
  }
  return undefined;
};

const isComposite = (value: unknown): value is Record<string | number, unknown> => typeof value === 'object' && value !== null;

const pathOf = (pair: Compared): string => {
  const segments: string[] = [];
  for (let at: Compared | undefined = pair; at?.parent !== undefined; at = at.parent) {
    segments.push(`/${String(at.name).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return segments.reverse().join('');
};
