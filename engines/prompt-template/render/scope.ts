import { constants, variableAliases } from '../variables.ts';
import type { RenderState } from './render-state.ts';
import {
  type Callable,
  createFields,
  fieldOf,
  isFields,
  kind,
  type MarkedValue,
  type Namespace,
  nameOf,
  namesOf,
  type Value,
  wholeNumberOf,
} from './values.ts';

/** The names of one level of a template, and the level around it. */
export interface Scope {
  names: Map<string, MarkedValue>;
  around?: Scope;
}

export const inside = (around: Scope): Scope => ({ names: new Map(), around });

export function find(name: string, scope: Scope, state: RenderState): MarkedValue | undefined {
  for (let level: Scope | undefined = scope; level; level = level.around) {
    state.step();
    const given = level.names.get(name);
    if (given) return given;
  }
  return undefined;
}

/** Guidelines, and the judged parts under their names. */
export interface TemplateValues {
  [part: string]: unknown;
  guidelines: string;
}

/** Data that is not read before it is asked for, since to read it may be to parse megabytes. */
function givenWhenRead(read: () => Value): MarkedValue {
  return {
    get value() {
      const value = read();
      Object.defineProperty(this, 'value', { value });
      return value;
    },
    isData: true,
  };
}

/**
 * Creates the scope of the names that every template can read. The judged parts, and `all` of
 * them, count as data; guidelines, which belong to the metric, constants and functions do not.
 */
export function createGlobals(values: TemplateValues, state: RenderState): Scope {
  const own: Record<string, Value> = {
    ...constants,
    guidelines: values.guidelines,
    range: rangeOf(state),
    namespace: namespaceOf(state),
  };
  const parts = Object.keys(values).filter((name) => name !== 'guidelines');
  const names: Scope['names'] = new Map();
  for (const name of parts)
    names.set(
      name,
      givenWhenRead(() => values[name] as Value),
    );
  names.set(
    'all',
    givenWhenRead(() => createFields(parts.map((name) => [name, values[name] as Value]))),
  );
  for (const [name, value] of Object.entries(own)) names.set(name, { value, isData: false });
  for (const [alias, name] of Object.entries(variableAliases)) names.set(alias, names.get(name)!);
  return { names };
}

export const callable = (call: Callable['call']): Callable => ({ [kind]: 'callable', call });

const rangeOf = (state: RenderState) =>
  callable(({ positional }) => {
    const numbers = positional.map(
      ({ value }) =>
        wholeNumberOf(value) ?? state.fail(`\`range\` needs whole numbers, not ${nameOf(value)}.`),
    );
    const [from, to, step = 1] = numbers.length === 1 ? [0, numbers[0]!] : numbers;
    if (from === undefined || to === undefined || step === 0)
      return state.fail('`range` needs one to three whole numbers, and a step other than 0.');
    const length = Math.max(0, Math.ceil((to - from) / step));
    state.step(length);
    return Array.from({ length }, (_, index) => from + index * step);
  });

const namespaceOf = (state: RenderState) =>
  callable(({ positional, named }): Namespace => {
    const given = [...positional, ...named.values()];
    const [first] = positional;
    const copied = first && isFields(first.value) ? first.value : createFields();
    const fields = new Map([
      ...namesOf(copied, state).map((name) => [name, fieldOf(copied, name)] as const),
      ...[...named].map(([name, { value }]) => [name, value] as const),
    ]);
    return { [kind]: 'namespace', fields, isData: given.some(({ isData }) => isData) };
  });
