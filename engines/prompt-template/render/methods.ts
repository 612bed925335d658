import { positionsOf } from './compare.ts';
import { type Filter, integer, textOf } from './filter.ts';
import { listFilters, pairsOf } from './list-filters.ts';
import type { RenderState } from './render-state.ts';
import { strip, textFilters } from './text-filters.ts';
import { fieldOf, isFields, type Value } from './values.ts';

/** Methods of texts, as in Python. */
export const textMethods: Record<string, Filter> = {
  capitalize: textFilters.capitalize!,
  count: (value, given, state) =>
    positionsOf({ wanted: textOf(given.take(0, 'sub'), state), text: textOf(value, state), state })
      .length,
  endswith: (value, given, state) =>
    isAtAnEnd('endsWith', textOf(value, state), given.take(0, 'suffix'), state),
  find: (value, given, state) => {
    const text = textOf(value, state);
    return (
      positionsOf({ wanted: textOf(given.take(0, 'sub'), state), text, countMax: 1, state })[0] ??
      -1
    );
  },
  join: (value, given, state) =>
    listFilters.join!(
      given.take(0, 'iterable'),
      { ...given, take: (index) => (index === 0 ? value : undefined) },
      state,
    ),
  lower: textFilters.lower!,
  lstrip: (value, given, state) =>
    strip(textOf(value, state), given.take(0, 'chars'), state, { end: false }),
  replace: textFilters.replace!,
  rstrip: (value, given, state) =>
    strip(textOf(value, state), given.take(0, 'chars'), state, { start: false }),
  split: (value, given, state) => {
    const separator = given.take(0, 'sep') ?? null;
    const splitsMax = integer(given, 1, 'maxsplit', -1, state);
    const countMax = splitsMax < 0 ? Number.POSITIVE_INFINITY : splitsMax;
    const text = textOf(value, state);
    return separator === null
      ? splitAtSpaces(text, countMax, state)
      : splitAt(text, { separator: textOf(separator, state), countMax, state });
  },
  startswith: (value, given, state) =>
    isAtAnEnd('startsWith', textOf(value, state), given.take(0, 'prefix'), state),
  strip: (value, given, state) => strip(textOf(value, state), given.take(0, 'chars'), state),
  title: textFilters.title!,
  upper: textFilters.upper!,
};

/**
 * Methods of objects. A field of the same name does not hide them: `inputs.items` is the field,
 * `inputs.items()` is the method.
 */
export const fieldsMethods: Record<string, Filter> = {
  get: (value, given) => {
    const name = given.take(0, 'key');
    const isThere = isFields(value) && typeof name === 'string' && Object.hasOwn(value, name);
    return isThere ? fieldOf(value, name) : given.take(1, 'default');
  },
  items: (value, _, state) => pairsOf(value, state),
  keys: listFilters.keys!,
  values: listFilters.values!,
};

function isAtAnEnd(
  method: 'startsWith' | 'endsWith',
  text: string,
  wanted: Value,
  state: RenderState,
): boolean {
  const choices = Array.isArray(wanted) ? wanted : [wanted];
  return choices.some((choice) => {
    const end = textOf(choice, state);
    state.step();
    state.characters(Math.min(end.length, text.length));
    return text[method](end);
  });
}

function splitAt(
  text: string,
  { separator, countMax, state }: { separator: string; countMax: number; state: RenderState },
): string[] {
  if (separator === '') return state.fail('`split` needs a text to split at, not an empty one.');
  const pieces: string[] = [];
  let rest = 0;
  for (const at of countMax === 0
    ? []
    : positionsOf({ wanted: separator, text, countMax, state })) {
    pieces.push(text.slice(rest, at));
    rest = at + separator.length;
  }
  return [...pieces, text.slice(rest)];
}

function splitAtSpaces(text: string, countMax: number, state: RenderState): string[] {
  state.characters(text.length);
  const pieces: string[] = [];
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    state.step();
    if (pieces.length >= countMax) return [...pieces, text.slice(index)];
    pieces.push(word);
  }
  return pieces;
}
