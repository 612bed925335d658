import { isOfKind, type Value } from './values.ts';
import type { Work } from './work.ts';

/** Returns the output of a macro as one text, all of which counts as data if any piece of it does. Returns other values unchanged. */
export function plain(value: Value, work: Work): Value {
  if (!isOfKind(value, 'rendered')) return value;
  if (value.isData) work.touched = true;
  const texts = value.pieces.map(({ text }) => text);
  work.step(texts.length);
  work.characters(texts.reduce((sum, { length }) => sum + length, 0));
  return texts.join('');
}
