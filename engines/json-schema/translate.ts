import { escapeSegment, pointerSegments } from '@assay/json/pointer';
import { isComposite, isNumber, isObject } from '@assay/json/value';
import type { Ajv } from 'ajv';
import { type Dialect, refStandsAlone } from './dialect.ts';
import { isKnownFormat } from './dialects.ts';
import { noteCopy } from './exact-numbers.ts';
import { type Child, childPointer, children } from './structure.ts';

/**
 * Copies a draft-4 schema with draft 7's words: `$id` for `id`, and numbers for the booleans
 * `exclusiveMinimum` and `exclusiveMaximum`. Forms that draft 4 forbids and draft 7 allows (a
 * number there, a missing `minimum`) become the text or boolean that draft 7 refuses.
 */
export function fromDraft4(schema: unknown): unknown {
  return copy({
    schema,
    pointer: '',
    change: ({ target }) => {
      rename({ target, from: 'id', to: '$id' });
      exclusive({ target, bound: 'minimum', flag: 'exclusiveMinimum' });
      exclusive({ target, bound: 'maximum', flag: 'exclusiveMaximum' });
    },
  });
}

function rename({
  target,
  from,
  to,
}: {
  target: Record<string, unknown>;
  from: string;
  to: string;
}): void {
  if (!Object.hasOwn(target, from) || typeof target[from] !== 'string') return;
  target[to] = target[from];
  delete target[from];
}

function exclusive({
  target,
  bound,
  flag,
}: {
  target: Record<string, unknown>;
  bound: string;
  flag: string;
}): void {
  const isExclusive = target[flag];
  if (isExclusive === false) delete target[flag];
  if (isExclusive === true && isNumber(target[bound])) {
    target[flag] = target[bound];
    delete target[bound];
  }
  if (isNumber(isExclusive)) target[flag] = String(isExclusive);
}

/**
 * The copy that ajv compiles. Out go words that ajv gives a meaning of its own (`nullable`,
 * `$async`, `id`) and formats that it does not know; identifiers go too when `targets` says where
 * each `$ref` points, so that ajv only ever sees `#/…`.
 */
export function forAjv(wanted: {
  schema: unknown;
  dialect: Dialect;
  ajv: Ajv;
  targets: Map<string, string> | undefined;
}): unknown {
  const { schema, dialect, ajv, targets } = wanted;
  return copy({
    schema,
    pointer: '',
    change: ({ target, pointer }) => {
      for (const keyword of ['$schema', '$async', '$vocabulary', 'nullable', 'id'])
        delete target[keyword];
      if (!isKnownFormat({ ajv, format: target.format })) delete target.format;
      if (targets !== undefined) rewriteReference({ target, to: targets.get(pointer) });
      // ajv leaves out the other neighbours of such a `$ref` by itself.
      if (refStandsAlone(dialect) && typeof target.$ref === 'string') delete target.type;
      keepProtoField(target);
    },
  });
}

function rewriteReference({
  target,
  to,
}: {
  target: Record<string, unknown>;
  to: string | undefined;
}): void {
  for (const keyword of ['$id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'])
    delete target[keyword];
  if (to === undefined) return;
  const fragment = pointerSegments(to).map(
    (segment) => `/${encodeURIComponent(escapeSegment(segment))}`,
  );
  target.$ref = `#${fragment.join('')}`;
}

// ajv passes over a field or a pattern that is called `__proto__`; an equivalent pattern it does
// check.
function keepProtoField(target: Record<string, unknown>): void {
  const { properties, patternProperties } = target;
  const patterns = isObject(patternProperties) ? patternProperties : {};
  const moved: [string, unknown][] = [];
  if (Object.hasOwn(patterns, '__proto__')) moved.push(['(?:__proto__)', own(patterns)]);
  if (isObject(properties) && Object.hasOwn(properties, '__proto__'))
    moved.push(['^__proto__$', own(properties)]);
  if (moved.length === 0) return;
  target.patternProperties = patterns;
  for (const [pattern, schema] of moved) patterns[unused({ patterns, pattern })] = schema;
}

function unused({
  patterns,
  pattern,
}: {
  patterns: Record<string, unknown>;
  pattern: string;
}): string {
  return Object.hasOwn(patterns, pattern)
    ? unused({ patterns, pattern: `(?:${pattern})` })
    : pattern;
}

type Change = (at: { target: Record<string, unknown>; pointer: string }) => void;

function copy({
  schema,
  pointer,
  change,
}: {
  schema: unknown;
  pointer: string;
  change: Change;
}): unknown {
  if (!isObject(schema)) return schema;
  const target: Record<string, unknown> = {};
  noteCopy(target, schema);
  for (const keyword of Object.keys(schema))
    setOwn({ target, key: keyword, value: shallow(schema[keyword]) });
  for (const child of children(schema)) {
    const value = copy({ schema: child.value, pointer: childPointer({ pointer, child }), change });
    place({ target, child, value });
  }
  change({ target, pointer });
  return target;
}

function place({
  target,
  child,
  value,
}: {
  target: Record<string, unknown>;
  child: Child;
  value: unknown;
}): void {
  const [name] = child.path;
  if (name === undefined) setOwn({ target, key: child.keyword, value });
  else setOwn({ target: target[child.keyword] as object, key: String(name), value });
}

function shallow(value: unknown): unknown {
  if (!isComposite(value)) return value;
  if (Array.isArray(value)) {
    const list = [...value];
    noteCopy(list, value);
    return list;
  }
  const target = {};
  noteCopy(target, value);
  for (const key of Object.keys(value)) setOwn({ target, key, value: value[key] });
  return target;
}

function own(map: Record<string, unknown>): unknown {
  return Object.getOwnPropertyDescriptor(map, '__proto__')?.value;
}

/**
 * Sets an own member whatever its name: a plain assignment to `__proto__` would set the prototype.
 */
function setOwn({ target, key, value }: { target: object; key: string; value: unknown }): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
