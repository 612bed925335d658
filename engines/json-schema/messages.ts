import { isComposite, isNumber } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import type { ErrorObject } from 'ajv';
import { firstRepeat } from './equality.ts';

/**
 * Returns a sentence for people about one error of ajv. `name` names the value: `"idealAnswer"`, or
 * `The data` for the whole.
 */
export function messageFor({ error, name }: { error: ErrorObject; name: string }): string {
  const sentence = Object.hasOwn(sentences, error.keyword) ? sentences[error.keyword] : undefined;
  if (sentence === undefined) return `${name} does not match the rule "${error.keyword}".`;
  return `${sentence({ name, rule: error.schema, data: error.data, params: error.params })}.`;
}

interface Facts {
  name: string;
  /** The keyword's value in the schema. */
  rule: unknown;
  data: unknown;
  params: Record<string, unknown>;
}

const sentences: Record<string, (facts: Facts) => string> = {
  type: ({ name, rule, data }) =>
    `${name} must be ${typeNames(rule)}, but it is ${describe({ data, rule })}`,
  'false schema': ({ name }) => `${name} is not allowed`,
  enum: ({ name, rule, data }) => `${name} must be ${oneOfValues(rule)}, but it is ${show(data)}`,
  const: ({ name, rule, data }) => `${name} must be ${show(rule)}, but it is ${show(data)}`,
  minimum: ({ name, rule, data }) => `${name} must be at least ${rule}, but it is ${data}`,
  maximum: ({ name, rule, data }) => `${name} must be at most ${rule}, but it is ${data}`,
  exclusiveMinimum: ({ name, rule, data }) =>
    `${name} must be more than ${rule}, but it is ${data}`,
  exclusiveMaximum: ({ name, rule, data }) =>
    `${name} must be less than ${rule}, but it is ${data}`,
  multipleOf: ({ name, rule, data }) => `${name} must be a multiple of ${rule}, but it is ${data}`,
  minLength: ({ name, rule, data }) =>
    `${name} must have at least ${count(rule, 'character')}, but it has ${characters(data)}`,
  maxLength: ({ name, rule, data }) =>
    `${name} must have at most ${count(rule, 'character')}, but it has ${characters(data)}`,
  pattern: ({ name, rule, data }) =>
    `${name} must match the pattern ${show(rule)}, but it is ${show(data)}`,
  format: ({ name, rule, data }) =>
    `${name} must be a valid ${formatName(rule)}, but it is ${show(data)}`,
  minItems: ({ name, rule, data }) =>
    `${name} must have at least ${count(rule, 'item')}, but it has ${(data as unknown[]).length}`,
  maxItems: ({ name, rule, data }) =>
    `${name} must have at most ${count(rule, 'item')}, but it has ${(data as unknown[]).length}`,
  items: tooManyItems,
  additionalItems: tooManyItems,
  unevaluatedItems: ({ name, params, data }) =>
    tooManyItems({ name, params: { limit: params.len ?? params.limit }, data, rule: undefined }),
  uniqueItems: ({ name, data }) =>
    `${name} must have no repeated items, but ${repeatedItems(data as unknown[])}`,
  contains: ({ name, params }) =>
    `${name} must have ${range(params)} of the kind that its schema asks for`,
  minProperties: ({ name, rule, data }) =>
    `${name} must have at least ${count(rule, 'field')}, but it has ${Object.keys(data as object).length}`,
  maxProperties: ({ name, rule, data }) =>
    `${name} must have at most ${count(rule, 'field')}, but it has ${Object.keys(data as object).length}`,
  required: ({ name }) => `${name} is required, but it is missing`,
  additionalProperties: ({ name }) => `${name} is not allowed: the schema has no such field`,
  unevaluatedProperties: ({ name }) =>
    `${name} is not allowed: no part of the schema has such a field`,
  propertyNames: ({ name }) => `${name} is not allowed as the name of a field`,
  dependentRequired: missingDependent,
  dependencies: missingDependent,
  anyOf: ({ name, rule, data }) =>
    `${name} must match at least one of ${forms(rule)}, but it matches none; it is ${describe({ data })}`,
  oneOf: ({ name, rule, data, params }) =>
    `${name} must match exactly one of ${forms(rule)}, but ${matches({ params, data })}`,
  not: ({ name, rule }) =>
    typeOnly(rule) === undefined
      ? `${name} must not match what "not" describes, but it does`
      : `${name} must not be ${typeNames(typeOnly(rule))}`,
  if: ({ name, params }) => `${name} must match the schema under "${params.failingKeyword}"`,
};

function missingDependent({ name, params }: Facts): string {
  return `${name} is required when ${show(params.property)} is there, but it is missing`;
}

function tooManyItems({ name, params, data }: Facts): string {
  return `${name} must have at most ${count(params.limit, 'item')}, but it has ${(data as unknown[]).length}`;
}

function range({ minContains, maxContains }: Record<string, unknown>): string {
  const least = minContains ?? 1;
  if (maxContains === undefined) return `at least ${count(least, 'item')}`;
  return `between ${least} and ${count(maxContains, 'item')}`;
}

function matches({ params, data }: { params: Record<string, unknown>; data: unknown }): string {
  return Array.isArray(params.passingSchemas)
    ? 'it matches more than one'
    : `it matches none; it is ${describe({ data })}`;
}

function forms(rule: unknown): string {
  return Array.isArray(rule) && rule.length > 1 ? `${rule.length} forms` : 'one form';
}

function repeatedItems(items: unknown[]): string {
  const repeat = firstRepeat(items);
  return repeat === undefined
    ? 'some repeat'
    : `items ${repeat.first} and ${repeat.second} are the same`;
}

function typeOnly(rule: unknown): unknown {
  const { type, ...others } = Object(rule);
  return Object.keys(others).length === 0 ? type : undefined;
}

const articles: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** "a string", or "a string or null" for several types. */
export function typeNames(rule: unknown): string {
  const names = (Array.isArray(rule) ? rule : [rule]).map(
    (type) => articles[String(type)] ?? String(type),
  );
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function describe({ data, rule }: { data: unknown; rule?: unknown }): string {
  const wantsInteger = Array.isArray(rule) ? rule.includes('integer') : rule === 'integer';
  if (isNumber(data)) return wantsInteger ? `the number ${data}` : 'a number';
  if (data === null) return 'null';
  return typeNames(Array.isArray(data) ? 'array' : typeof data);
}

function formatName(rule: unknown): string {
  return (
    (
      {
        uri: 'URI',
        uuid: 'UUID',
        ipv4: 'IPv4 address',
        ipv6: 'IPv6 address',
        email: 'e-mail address',
        regex: 'regular expression',
      } as Record<string, string>
    )[String(rule)] ?? String(rule)
  );
}

function oneOfValues(rule: unknown): string {
  const values = Array.isArray(rule) ? rule : [];
  const shown = values.slice(0, 10).map(show).join(', ');
  if (values.length === 1) return shown;
  return values.length > 10 ? `one of ${shown} and ${values.length - 10} more` : `one of ${shown}`;
}

function count(number: unknown, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function characters(data: unknown): number {
  let total = 0;
  for (const _character of String(data)) total++;
  return total;
}

/**
 * Returns a value as JSON, cut to fit in a sentence; only its kind if it is an object or array that
 * does not fit.
 */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  if (!isComposite(value)) return String(value);
  return Object.keys(value).length > 10 ? describe({ data: value }) : shortJson(value);
}

function shortJson(value: object): string {
  const text = writeJson(value);
  return text.length > 100 ? describe({ data: value }) : text;
}
