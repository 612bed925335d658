import { decimalOf, isWhole } from '@assay/json/numbers';
import { isComposite, JsonNumber } from '@assay/json/value';

/** Objects and lists with plain numbers for ajv, with those that have all digits. */
const sources = new WeakMap<object, object>();

/**
 * The value with a plain number in place of each that has more digits: ajv knows no others. Whether
 * it is whole stays as it is, which is all that a type asks; keywords about values ask
 * {@link exactValue}.
 */
export function plainValue(value: unknown): unknown {
  if (value instanceof JsonNumber) return plainNumber(value);
  if (!isComposite(value)) return value;
  const plain = Array.isArray(value) ? plainList(value) : plainObject(value);
  if (plain !== value) sources.set(plain, value);
  return plain;
}

/** The list itself where nothing changes: it may have millions of elements. */
function plainList(list: unknown[]): unknown[] {
  let plain = list;
  for (let at = 0; at < list.length; at++) {
    const element = plainValue(list[at]);
    if (element === list[at]) continue;
    if (plain === list) plain = list.slice();
    plain[at] = element;
  }
  return plain;
}

function plainObject(object: object): object {
  const changed: [key: string, member: unknown][] = [];
  for (const [key, member] of Object.entries(object)) {
    const plain = plainValue(member);
    if (plain !== member) changed.push([key, plain]);
  }
  return changed.length > 0 ? Object.fromEntries([...Object.entries(object), ...changed]) : object;
}

function plainNumber({ text }: JsonNumber): number {
  const double = Number(text);
  if (!isWhole(decimalOf(text))) return Number.isInteger(double) ? 0.5 : double;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, double));
}

/** Notes that an object or list is a copy of another, with the same members. */
export function noteCopy(copy: object, value: object): void {
  const source = sources.get(value);
  if (source) sources.set(copy, source);
}

/** The value of a member, with all digits. */
export function exactMember(parent: unknown, name: string | number, value: unknown): unknown {
  const source = isComposite(parent) ? sources.get(parent) : undefined;
  if (source && Object.hasOwn(source, name)) return (source as Record<string, unknown>)[name];
  return exactValue(value);
}

/** An object or list with all digits. */
export const exactValue = (value: unknown): unknown =>
  isComposite(value) ? (sources.get(value) ?? value) : value;
