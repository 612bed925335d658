import { jsonText } from './json-text.ts';
import type { RenderState } from './render-state.ts';
import { type Value, wholeNumberOf } from './values.ts';

/**
 * A filter or method. `operand` is the value before `|` or `.`, `given` the arguments in the
 * brackets after the name.
 */
export type Filter = (operand: Value, given: Arguments, state: RenderState) => Value;

/** Arguments by their place, or by their name. */
export interface Arguments {
  positional: Value[];
  take: (index: number, name: string) => Value;
}

export const createArguments = (
  positional: Value[] = [],
  named: ReadonlyMap<string, Value> = new Map(),
): Arguments => ({
  positional,
  take: (index, name) => (positional.length > index ? positional[index] : named.get(name)),
});

/** A value as it is printed: texts as they are, nothing as nothing, and the rest as JSON. */
export function textOf(value: Value, state: RenderState): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : jsonText(value, {}, state);
}

export function integer(
  given: Arguments,
  index: number,
  name: string,
  fallback: number,
  state: RenderState,
): number {
  const value = given.take(index, name) ?? fallback;
  return wholeNumberOf(value) ?? state.fail(`\`${name}\` must be a whole number.`);
}

export const flag = (given: Arguments, index: number, name: string): boolean =>
  given.take(index, name) === true;
