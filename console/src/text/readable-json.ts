import { parseJson } from '@assay/json/parse';
import { indentedJson } from './json.ts';

/** An indented list of numbers and nothing else. */
const numbers = /\[\n\s+(-?\d[^\s,]*(?:,\n\s+-?\d[^\s,]*)*)\n\s*\]/g;

/** JSON to read: indented, with the digits of its numbers, and lists of these on one line. */
export const readableJson = (text: string): string =>
  indentedJson(parseJson(text)).replace(
    numbers,
    (_, list: string) => `[${list.replace(/,\n\s+/g, ', ')}]`,
  );

/** Lists and objects within each other that a text may have to be opened as JSON. */
const depthMax = 100;

/** Whether a text is an object or a list in JSON, of a depth that people can read. */
export function isReadableJson(text: string): boolean {
  if (!/^\s*(?:\{[\s\S]*\}|\[[\s\S]*\])\s*$/.test(text) || depthOf(text) > depthMax) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** At least the depth: brackets in strings count, too. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
