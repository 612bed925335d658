import { pointerSegments } from '@assay/json/pointer';
import { openBrace, type Span, scanMembers, skipSpace, spanAt } from '@assay/json/scan';
import { isComposite } from '@assay/json/value';
import { quote } from './quote.ts';

const indexPattern = /^(?:0|[1-9]\d*)$/;
const namesShownMax = 5;

export type PickResult = { found: true; value: unknown } | { found: false; message: string };

/**
 * The value that a JSON Pointer (RFC 6901) names in a record's `outputs` or `expected`; without a
 * pointer, that of the only field. Names that JavaScript objects inherit are ordinary: only own
 * fields count.
 */
export const pick = ({
  record,
  field,
  pointer,
}: {
  record: unknown;
  field: 'outputs' | 'expected';
  pointer: string | undefined;
}): PickResult =>
  pointer === undefined ? onlyField(record, field) : named(record, field, pointer);

/** Where the value stands in a record's JSON; undefined where `pick` says why there is none. */
export function spanOf(record: Uint8Array, pointer: string | undefined): Span | undefined {
  if (pointer !== undefined) return spanAt(record, pointerSegments(pointer));
  const start = skipSpace(record, 0);
  if (record[start] !== openBrace) return undefined;
  const members = [...scanMembers(record, start).values()];
  return members.length === 1 ? members[0] : undefined;
}

function onlyField(record: unknown, field: 'outputs' | 'expected'): PickResult {
  const names = typeof record === 'object' && record !== null ? Object.keys(record) : [];
  if (names.length === 1)
    return { found: true, value: (record as Record<string, unknown>)[names[0]!] };
  if (names.length === 0) return { found: false, message: `The record's ${field} has no field.` };
  const option = field === 'outputs' ? 'output' : 'expected';
  const shown = names.slice(0, namesShownMax).map(quote).join(', ');
  return {
    found: false,
    message: `The record's ${field} has ${names.length} fields (${shown}${names.length > namesShownMax ? ', …' : ''}): options.${option} must say which one is meant.`,
  };
}

function named(record: unknown, field: string, pointer: string): PickResult {
  let value = record;
  for (const name of pointerSegments(pointer)) {
    if (!hasOwnField(value, name))
      return { found: false, message: `The record's ${field} has nothing at ${quote(pointer)}.` };
    value = value[name];
  }
  return { found: true, value };
}

function hasOwnField(value: unknown, name: string): value is Record<string, unknown> {
  if (Array.isArray(value)) return indexPattern.test(name) && Number(name) < value.length;
  return isComposite(value) && Object.hasOwn(value, name);
}
