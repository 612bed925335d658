import { isNumber } from '@assay/json/value';
import type { RenderState } from './render-state.ts';
import {
  charactersOf,
  fieldOf,
  isFields,
  isOfKind,
  type Loop,
  type Value,
  wholeNumberOf,
} from './values.ts';

/**
 * Returns a field of an object, or an item of a list by its number; `undefined` if it or the object
 * is missing.
 */
export function fieldAt(value: Value, key: Value, state: RenderState): Value {
  const index = wholeNumberOf(key);
  if (Array.isArray(value)) return index === undefined ? undefined : value.at(index);
  if (isFields(value))
    return typeof key === 'string' || isNumber(key) ? fieldOf(value, String(key)) : undefined;
  if (typeof value === 'string')
    return index === undefined
      ? undefined
      : sliceOf(value, { start: index, stop: index + 1 || undefined }, state);
  if (isOfKind(value, 'namespace')) {
    if (value.isData) state.readsRecord = true;
    return typeof key === 'string' ? value.fields.get(key) : undefined;
  }
  return isOfKind(value, 'loop') && typeof key === 'string' ? partOf(value, key, state) : undefined;
}

/** A field by its path, as filters take it: `a.b`, `items.0`. */
export function fieldsOf(value: Value, path: Value, state: RenderState): Value {
  if (typeof path !== 'string') return fieldAt(value, path, state);
  state.characters(path.length * stepWeight);
  return path.split('.').reduce<Value>((object, name) => {
    state.step();
    return fieldAt(
      object,
      Array.isArray(object) && /^\d{1,9}$/.test(name) ? Number(name) : name,
      state,
    );
  }, value);
}

/** A path is taken apart for each item of a list anew. */
const stepWeight = 10;

const parts: Record<string, (loop: Loop) => Value> = {
  index: ({ index }) => index + 1,
  index0: ({ index }) => index,
  revindex: ({ items, index }) => items.length - index,
  revindex0: ({ items, index }) => items.length - index - 1,
  first: ({ index }) => index === 0,
  last: ({ items, index }) => index === items.length - 1,
  length: ({ items }) => items.length,
};

function partOf(loop: Loop, name: string, state: RenderState): Value {
  if (Object.hasOwn(parts, name)) return parts[name]!(loop);
  if (name !== 'previtem' && name !== 'nextitem') return undefined;
  if (loop.isData) state.readsRecord = true;
  return loop.items[loop.index + (name === 'nextitem' ? 1 : -1)];
}

interface Bounds {
  start?: number;
  stop?: number;
  step?: number;
}

/** As Python: bounds below 0 count from the end, and a step below 0 goes backwards. */
export function sliceOf(value: readonly Value[], bounds: Bounds, state: RenderState): Value[];
export function sliceOf(value: string, bounds: Bounds, state: RenderState): string;
export function sliceOf(
  value: readonly Value[] | string,
  { start, stop, step = 1 }: Bounds,
  state: RenderState,
): Value[] | string {
  if (step === 0) return state.fail('A slice needs a step other than 0.');
  if (typeof value === 'string') return sliceText(value, { start, stop, step }, state);
  if (step === 1) {
    const slice = value.slice(start, stop);
    state.step(slice.length);
    return slice;
  }
  return every(value, { start, stop, step }, state);
}

function sliceText(
  text: string,
  { start, stop, step }: Bounds & { step: number },
  state: RenderState,
): string {
  if (step !== 1) return every(charactersOf(text, state), { start, stop, step }, state).join('');
  const [from, to] = [start ?? 0, stop ?? Number.POSITIVE_INFINITY];
  // A character is at most two units: a few characters of a long text are found without going
  // through it.
  const isNearStart = from >= 0 && to >= 0 && to < text.length / 2;
  const isNearEnd = from < 0 && (to < 0 || stop === undefined) && -from < text.length / 2;
  const near = isNearStart ? text.slice(0, 2 * to) : isNearEnd ? text.slice(2 * from) : text;
  if (!/[\ud800-\udfff]/.test(near)) {
    state.characters(near.length);
    return near.slice(start, stop);
  }
  return charactersOf(near, state).slice(start, stop).join('');
}

function every<T>(
  items: readonly T[],
  { start, stop, step }: Bounds & { step: number },
  state: RenderState,
): T[] {
  const forward = step > 0;
  const clamp = (bound: number) =>
    Math.min(
      Math.max(bound < 0 ? bound + items.length : bound, forward ? 0 : -1),
      forward ? items.length : items.length - 1,
    );
  const from = start === undefined ? (forward ? 0 : items.length - 1) : clamp(start);
  const to = stop === undefined ? (forward ? items.length : -1) : clamp(stop);
  const slice: T[] = [];
  for (let at = from; forward ? at < to : at > to; at += step) {
    state.step();
    slice.push(items[at]!);
  }
  return slice;
}
