import type { RenderState } from './render-state.ts';
import { isOfKind, type Value } from './values.ts';

/**
 * Returns the output of a macro as one text, all of which counts as data if any piece of it does.
 * Returns other values unchanged.
 */
export function plain(value: Value, state: RenderState): Value {
  if (!isOfKind(value, 'rendered')) return value;
  if (value.isData) state.readsRecord = true;
  const texts = value.pieces.map(({ text }) => text);
  state.step(texts.length);
  state.characters(texts.reduce((sum, { length }) => sum + length, 0));
  return texts.join('');
}
