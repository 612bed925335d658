import { isDouble } from './numbers.ts';
import { hasJsonNumbers, isComposite, JsonNumber } from './value.ts';

/** A number that became the nearest double, and the names on the way to it. */
export interface RoundedNumber {
  path: string[];
  number: JsonNumber;
}

/**
 * A value for code that knows doubles alone: each {@link JsonNumber} in it is the nearest double.
 * The value itself where it has none. `told` hears of each number whose value changes by it.
 */
export function withDoubles(value: unknown, told: (rounded: RoundedNumber) => void): unknown {
  function convert(part: unknown, path: string[]): unknown {
    if (part instanceof JsonNumber) {
      if (!isDouble(part.text)) told({ path, number: part });
      return Number(part.text);
    }
    if (!isComposite(part)) return part;
    const members = Object.entries(part).map(([name, member]): [string, unknown] => [
      name,
      convert(member, [...path, name]),
    ]);
    if (members.every(([name, member]) => Object.is(member, part[name]))) return part;
    return Array.isArray(part) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }
  return hasJsonNumbers(value) ? convert(value, []) : value;
}
