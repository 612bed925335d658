import { isOfKind, type Value } from './values.ts';
import type { Work } from './work.ts';

/** What a macro has made, as one text: from here on the whole of it counts as data if a piece of it does. Other values stay. */
export function plain(value: Value, work: Work): Value {
  if (!isOfKind(value, 'rendered')) return value;
  if (value.isData) work.touched = true;
  const texts = value.pieces.map(({ text }) => text);
  work.step(texts.length);
  work.characters(texts.reduce((sum, { length }) => sum + length, 0));
  return texts.join('');
}
