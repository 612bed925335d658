import { areEqualNumbers } from '@assay/json/numbers';
import { parseByValue } from '@assay/json/parse';
import { pointerTo } from '@assay/json/pointer';
import { isDeeperThan } from '@assay/json/scan';
import { bodyDepthMax, isComposite, isNumber } from '@assay/json/value';
import { fencedTexts } from './fence.ts';

/**
 * Reads a model's answer as JSON: parses a text that holds a JSON object or array, and returns any
 * other value unchanged. A text that is nested deeper than a payload may be stays a text.
 */
export function jsonOf(value: unknown): unknown {
  if (
    typeof value !== 'string' ||
    !/^\s*[[{]/.test(value) ||
    isDeeperThan(Buffer.from(value), bodyDepthMax)
  )
    return value;
  try {
    return parseByValue(value);
  } catch {
    return value;
  }
}

/** Is the whole text JSON, nested no deeper than a payload may be? */
export function isJson(text: string): boolean {
  if (isDeeperThan(Buffer.from(text), bodyDepthMax)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first text of a code fence that is JSON. */
export const fencedJson = (text: string): string | undefined => fencedTexts(text).find(isJson);

/**
 * A place where two JSON values differ, as a JSON Pointer; undefined when they are equal. Keeps its
 * own stack, so depth costs no call, and puts only arrays and objects on it, so that five million
 * numbers cost no memory.
 */
export function findDifference(left: unknown, right: unknown): string | undefined {
  const open: ValuePair[] = [{ left, right, name: '', parent: undefined }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const differing = compareFields(pair, open);
    if (differing) return pathOf(differing);
  }
  return undefined;
}

interface ValuePair {
  left: unknown;
  right: unknown;
  name: string | number;
  parent: ValuePair | undefined;
}

/**
 * The pair that differs, if it or a plain field of it does; arrays and objects below it are put on
 * `open`.
 */
function compareFields(pair: ValuePair, open: ValuePair[]): ValuePair | undefined {
  const { left, right } = pair;
  if (!isComposite(left) || !isComposite(right)) return isSame(left, right) ? undefined : pair;
  if (Array.isArray(left) !== Array.isArray(right)) return pair;
  const names = Array.isArray(left) ? undefined : Object.keys(left);
  const count = names?.length ?? (left as unknown as unknown[]).length;
  if (count !== (names ? Object.keys(right).length : (right as unknown as unknown[]).length))
    return pair;
  for (let i = 0; i < count; i++) {
    const name = names?.[i] ?? i;
    if (!Object.hasOwn(right, name)) return pair;
    const [a, b] = [left[name], right[name]];
    if (isComposite(a) && isComposite(b)) open.push({ left: a, right: b, name, parent: pair });
    else if (!isSame(a, b)) return { left: a, right: b, name, parent: pair };
  }
  return undefined;
}

/** Are two values of which one at most is an array or object equal? Numbers are by their value. */
const isSame = (left: unknown, right: unknown): boolean =>
  isNumber(left) && isNumber(right) ? areEqualNumbers(left, right) : left === right;

function pathOf(pair: ValuePair): string {
  const path: PropertyKey[] = [];
  for (let at: ValuePair | undefined = pair; at?.parent !== undefined; at = at.parent)
    path.push(at.name);
  return pointerTo(path.reverse());
}
