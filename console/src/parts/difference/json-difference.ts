import { areEqualNumbers } from '@assay/json/numbers';
import { isComposite, isNumber } from '@assay/json/value';
import { pointerTo } from '../../text/pointer.ts';

/** One difference of two JSON values: where it is, and what stands there on either side. */
export type JsonChange =
  | { kind: 'added'; pointer: string; after: unknown }
  | { kind: 'removed'; pointer: string; before: unknown }
  | { kind: 'changed'; pointer: string; before: unknown; after: unknown };

/**
 * Compares two JSON values by their JSON Pointers: leaves that changed, and what only one of them
 * has. Items of arrays are compared by their place.
 */
export function jsonDifference(before: unknown, after: unknown, pointer = ''): JsonChange[] {
  if (!isComposite(before) || !isComposite(after) || Array.isArray(before) !== Array.isArray(after))
    return isSame(before, after) ? [] : [{ kind: 'changed', pointer, before, after }];
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])];
  return keys.flatMap((key): JsonChange[] => {
    const at = pointerTo(pointer, key);
    if (!fresh.has(key)) return [{ kind: 'removed', pointer: at, before: old.get(key) }];
    if (!old.has(key)) return [{ kind: 'added', pointer: at, after: fresh.get(key) }];
    return jsonDifference(old.get(key), fresh.get(key), at);
  });
}

/** Leaves, and containers of which one is an array and the other is not. */
const isSame = (one: unknown, other: unknown): boolean =>
  isNumber(one) && isNumber(other) ? areEqualNumbers(one, other) : Object.is(one, other);
