/** A key of an object as a part of a JSON Pointer. */
export const escapedKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** A string with the colon after it, a string that is cut, or a bracket. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|"[\s\S]*$|[{}[\]]/g;

/**
 * Returns the JSON Pointers of the keys of an object, and of those one level below, in the text of
 * the object or in its beginning.
 */
export function pointersIn(json: string): string[] {
  const found = new Set<string>();
  /** The brackets that are open. */
  const open: string[] = [];
  let parent = '';
  for (const [sign, text, colon] of json.matchAll(token)) {
    if (sign === '{' || sign === '[') open.push(sign);
    else if (sign === '}' || sign === ']') open.pop();
    else if (text && colon && open.length <= 2 && open.every((bracket) => bracket === '{')) {
      const key = `/${escapedKey(JSON.parse(text) as string)}`;
      if (open.length === 1) parent = key;
      found.add(open.length === 1 ? key : parent + key);
    }
  }
  return [...found];
}
