import { endOfText } from '@assay/json/members';
import { parseByValue } from '@assay/json/parse';
import { ImportFailure, type Place } from '../failure.ts';
import { levelsMax } from './limits.ts';

/** Told of something that a value loses; the reason is a sentence. */
export type Lose = (place: Place, reason: string) => void;

/**
 * Reads JSON, and the bare `NaN` and `Infinity` of Python beside it, which become null. Numbers keep
 * all of their digits.
 * @throws with the line, when the text starts at one.
 */
export function parseJson(text: string, place: Place, lose: Lose): unknown {
  checkLevels(text, place);
  try {
    return parseByValue(text);
  } catch (error) {
    const finite = withoutInfinities(text);
    if (finite === undefined) throw notJson(text, place, error);
    try {
      const value = parseByValue(finite);
      lose(place, 'NaN and Infinity are no numbers of JSON: they became null.');
      return value;
    } catch (second) {
      throw notJson(text, place, second);
    }
  }
}

function notJson(text: string, place: Place, error: unknown): ImportFailure {
  const position = /position (\d+)/.exec(String((error as Error).message))?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  const lines = before.split('\n');
  const line = place.line === undefined ? undefined : place.line + lines.length - 1;
  const column = line === undefined ? undefined : lines.at(-1)!.length + 1;
  return new ImportFailure(
    { ...place, line, column },
    'is not JSON: the file is cut off or damaged, or of another format. Export it again.',
    error,
  );
}

/** A string, or one of the words that Python writes where JSON has none. */
const infinities = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/gs;

function withoutInfinities(text: string): string | undefined {
  if (!/NaN|Infinity/.test(text)) return undefined;
  return text.replace(infinities, (token) => (token.startsWith('"') ? token : 'null'));
}

/** @throws for a value of more levels than the service takes. */
function checkLevels(text: string, place: Place): void {
  if (text.length < 2 * levelsMax) return;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfText(text, at) - 1;
    else if (code === 0x5b || code === 0x7b) {
      level += 1;
      if (level > levelsMax)
        throw new ImportFailure(
          place,
          `has more than ${levelsMax} levels of lists and objects in each other: flatten it first.`,
        );
    } else if (code === 0x5d || code === 0x7d) level -= 1;
  }
}
