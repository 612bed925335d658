import { isObject } from '@assay/json/value';
import { cutText } from './labels.ts';

interface Bounds {
  /** Characters of a text, which ends with `…` where it was cut. */
  textMax: number;
  /** Characters of the data of a picture, which is left out where it is longer. */
  pictureMax: number;
  /** Notes that something was cut. */
  cut: { isCut: boolean };
}

/** Returns a value of JSON with all its texts cut to a length. */
export function cutLongTexts<Value>(value: Value, bounds: Bounds): Value {
  return cutIn(value, bounds) as Value;
}

function cutIn(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cutString(value, bounds);
  if (Array.isArray(value)) return value.map((each) => cutIn(each, bounds));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, cutIn(inner, bounds)]),
  );
}

function cutString(text: string, { textMax, pictureMax, cut }: Bounds): string {
  const isPicture = text.startsWith('data:image/');
  if (text.length <= (isPicture ? pictureMax : textMax)) return text;
  cut.isCut = true;
  // A part of a picture is none.
  return isPicture ? text.slice(0, text.indexOf(',') + 1) : `${cutText(text, textMax)}…`;
}
