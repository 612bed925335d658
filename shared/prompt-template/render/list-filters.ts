import { compare, isEqual } from './compare.ts';
import { type Arguments, type Filter, flag, textOf } from './filter.ts';
import { fieldsOf } from './member.ts';
import { comparisons, questions } from './questions.ts';
import { fieldOf, isFields, isTrue, itemsOf, lengthOf, nameOf, namesOf, type Value } from './values.ts';
import type { Work } from './work.ts';

/** Filters that read their operand as a list: of items, of the names of fields, or of characters. */
export const listFilters: Record<string, Filter> = {
  dictsort: (value, given, work) => {
    const part = given.take(1, 'by') === 'value' ? 1 : 0;
    const pairs = pairsOf(value, work) as [string, Value][];
    return sorted(pairs, {
      of: (pair) => (pair as Value[])[part],
      isCaseSensitive: flag(given, 0, 'case_sensitive'),
      isReversed: flag(given, 2, 'reverse'),
      work,
    });
  },
  first: (value, _, work) => itemsOf(value, work)[0],
  items: (value, _, work) => pairsOf(value, work),
  join: (value, given, work) => {
    const attribute = given.take(1, 'attribute');
    const items = itemsOf(value, work);
    const separator = textOf(given.take(0, 'd'), work);
    work.step(items.length);
    const texts = items.map((item) => textOf(attribute === undefined ? item : fieldsOf(item, attribute, work), work));
    work.characters(texts.reduce((sum, { length }) => sum + length + separator.length, 0));
    return texts.join(separator);
  },
  keys: (value, _, work) => pairsOf(value, work).map(([name]) => name!),
  last: (value, _, work) => itemsOf(value, work).at(-1),
  length: (value, _, work) => lengthOf(value, work),
  list: (value, _, work) => copyOf(value, work),
  max: (value, given, work) => extreme(value, given, 1, work),
  min: (value, given, work) => extreme(value, given, -1, work),
  reverse: (value, _, work) => {
    const items = copyOf(value, work).reverse();
    return typeof value === 'string' ? items.join('') : items;
  },
  sort: (value, given, work) => {
    const attribute = given.take(2, 'attribute');
    const of = (item: Value) => (attribute === undefined ? item : fieldsOf(item, attribute, work));
    return sorted(copyOf(value, work), {
      of,
      isCaseSensitive: flag(given, 1, 'case_sensitive'),
      isReversed: flag(given, 0, 'reverse'),
      work,
    });
  },
  sum: (value, given, work) => {
    const attribute = given.take(0, 'attribute');
    return copyOf(value, work).reduce<number>(
      (sum, item) => {
        const number = attribute === undefined ? item : fieldsOf(item, attribute, work);
        return typeof number === 'number' ? sum + number : work.fail(`\`sum\` needs numbers, not ${nameOf(number)}.`);
      },
      Number(given.take(1, 'start') ?? 0),
    );
  },
  unique: (value, given, work) => {
    const isCaseSensitive = flag(given, 0, 'case_sensitive');
    const kept: { item: Value; key: Value }[] = [];
    for (const item of copyOf(value, work)) {
      const key = isCaseSensitive ? item : lowered(item, work);
      if (!kept.some((other) => isEqual(other.key, key, work))) kept.push({ item, key });
    }
    return kept.map(({ item }) => item);
  },
  values: (value, _, work) => pairsOf(value, work).map(([, field]) => field),
  select: (value, given, work) => chosen(value, { of: (item) => item, given, index: 0, work }),
  reject: (value, given, work) => chosen(value, { of: (item) => item, given, index: 0, isRejecting: true, work }),
  selectattr: (value, given, work) =>
    chosen(value, { of: (item) => fieldsOf(item, given.take(0, 'attribute'), work), given, index: 1, work }),
  rejectattr: (value, given, work) =>
    chosen(value, { of: (item) => fieldsOf(item, given.take(0, 'attribute'), work), given, index: 1, isRejecting: true, work }),
};

function copyOf(value: Value, work: Work): Value[] {
  const items = itemsOf(value, work);
  work.step(items.length);
  return items.slice();
}

/** Name and value of each field. */
export function pairsOf(value: Value, work: Work): Value[][] {
  if (value === undefined) return [];
  if (!isFields(value)) return work.fail(`Only an object has fields, not ${nameOf(value)}.`);
  return namesOf(value, work).map((name) => [name, fieldOf(value, name)]);
}

interface Order {
  of: (item: Value) => Value;
  isCaseSensitive: boolean;
  isReversed: boolean;
  work: Work;
}

function sorted<T extends Value>(items: T[], { of, isCaseSensitive, isReversed, work }: Order): T[] {
  const keyed = items.map((item) => ({ item, key: isCaseSensitive ? of(item) : lowered(of(item), work) }));
  return keyed.sort((a, b) => compare(a.key, b.key, work) * (isReversed ? -1 : 1)).map(({ item }) => item);
}

function lowered(value: Value, work: Work): Value {
  if (typeof value !== 'string') return value;
  work.characters(value.length);
  return value.toLowerCase();
}

function extreme(value: Value, given: Arguments, sign: number, work: Work): Value {
  const attribute = given.take(1, 'attribute');
  const of = (item: Value) => {
    const key = attribute === undefined ? item : fieldsOf(item, attribute, work);
    return flag(given, 0, 'case_sensitive') ? key : lowered(key, work);
  };
  return copyOf(value, work).reduce<Value>(
    (most, item, index) => (index === 0 || compare(of(item), of(most), work) * sign > 0 ? item : most),
    undefined,
  );
}

interface Choice {
  of: (item: Value) => Value;
  given: Arguments;
  /** Where the name of the test stands; its own argument comes after it. */
  index: number;
  isRejecting?: boolean;
  work: Work;
}

function chosen(value: Value, { of, given, index, isRejecting = false, work }: Choice): Value[] {
  const isTest = testOf(given, index, work);
  return copyOf(value, work).filter((item) => isTest(of(item)) !== isRejecting);
}

function testOf({ positional }: Arguments, index: number, work: Work): (value: Value) => boolean {
  const name = positional[index];
  if (name === undefined) return isTrue;
  if (typeof name === 'string' && Object.hasOwn(questions, name)) return (value) => questions[name]!(value, work);
  if (typeof name === 'string' && Object.hasOwn(comparisons, name))
    return (value) => comparisons[name]!(value, positional[index + 1], work);
  return work.fail(`There is no test \`${textOf(name, work).slice(0, 40)}\`.`);
}
