import { isId } from '@assay/client/named';
import { visible } from '../../text/format.ts';
import { shortId } from '../../text/names.ts';
import { type PlacedTerm, parse, print, printKey, type Sign, type Term } from './syntax.ts';

/** A value that can be chosen, and its name where that says more than the value. */
export interface KnownValue {
  value: string;
  name?: string;
}

/**
 * One kind of filter. `State` is what the URL has of the page's filters; a parameter without a value
 * is undefined.
 */
export interface FilterKind<State> {
  /** As it is written, such as `tag`. */
  key: string;
  sign?: Sign;
  /** As menus and pills call it, such as `Tag`. */
  name: string;
  /** The values that are known. Others can be written where there is an `example` of one. */
  values: KnownValue[];
  example?: string;
  /** In menus its value is written, and the known ones are proposed. */
  isWritten?: boolean;
  /** A filter that can be in force, and that nobody would write. */
  isHidden?: boolean;
  /** The values in force. */
  valuesIn: (state: State) => string[];
  /** Returns the change that puts a value in force, or a sentence that says why none does. */
  add: (state: State, value: string) => Partial<State> | string;
  remove: (state: State, value: string) => Partial<State>;
}

/** Everything that can be written in a page's filter bar. */
export interface FilterLanguage<State> {
  kinds: FilterKind<State>[];
  /** The parameter of the text that is searched, and what a pill calls it. */
  text: { parameter: keyof State & string; name: string; charactersMax: number };
}

/** A filter in force, with the change that takes it away. */
export interface Pill<State> {
  term: Term | undefined;
  /** As people read it, such as `Tag: regression`. */
  says: string;
  removal: Partial<State>;
}

/** A part of a draft that is no filter, and one sentence that says why. */
export interface Mistake {
  from: number;
  to: number;
  says: string;
}

/** What a draft asks for: the filters after it, and the parts that could not be understood. */
export interface DraftReading<State> {
  state: State;
  text: string;
  mistakes: Mistake[];
}

export const signOf = ({ sign = ':' }: { sign?: Sign }): Sign => sign;

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isKeyIn =
  <State>({ kinds }: FilterLanguage<State>) =>
  (key: string): boolean =>
    kinds.some((kind) => isSame(kind.key, key));

/** The filters in force as pills, in the order of the language; the text comes last. */
export function pillsOf<State>(language: FilterLanguage<State>, state: State): Pill<State>[] {
  const pills = language.kinds.flatMap((kind) =>
    kind.valuesIn(state).map(
      (value): Pill<State> => ({
        term: { key: kind.key, sign: signOf(kind), value },
        says: visible(`${kind.name}: ${nameOf(kind, value)}`),
        removal: kind.remove(state, value),
      }),
    ),
  );
  const text = textIn(language, state);
  if (text === '') return pills;
  const removal = textChange(language, '');
  return [
    ...pills,
    { term: undefined, says: visible(`${language.text.name}: “${text}”`), removal },
  ];
}

const nameOf = <State>({ values }: FilterKind<State>, value: string): string =>
  values.find((known) => known.value === value)?.name ?? (isId(value) ? shortId(value) : value);

export const textIn = <State>({ text }: FilterLanguage<State>, state: State): string =>
  (state[text.parameter] as string | undefined) ?? '';

export const textChange = <State>({ text }: FilterLanguage<State>, value: string) =>
  ({ [text.parameter]: value === '' ? undefined : value }) as Partial<State>;

/** Writes the filters in force as a person would. */
export const writeFilters = <State>(language: FilterLanguage<State>, state: State): string =>
  print(
    {
      terms: pillsOf(language, state).flatMap(({ term }) => term ?? []),
      text: textIn(language, state),
    },
    isKeyIn(language),
  );

/**
 * Reads a draft on top of the filters in force. A filter that takes one value takes the new one, but
 * of two values in one draft the second is a mistake.
 */
export function readDraft<State>(
  language: FilterLanguage<State>,
  state: State,
  draft: string,
): DraftReading<State> {
  const { terms, text } = parse(draft, isKeyIn(language));
  const mistakes: Mistake[] = [];
  const takenBy = new Map<string, string>();
  let after = state;
  for (const { from, to, ...term } of terms) {
    const kind = kindOf(language, term);
    const change = typeof kind === 'string' ? kind : changeBy(kind, after, term.value);
    if (typeof change === 'string') mistakes.push({ from, to, says: change });
    else {
      const taken = differencesOf(after, change).find((parameter) => takenBy.has(parameter));
      const written = draft.slice(from, to);
      if (taken === undefined)
        for (const [parameter, value] of Object.entries(change))
          if (typeof value === 'string') takenBy.set(parameter, written);
      if (taken === undefined) after = { ...after, ...change };
      else
        mistakes.push({
          from,
          to,
          says: `“${takenBy.get(taken)}” and “${written}” cannot be in force together.`,
        });
    }
  }
  const { charactersMax } = language.text;
  if (text.length > charactersMax) {
    const says = `A text that is searched has ${charactersMax} characters at most.`;
    return { state, text: '', mistakes: [{ from: 0, to: draft.length, says }] };
  }
  return {
    state: text === '' ? after : { ...after, ...textChange(language, text) },
    text,
    mistakes,
  };
}

