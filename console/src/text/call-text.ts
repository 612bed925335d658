import { parseByValue } from '@assay/json/parse';
import { isObject } from '@assay/json/value';
import { writeJson } from '@assay/json/write';

/** Characters of a call's arguments that are shown in its line. */
const shownMax = 200;

/** Arguments of a call as one reads them: `city="東京", days=3`, and whether that is all of them. */
export function argumentsInShort(given: unknown): { text: string; isWhole: boolean } {
  const value = typeof given === 'string' ? parsed(given) : given;
  const text = isObject(value)
    ? Object.entries(value)
        .map(([name, argument]) => `${name}=${writeJson(argument)}`)
        .join(', ')
    : value === undefined
      ? ''
      : writeJson(value);
  return text.length <= shownMax
    ? { text, isWhole: true }
    : { text: `${text.slice(0, shownMax)} …`, isWhole: false };
}

/** Models write the arguments of a call as a text, and not always as JSON. */
function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseByValue(text);
  } catch {
    return text;
  }
}
