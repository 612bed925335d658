import { isNumber } from '@assay/json/value';
import { createArguments, type Filter } from './filter.ts';
import { jsonText } from './json-text.ts';
import { listFilters } from './list-filters.ts';
import { fieldsOf } from './member.ts';
import { fieldsMethods, textMethods } from './methods.ts';
import { numberFilters } from './number-filters.ts';
import type { RenderState } from './render-state.ts';
import { textFilters } from './text-filters.ts';
import { isTrue, type Value } from './values.ts';

const orDefault: Filter = (value, given) =>
  value === undefined || (given.take(1, 'boolean') === true && !isTrue(value))
    ? (given.take(0, 'default_value') ?? '')
    : value;

const byName: Record<string, Filter> = {
  ...textFilters,
  ...listFilters,
  ...numberFilters,
  count: listFilters.length!,
  d: orDefault,
  default: orDefault,
  e: textFilters.escape!,
  /** `map(attribute='a')`, or `map('upper')` with the filter's own arguments after it. */
  map: (value, given, state) => {
    const items = listFilters.list!(value, createArguments(), state) as Value[];
    const [name, ...rest] = given.positional;
    if (typeof name === 'string' && Object.hasOwn(filters, name))
      return items.map((item) => filters[name]!(item, createArguments(rest), state));
    if (name !== undefined)
      return state.fail('`map` needs the name of a filter, or an `attribute`.');
    return items.map(
      (item) => fieldsOf(item, given.take(0, 'attribute'), state) ?? given.take(1, 'default'),
    );
  },
  safe: (value) => value,
  tojson: (value, given, state) =>
    jsonText(
      value,
      {
        indent: numberOf(given.take(0, 'indent')),
        sortKeys: given.take(1, 'sort_keys') === true,
        ensureAscii: given.take(2, 'ensure_ascii') === true,
        separators: separatorsOf(given.take(3, 'separators'), state),
      },
      state,
    ),
};

/** The filters by their names, in alphabetical order. */
export const filters: Readonly<Record<string, Filter>> = Object.fromEntries(
  Object.entries(byName).sort(([a], [b]) => (a < b ? -1 : 1)),
);

export const methods: readonly string[] = [
  ...Object.keys(fieldsMethods),
  ...Object.keys(textMethods),
];

const numberOf = (value: Value): number | undefined =>
  isNumber(value) ? Math.trunc(Number(value)) : undefined;

function separatorsOf(value: Value, state: RenderState): [string, string] | undefined {
  if (value === undefined || value === null) return undefined;
  const [comma, colon] = Array.isArray(value) ? value : [];
  return typeof comma === 'string' && typeof colon === 'string'
    ? [comma, colon]
    : state.fail('`separators` must be two texts.');
}
