import { positionsOf } from './compare.ts';
import { type Filter, integer, textOf } from './filter.ts';
import { listFilters, pairsOf } from './list-filters.ts';
import { strip, textFilters } from './text-filters.ts';
import { fieldOf, isFields, type Value } from './values.ts';
import type { Work } from './work.ts';

/** Methods of texts, as in Python. */
export const textMethods: Record<string, Filter> = {
  capitalize: textFilters.capitalize!,
  count: (value, given, work) => positionsOf({ wanted: textOf(given.take(0, 'sub'), work), text: textOf(value, work), work }).length,
  endswith: (value, given, work) => isAtAnEnd('endsWith', textOf(value, work), given.take(0, 'suffix'), work),
  find: (value, given, work) => {
    const text = textOf(value, work);
    return positionsOf({ wanted: textOf(given.take(0, 'sub'), work), text, countMax: 1, work })[0] ?? -1;
  },
  join: (value, given, work) =>
    listFilters.join!(given.take(0, 'iterable'), { ...given, take: (index) => (index === 0 ? value : undefined) }, work),
  lower: textFilters.lower!,
  lstrip: (value, given, work) => strip(textOf(value, work), given.take(0, 'chars'), work, { end: false }),
  replace: textFilters.replace!,
  rstrip: (value, given, work) => strip(textOf(value, work), given.take(0, 'chars'), work, { start: false }),
  split: (value, given, work) => {
    const separator = given.take(0, 'sep') ?? null;
    const splitsMax = integer(given, 1, 'maxsplit', -1, work);
    const countMax = splitsMax < 0 ? Number.POSITIVE_INFINITY : splitsMax;
    const text = textOf(value, work);
    return separator === null ? splitAtSpaces(text, countMax, work) : splitAt(text, { separator: textOf(separator, work), countMax, work });
  },
  startswith: (value, given, work) => isAtAnEnd('startsWith', textOf(value, work), given.take(0, 'prefix'), work),
  strip: (value, given, work) => strip(textOf(value, work), given.take(0, 'chars'), work),
  title: textFilters.title!,
  upper: textFilters.upper!,
};

/** Methods of objects. A field of the same name does not hide them: `inputs.items` is the field, `inputs.items()` is the method. */
export const fieldsMethods: Record<string, Filter> = {
  get: (value, given) => {
    const name = given.take(0, 'key');
    const isThere = isFields(value) && typeof name === 'string' && Object.hasOwn(value, name);
    return isThere ? fieldOf(value, name) : given.take(1, 'default');
  },
  items: (value, _, work) => pairsOf(value, work),
  keys: listFilters.keys!,
  values: listFilters.values!,
};

function isAtAnEnd(method: 'startsWith' | 'endsWith', text: string, wanted: Value, work: Work): boolean {
  const choices = Array.isArray(wanted) ? wanted : [wanted];
  return choices.some((choice) => {
    const end = textOf(choice, work);
    work.step();
    work.characters(Math.min(end.length, text.length));
    return text[method](end);
  });
}

function splitAt(text: string, { separator, countMax, work }: { separator: string; countMax: number; work: Work }): string[] {
  if (separator === '') return work.fail('`split` needs a text to split at, not an empty one.');
  const pieces: string[] = [];
  let rest = 0;
  for (const at of countMax === 0 ? [] : positionsOf({ wanted: separator, text, countMax, work })) {
    pieces.push(text.slice(rest, at));
    rest = at + separator.length;
  }
  return [...pieces, text.slice(rest)];
}

function splitAtSpaces(text: string, countMax: number, work: Work): string[] {
  work.characters(text.length);
  const pieces: string[] = [];
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    work.step();
    if (pieces.length >= countMax) return [...pieces, text.slice(index)];
    pieces.push(word);
  }
  return pieces;
}
