import { areEqualNumbers, compareNumbers, decimalOf } from '@assay/json/numbers';
import { isNumber, JsonNumber } from '@assay/json/value';
import type { RenderState } from './render-state.ts';
import { fieldOf, isFields, nameOf, namesOf, sentence, type Value } from './values.ts';

/**
 * True if the values are equal as in Python: lists and objects compare by their contents, and
 * `true` equals 1.
 */
export function isEqual(a: Value, b: Value, state: RenderState, depth = 0): boolean {
  state.step();
  if (depth > state.limits.valueDepthMax)
    return state.fail(
      `Values are nested deeper than ${state.limits.valueDepthMax} levels, too deep to compare.`,
    );
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false;
    state.characters(a.length);
    return a === b;
  }
  if (Array.isArray(a) && Array.isArray(b))
    return (
      a.length === b.length && a.every((item, index) => isEqual(item, b[index], state, depth + 1))
    );
  if (isFields(a) && isFields(b)) {
    const names = namesOf(a, state);
    const isSame = (name: string) =>
      Object.hasOwn(b, name) && isEqual(fieldOf(a, name), fieldOf(b, name), state, depth + 1);
    return names.length === namesOf(b, state).length && names.every(isSame);
  }
  return isNumeric(a) && isNumeric(b) ? areEqualNumbers(numberIn(a), numberIn(b)) : a === b;
}

/** Below 0 if `a` comes first. Numbers and texts have an order, each among themselves. */
export function compare(a: Value, b: Value, state: RenderState): number {
  state.step();
  if (isNumeric(a) && isNumeric(b)) return order(numberIn(a), numberIn(b));
  if (typeof a !== 'string' || typeof b !== 'string')
    return state.fail(`${sentence(nameOf(a))} and ${nameOf(b)} have no order to compare them by.`);
  state.characters(Math.min(a.length, b.length));
  return a < b ? -1 : Number(a > b);
}

/** `a in b` */
export function isIn(item: Value, container: Value, state: RenderState): boolean {
  if (Array.isArray(container)) return container.some((other) => isEqual(item, other, state));
  if (isFields(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  if (container === undefined) return false;
  if (typeof container !== 'string')
    return state.fail(`${sentence(nameOf(container))} can hold nothing to look for with \`in\`.`);
  if (typeof item !== 'string') return state.fail(`A text can hold texts, not ${nameOf(item)}.`);
  return positionsOf({ wanted: item, text: container, countMax: 1, state }).length > 0;
}

export const isNumeric = (value: Value): value is number | JsonNumber | boolean =>
  isNumber(value) || typeof value === 'boolean';

/** `true` is 1, as in Python. */
const numberIn = (value: number | JsonNumber | boolean): number | JsonNumber =>
  typeof value === 'boolean' ? Number(value) : value;

/** `-a`, with the digits of `a`. */
export function negative(value: number | JsonNumber | boolean): number | JsonNumber {
  if (!(value instanceof JsonNumber)) return -Number(value);
  return new JsonNumber(value.text.startsWith('-') ? value.text.slice(1) : `-${value.text}`);
}

/** By their digits, where a double does not say one of them. */
const order = (a: number | JsonNumber, b: number | JsonNumber): number =>
  a instanceof JsonNumber || b instanceof JsonNumber
    ? compareNumbers(decimalOf(a), decimalOf(b))
    : a - b;

interface Search {
  wanted: string;
  text: string;
  countMax?: number;
  state: RenderState;
}

/** Where a text occurs in another, up to `countMax` times, without overlaps. */
export function positionsOf({
  wanted,
  text,
  countMax = Number.POSITIVE_INFINITY,
  state,
}: Search): number[] {
  state.characters(text.length + wanted.length);
  const positions: number[] = [];
  const found = (at: number) => {
    state.step();
    return positions.push(at) >= countMax;
  };
  if (wanted.length <= nativeSearchMax) {
    const width = Math.max(1, wanted.length);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + width))
      if (found(at) || at >= text.length) break;
  } else searchLong(wanted, text, found);
  return positions;
}

/**
 * V8 finds texts of up to 250 characters in linear time, and can take the product of both lengths
 * for longer ones.
 */
const nativeSearchMax = 240;

/** Knuth, Morris, Pratt (1977). Ends when `found` says that it is enough. */
function searchLong(wanted: string, text: string, found: (at: number) => boolean): void {
  const border = new Int32Array(wanted.length);
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = border[matched - 1]!;
    if (wanted[at] === wanted[matched]) matched++;
    border[at] = matched;
  }
  for (let at = 0, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== wanted[matched]) matched = border[matched - 1]!;
    if (text[at] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    if (found(at + 1 - wanted.length)) return;
    matched = 0;
  }
}
