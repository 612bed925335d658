import { escapeSegment, pointerSegments, valueAt } from '@assay/json/pointer';
import type { ErrorObject } from 'ajv';
import { exactMember, exactValue } from './exact-numbers.ts';
import { schemaLimits } from './limits.ts';
import { messageFor, show } from './messages.ts';

interface Problem {
  path: string;
  message: string;
}

/**
 * Converts errors of ajv to problems for people. Errors that only explain why one branch of
 * `anyOf`, `oneOf`, `contains` or `propertyNames` did not fit are folded into that keyword's own
 * error. `prefix` goes before every path; `whole` names the value as a whole ("The data"), and `data` is
 * that value with all digits.
 */
export function reportErrors({
  errors,
  prefix,
  whole,
  data,
}: {
  errors: ErrorObject[];
  prefix: string;
  whole: string;
  data?: unknown;
}): Problem[] {
  const kept: ErrorObject[] = [];
  for (const error of errors.slice(0, schemaLimits.errorsReadMax)) {
    const nested = folds.has(error.keyword) ? takeNested({ kept, error }) : [];
    if (error.keyword === 'if' && kept.length > 0) continue;
    kept.push(merged({ error, nested }));
  }
  const seen = new Map<string, Problem>();
  for (const error of kept) {
    if (seen.size === schemaLimits.problemsMax) break;
    const problem = problemFor({ error: withDigits(error, data), prefix, whole });
    seen.set(JSON.stringify(problem), problem);
  }
  return [...seen.values()];
}

const folds = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);

// The branches' errors stand right before their keyword's. Those behind a `$ref` carry the
// referenced schema's path, so they are told from errors of neighbouring keywords by not being
// under the same schema.
function takeNested({ kept, error }: { kept: ErrorObject[]; error: ErrorObject }): ErrorObject[] {
  const hasReference = mentionsReference(error.schema);
  let from = kept.length;
  while (from > 0 && isNested({ inner: kept[from - 1]!, error, hasReference })) from--;
  return kept.splice(from);
}

interface Nesting {
  inner: ErrorObject;
  error: ErrorObject;
  hasReference: boolean;
}

function isNested({ inner, error, hasReference }: Nesting): boolean {
  if (
    inner.instancePath !== error.instancePath &&
    !inner.instancePath.startsWith(`${error.instancePath}/`)
  )
    return false;
  if (inner.schemaPath.startsWith(`${error.schemaPath}/`)) return true;
  const siblings = error.schemaPath.slice(0, error.schemaPath.lastIndexOf('/') + 1);
  const isSibling =
    inner.schemaPath.startsWith(siblings) &&
    !/^(\$defs|definitions)\//.test(inner.schemaPath.slice(siblings.length));
  return hasReference && !isSibling;
}

const referenceKnown = new WeakMap<object, boolean>();

function mentionsReference(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const known =
    referenceKnown.get(schema) ?? /"\$(ref|dynamicRef|recursiveRef)"/.test(JSON.stringify(schema));
  referenceKnown.set(schema, known);
  return known;
}

// "must be a string or null" says more than "must match at least one of 2 forms"; so does the one
// complaint of the only branch whose type fits.
function merged({ error, nested }: { error: ErrorObject; nested: ErrorObject[] }): ErrorObject {
  if (nested.length === 0 || error.keyword === 'propertyNames' || error.keyword === 'contains')
    return error;
  const misfits = nested.filter(
    ({ keyword, instancePath }) => keyword === 'type' && instancePath === error.instancePath,
  );
  const others = nested.filter((inner) => !misfits.includes(inner));
  const branches = (error.schema as unknown[]).length;
  if (others.length === 1 && misfits.length === branches - 1) return others[0]!;
  if (others.length > 0 || misfits.length !== branches) return error;
  const schema = [...new Set(misfits.flatMap((inner) => inner.schema as string | string[]))];
  return { ...error, keyword: 'type', schema };
}

/** The error with all digits of the numbers in the schema and in the data. */
function withDigits(error: ErrorObject, root: unknown): ErrorObject {
  const { keyword, schema, parentSchema, data, instancePath } = error;
  const isOfValues = typeof schema === 'number' || keyword === 'const' || keyword === 'enum';
  return {
    ...error,
    schema: isOfValues ? exactMember(parentSchema, keyword, schema) : schema,
    data:
      typeof data === 'number'
        ? (valueAt({ root, pointer: instancePath }) ?? data)
        : exactValue(data),
  };
}

function problemFor({
  error,
  prefix,
  whole,
}: {
  error: ErrorObject;
  prefix: string;
  whole: string;
}): Problem {
  const { params, instancePath, keyword } = error;
  const forbidden = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  const missing = keyword === 'propertyNames' ? undefined : params.missingProperty;
  const place =
    forbidden === undefined ? instancePath : `${instancePath}/${escapeSegment(forbidden)}`;
  const named = missing === undefined ? place : `${instancePath}/${escapeSegment(missing)}`;
  const message = messageFor({ error, name: nameOf({ pointer: named, whole }) });
  return { path: prefix + place, message };
}

// Positions and fields are told apart by form alone: a field called "3" reads as a position, and
// the path is exact in any case.
function nameOf({ pointer, whole }: { pointer: string; whole: string }): string {
  const segments = pointerSegments(pointer);
  if (segments.length === 0) return whole;
  const joined = segments.map((segment, position) =>
    /^\d+$/.test(segment) && position > 0 ? `[${segment}]` : position > 0 ? `.${segment}` : segment,
  );
  return show(joined.join(''));
}
