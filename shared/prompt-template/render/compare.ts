import { fieldOf, isFields, nameOf, namesOf, sentence, type Value } from './values.ts';
import type { Work } from './work.ts';

/** True if the values are equal as in Python: lists and objects compare by their contents, and `true` equals 1. */
export function isEqual(a: Value, b: Value, work: Work, depth = 0): boolean {
  work.step();
  if (depth > work.limits.valueDepthMax)
    return work.fail(`Values are nested deeper than ${work.limits.valueDepthMax} levels, too deep to compare.`);
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false;
    work.characters(a.length);
    return a === b;
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index], work, depth + 1));
  if (isFields(a) && isFields(b)) {
    const names = namesOf(a, work);
    const isSame = (name: string) => Object.hasOwn(b, name) && isEqual(fieldOf(a, name), fieldOf(b, name), work, depth + 1);
    return names.length === namesOf(b, work).length && names.every(isSame);
  }
  return isNumeric(a) && isNumeric(b) ? Number(a) === Number(b) : a === b;
}

/** Below 0 if `a` comes first. Numbers and texts have an order, each among themselves. */
export function compare(a: Value, b: Value, work: Work): number {
  work.step();
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b);
  if (typeof a !== 'string' || typeof b !== 'string')
    return work.fail(`${sentence(nameOf(a))} and ${nameOf(b)} have no order to compare them by.`);
  work.characters(Math.min(a.length, b.length));
  return a < b ? -1 : Number(a > b);
}

/** `a in b` */
export function isIn(item: Value, container: Value, work: Work): boolean {
  if (Array.isArray(container)) return container.some((other) => isEqual(item, other, work));
  if (isFields(container)) return typeof item === 'string' && Object.hasOwn(container, item);
  if (container === undefined) return false;
  if (typeof container !== 'string') return work.fail(`${sentence(nameOf(container))} can hold nothing to look for with \`in\`.`);
  if (typeof item !== 'string') return work.fail(`A text can hold texts, not ${nameOf(item)}.`);
  return positionsOf({ wanted: item, text: container, countMax: 1, work }).length > 0;
}

export const isNumeric = (value: Value): value is number | boolean => typeof value === 'number' || typeof value === 'boolean';

interface Search {
  wanted: string;
  text: string;
  countMax?: number;
  work: Work;
}

/** Where a text occurs in another, up to `countMax` times, without overlaps. */
export function positionsOf({ wanted, text, countMax = Number.POSITIVE_INFINITY, work }: Search): number[] {
  work.characters(text.length + wanted.length);
  const positions: number[] = [];
  const found = (at: number) => {
    work.step();
    return positions.push(at) >= countMax;
  };
  if (wanted.length <= nativeSearchMax) {
    const width = Math.max(1, wanted.length);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + width)) if (found(at) || at >= text.length) break;
  } else searchLong(wanted, text, found);
  return positions;
}

/** V8 finds texts of up to 250 characters in linear time, and can take the product of both lengths for longer ones. */
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
