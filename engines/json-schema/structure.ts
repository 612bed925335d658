import { escapeSegment } from '@assay/json/pointer';
import { isObject } from '@assay/json/value';

const singles = new Set(
  'additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const maps = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
const plain = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

/**
 * A schema inside a schema. `known` is false below a keyword that the drafts do not have: a schema
 * only if a `$ref` says so.
 */
export interface Child {
  keyword: string;
  path: (string | number)[];
  value: unknown;
  known: boolean;
}

/** The schemas directly inside a schema object, by keyword and by the path below it. */
export function children(schema: Record<string, unknown>): Child[] {
  return Object.keys(schema).flatMap((keyword) => childrenOf({ keyword, value: schema[keyword] }));
}

function childrenOf({ keyword, value }: { keyword: string; value: unknown }): Child[] {
  const child = (path: (string | number)[], inner: unknown, known = true) => ({
    keyword,
    path,
    value: inner,
    known,
  });
  if (plain.has(keyword)) return [];
  if (maps.has(keyword)) {
    if (!isObject(value)) return [];
    const names = Object.keys(value).filter((name) => !Array.isArray(value[name]));
    return names.map((name) => child([name], value[name]));
  }
  if (Array.isArray(value))
    return value.map((item, index) => child([index], item, lists.has(keyword)));
  return isObject(value) || singles.has(keyword) ? [child([], value, singles.has(keyword))] : [];
}

/** The JSON Pointer of a child of the schema at `pointer`. */
export function childPointer({ pointer, child }: { pointer: string; child: Child }): string {
  return [pointer, escapeSegment(child.keyword), ...child.path.map(escapeSegment)].join('/');
}
