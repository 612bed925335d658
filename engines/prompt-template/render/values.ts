import { decimalOf } from '@assay/json/numbers';
import { isNumber, JsonNumber } from '@assay/json/value';
import type { RenderState } from './render-state.ts';

/** Distinguishes values that only templates have from JSON, which cannot hold a symbol. */
export const kind = Symbol('kind');

/**
 * The value of an expression: JSON, nothing (`undefined`, if it is missing), or a value that only
 * templates have.
 */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | JsonNumber
  | string
  | Value[]
  | Fields
  | Own;

/**
 * A JSON object. Only its own fields are ever read, so that `constructor` and `__proto__` are names
 * like others.
 */
export interface Fields {
  [name: string]: Value;
}

type Own = RenderedText | Callable | Namespace | Loop;

/** Text in pieces that remember whether they come from the record. */
export interface Piece {
  text: string;
  isData: boolean;
}

/** The output of a macro, a call block or a `{% set %}` block. */
export interface RenderedText {
  [kind]: 'rendered';
  pieces: Piece[];
  isData: boolean;
  isEmpty: boolean;
}

/** A value, and whether it can hold text of the record. */
export interface MarkedValue {
  value: Value;
  isData: boolean;
}

/** The arguments of a call to a macro or a function. */
export interface MarkedArguments {
  positional: MarkedValue[];
  named: Map<string, MarkedValue>;
}

export interface Callable {
  [kind]: 'callable';
  call: (given: MarkedArguments) => Value;
}

/** The one thing that a template can change: its fields. */
export interface Namespace {
  [kind]: 'namespace';
  fields: Map<string, Value>;
  isData: boolean;
}

/** `loop` in one round of a loop. */
export interface Loop {
  [kind]: 'loop';
  items: readonly Value[];
  index: number;
  isData: boolean;
}

export const isOwn = (value: Value): value is Own =>
  typeof value === 'object' && value !== null && kind in value;

export const isFields = (value: Value): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonNumber) &&
  !(kind in value);

/** The number as calculations know it, where it is a whole one. */
export function wholeNumberOf(value: Value): number | undefined {
  const number = isNumber(value) ? Number(value) : Number.NaN;
  return Number.isInteger(number) ? number : undefined;
}

export const isOfKind = <K extends Own[typeof kind]>(
  value: Value,
  wanted: K,
): value is Extract<Own, { [kind]: K }> => isOwn(value) && value[kind] === wanted;

/**
 * Creates an object for the template's own use. It has no prototype, so every name in it is an
 * ordinary one.
 */
export function createFields(entries: Iterable<[string, Value]> = []): Fields {
  const fields: Fields = Object.create(null);
  for (const [name, value] of entries) fields[name] = value;
  return fields;
}

export const fieldOf = (fields: Fields, name: string): Value =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/**
 * Converts a value to a boolean as Python does: nothing, null, false, 0 and empty values are false.
 */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof JsonNumber) return decimalOf(value).digits !== '';
  if (isOfKind(value, 'rendered')) return !value.isEmpty;
  return isFields(value) ? !isEmpty(value) : Boolean(value);
}

/** Asking an object of a million fields takes long, and a template may ask often. */
const emptiness = new WeakMap<Fields, boolean>();

function isEmpty(fields: Fields): boolean {
  const known = emptiness.get(fields) ?? Object.keys(fields).length === 0;
  emptiness.set(fields, known);
  return known;
}

export function nameOf(value: Value): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof JsonNumber) return 'a number';
  if (isOwn(value))
    return { rendered: 'a text', callable: 'a macro', namespace: 'a namespace', loop: '`loop`' }[
      value[kind]
    ];
  return { boolean: 'a boolean', number: 'a number', string: 'a text', object: 'an object' }[
    typeof value as 'boolean'
  ];
}

/**
 * Returns the items that a loop, a filter of lists or `list` goes over: items, names of fields, or
 * characters; none for `undefined`.
 */
export function itemsOf(value: Value, state: RenderState): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === undefined) return [];
  if (typeof value === 'string') return charactersOf(value, state);
  if (isFields(value)) return namesOf(value, state);
  return state.fail(`${sentence(nameOf(value))} has no items to go over.`);
}

export function namesOf(fields: Fields, state: RenderState): string[] {
  const names = Object.keys(fields);
  state.step(names.length);
  return names;
}

/** Characters are Unicode's, as in Python: an emoji is one, not two. */
export function charactersOf(text: string, state: RenderState): string[] {
  // The half is the least that it can have.
  state.step(text.length / 2);
  const characters = Array.from(text);
  state.step(characters.length / 2);
  return characters;
}

export function lengthOf(value: Value, state: RenderState): number {
  if (typeof value !== 'string') return itemsOf(value, state).length;
  state.characters(value.length);
  let length = 0;
  for (let at = 0; at < value.length; at += value.codePointAt(at)! > 0xffff ? 2 : 1) length++;
  return length;
}

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
