import { isNumber } from '@assay/json/value';
import { compare, isEqual } from './compare.ts';
import { type Arguments, type Filter, flag, textOf } from './filter.ts';
import { fieldsOf } from './member.ts';
import type { RenderState } from './render-state.ts';
import { comparisons, tests } from './tests.ts';
import {
  fieldOf,
  isFields,
  isTrue,
  itemsOf,
  lengthOf,
  nameOf,
  namesOf,
  type Value,
} from './values.ts';

/**
 * Filters that read their operand as a list: of items, of the names of fields, or of characters.
 */
export const listFilters: Record<string, Filter> = {
  dictsort: (value, given, state) => {
    const part = given.take(1, 'by') === 'value' ? 1 : 0;
    const pairs = pairsOf(value, state) as [string, Value][];
    return sorted(pairs, {
      keyOf: (pair) => (pair as Value[])[part],
      isCaseSensitive: flag(given, 0, 'case_sensitive'),
      isReversed: flag(given, 2, 'reverse'),
      state,
    });
  },
  first: (value, _, state) => itemsOf(value, state)[0],
  items: (value, _, state) => pairsOf(value, state),
  join: (value, given, state) => {
    const attribute = given.take(1, 'attribute');
    const items = itemsOf(value, state);
    const separator = textOf(given.take(0, 'd'), state);
    state.step(items.length);
    const texts = items.map((item) =>
      textOf(attribute === undefined ? item : fieldsOf(item, attribute, state), state),
    );
    state.characters(texts.reduce((sum, { length }) => sum + length + separator.length, 0));
    return texts.join(separator);
  },
  keys: (value, _, state) => pairsOf(value, state).map(([name]) => name!),
  last: (value, _, state) => itemsOf(value, state).at(-1),
  length: (value, _, state) => lengthOf(value, state),
  list: (value, _, state) => copyOf(value, state),
  max: (value, given, state) => extreme(value, given, 1, state),
  min: (value, given, state) => extreme(value, given, -1, state),
  reverse: (value, _, state) => {
    const items = copyOf(value, state).reverse();
    return typeof value === 'string' ? items.join('') : items;
  },
  sort: (value, given, state) => {
    const attribute = given.take(2, 'attribute');
    const keyOf = (item: Value) =>
      attribute === undefined ? item : fieldsOf(item, attribute, state);
    return sorted(copyOf(value, state), {
      keyOf,
      isCaseSensitive: flag(given, 1, 'case_sensitive'),
      isReversed: flag(given, 0, 'reverse'),
      state,
    });
  },
  sum: (value, given, state) => {
    const attribute = given.take(0, 'attribute');
    return copyOf(value, state).reduce<number>(
      (sum, item) => {
        const number = attribute === undefined ? item : fieldsOf(item, attribute, state);
        return isNumber(number)
          ? sum + Number(number)
          : state.fail(`\`sum\` needs numbers, not ${nameOf(number)}.`);
      },
      Number(given.take(1, 'start') ?? 0),
    );
  },
  unique: (value, given, state) => {
    const isCaseSensitive = flag(given, 0, 'case_sensitive');
    const kept: { item: Value; key: Value }[] = [];
    for (const item of copyOf(value, state)) {
      const key = isCaseSensitive ? item : lowered(item, state);
      if (!kept.some((other) => isEqual(other.key, key, state))) kept.push({ item, key });
    }
    return kept.map(({ item }) => item);
  },
  values: (value, _, state) => pairsOf(value, state).map(([, field]) => field),
  select: (value, given, state) => chosen(value, { keyOf: (item) => item, given, index: 0, state }),
  reject: (value, given, state) =>
    chosen(value, { keyOf: (item) => item, given, index: 0, isRejecting: true, state }),
  selectattr: (value, given, state) =>
    chosen(value, {
      keyOf: (item) => fieldsOf(item, given.take(0, 'attribute'), state),
      given,
      index: 1,
      state,
    }),
  rejectattr: (value, given, state) =>
    chosen(value, {
      keyOf: (item) => fieldsOf(item, given.take(0, 'attribute'), state),
      given,
      index: 1,
      isRejecting: true,
      state,
    }),
};

function copyOf(value: Value, state: RenderState): Value[] {
  const items = itemsOf(value, state);
  state.step(items.length);
  return items.slice();
}

/** Name and value of each field. */
export function pairsOf(value: Value, state: RenderState): Value[][] {
  if (value === undefined) return [];
  if (!isFields(value)) return state.fail(`Only an object has fields, not ${nameOf(value)}.`);
  return namesOf(value, state).map((name) => [name, fieldOf(value, name)]);
}

interface Order {
  keyOf: (item: Value) => Value;
  isCaseSensitive: boolean;
  isReversed: boolean;
  state: RenderState;
}

function sorted<T extends Value>(
  items: T[],
  { keyOf, isCaseSensitive, isReversed, state }: Order,
): T[] {
  const keyed = items.map((item) => ({
    item,
    key: isCaseSensitive ? keyOf(item) : lowered(keyOf(item), state),
  }));
  return keyed
    .sort((a, b) => compare(a.key, b.key, state) * (isReversed ? -1 : 1))
    .map(({ item }) => item);
}

function lowered(value: Value, state: RenderState): Value {
  if (typeof value !== 'string') return value;
  state.characters(value.length);
  return value.toLowerCase();
}

function extreme(value: Value, given: Arguments, sign: number, state: RenderState): Value {
  const attribute = given.take(1, 'attribute');
  const keyOf = (item: Value) => {
    const key = attribute === undefined ? item : fieldsOf(item, attribute, state);
    return flag(given, 0, 'case_sensitive') ? key : lowered(key, state);
  };
  return copyOf(value, state).reduce<Value>(
    (most, item, index) =>
      index === 0 || compare(keyOf(item), keyOf(most), state) * sign > 0 ? item : most,
    undefined,
  );
}

interface Choice {
  keyOf: (item: Value) => Value;
  given: Arguments;
  /** Where the name of the test stands; its own argument comes after it. */
  index: number;
  isRejecting?: boolean;
  state: RenderState;
}

function chosen(
  value: Value,
  { keyOf, given, index, isRejecting = false, state }: Choice,
): Value[] {
  const isTest = testOf(given, index, state);
  return copyOf(value, state).filter((item) => isTest(keyOf(item)) !== isRejecting);
}

function testOf(
  { positional }: Arguments,
  index: number,
  state: RenderState,
): (value: Value) => boolean {
  const name = positional[index];
  if (name === undefined) return isTrue;
  if (typeof name === 'string' && Object.hasOwn(tests, name))
    return (value) => tests[name]!(value, state);
  if (typeof name === 'string' && Object.hasOwn(comparisons, name))
    return (value) => comparisons[name]!(value, positional[index + 1], state);
  return state.fail(`There is no test \`${textOf(name, state).slice(0, 40)}\`.`);
}