/** The parameters that a change gives another value. A list takes any number of values. */
const differencesOf = <State>(state: State, change: Partial<State>): string[] =>
  Object.keys(change).filter((name) => {
    const parameter = name as keyof State;
    return change[parameter] !== state[parameter] && !Array.isArray(change[parameter]);
  });

/** Returns a draft of the mistakes alone, so that a person can mend them. */
export function draftOf(
  draft: string,
  mistakes: Mistake[],
): { draft: string; mistakes: Mistake[] } {
  let rest = '';
  const placed = mistakes.map(({ from, to, says }) => {
    if (rest !== '') rest += ' ';
    rest += draft.slice(from, to);
    return { from: rest.length - (to - from), to: rest.length, says };
  });
  return { draft: rest, mistakes: placed };
}

/** Returns the change that a value makes, or a sentence that says why it makes none. */
export function changeBy<State>(
  kind: FilterKind<State>,
  state: State,
  value: string,
): Partial<State> | string {
  if (value.trim() === '') return `Write a value after ${printKey(kind.key)}${signOf(kind)}.`;
  const known = knownValue(kind, value);
  if (known || kind.example !== undefined || isId(value))
    return kind.add(state, known?.value ?? value);
  return kind.values.length === 0
    ? `“${kind.name}” has no values to filter by here.`
    : `“${kind.name}” is not “${value}”: it can be ${inWords(kind.values)}.`;
}

/** The value that is written, or the only one of this name. */
function knownValue<State>({ values }: FilterKind<State>, written: string) {
  const named = values.filter(({ name }) => name !== undefined && isSame(name, written));
  return (
    values.find(({ value }) => isSame(value, written)) ??
    (named.length === 1 ? named[0] : undefined)
  );
}

/** A value as a person writes it: a thing by its name, not by its id. */
export const writtenOf = ({ value, name }: KnownValue): string =>
  name !== undefined && isId(value) ? name : value;

function inWords(values: KnownValue[]): string {
  const shown = values.slice(0, 6).map(writtenOf);
  return values.length > shown.length ? `${shown.join(', ')} and others` : shown.join(', ');
}

/** The kind of a term, or a sentence that says why it is of none. */
function kindOf<State>(
  { kinds }: FilterLanguage<State>,
  { key, sign, isOpen }: Pick<PlacedTerm, 'key' | 'sign' | 'isOpen'>,
): FilterKind<State> | string {
  const named = kinds.filter((kind) => isSame(kind.key, key));
  if (isOpen) return `The quote after ${printKey(key)}${sign} is not closed.`;
  if (named.length === 0)
    return sign === '~'
      ? 'A text is searched everywhere: write it without a name and “~” before it.'
      : `“${key}” is no filter here: in quotes it is searched as text.`;
  const found = named.find((kind) => signOf(kind) === sign);
  if (found) return found;
  const signs = named.map((kind) => `“${signOf(kind)}”`).join(', ');
  return `After “${key}” there can be ${signs}.`;
}

/** A kind of filter that is one parameter of the URL, with one value. */
export function oneValue<State>(
  parameter: keyof State & string,
  kind: Pick<FilterKind<State>, 'key' | 'name' | 'values' | 'example' | 'isHidden'>,
): FilterKind<State> {
  return {
    ...kind,
    valuesIn: (state) => (state[parameter] === undefined ? [] : [String(state[parameter])]),
    add: (_state, value) => ({ [parameter]: value }) as Partial<State>,
    remove: () => ({ [parameter]: undefined }) as Partial<State>,
  };
}

/** A kind of filter that is one parameter of the URL, repeated for each value. */
export function manyValues<State>(
  parameter: keyof State & string,
  {
    check = () => undefined,
    ...kind
  }: Pick<FilterKind<State>, 'key' | 'name' | 'values' | 'example'> & {
    /** Returns a sentence on the fault of a value. */
    check?: (value: string) => string | undefined;
  },
): FilterKind<State> {
  const valuesIn = (state: State) => (state[parameter] as string[] | undefined) ?? [];
  return {
    ...kind,
    isWritten: true,
    valuesIn,
    add: (state, value) =>
      check(value) ??
      ({ [parameter]: [...new Set([...valuesIn(state), value])] } as Partial<State>),
    remove: (state, value) => {
      const others = valuesIn(state).filter((one) => one !== value);
      return { [parameter]: others.length > 0 ? others : undefined } as Partial<State>;
    },
  };
}
