import { endOfChecked } from '@assay/json/check';
import { eachMember, endOfValue, openBrace } from '@assay/json/scan';

/** An object that stands in a text, and in no other object. */
export interface FoundObject {
  /** Undefined where it begins as an answer and is no JSON: what it says is not known. */
  value: Record<string, unknown> | undefined;
  /** Where it starts in the text's UTF-8, and where it ends. */
  start: number;
  end: number;
  /** A key that it has twice: it says two things, of which `value` has the last. */
  repeatedKey: string | undefined;
}

/** An answer has one level; anything nested deeper was quoted. */
const depthMax = 32;
/** Bytes in which an object shows its first key. */
const beginningMax = 100;

/**
 * Returns the JSON objects of a text in their order, whatever stands around them: prose, a code
 * fence, other braces. Objects within an object belong to it, and are not listed. One that begins
 * with a key of an answer is listed though it is no JSON.
 */
export function findObjects(text: string, answerKeys: string[]): FoundObject[] {
  const bytes = Buffer.from(text);
  const beginning = new RegExp(`^\\{\\s*["'“]?(${answerKeys.join('|')})["'”]?\\s*:`);
  const found: FoundObject[] = [];
  for (let at = bytes.indexOf(openBrace); at >= 0; ) {
    const end = endOfChecked(bytes, at, depthMax);
    if (end >= 0)
      found.push({
        value: JSON.parse(bytes.toString('utf8', at, end)),
        start: at,
        end,
        repeatedKey: repeatedKeyOf(bytes, at),
      });
    else if (beginning.test(bytes.toString('utf8', at, at + beginningMax)))
      found.push({ value: undefined, start: at, end: at + 1, repeatedKey: undefined });
    at = bytes.indexOf(openBrace, end < 0 ? at + 1 : end);
  }
  return found;
}

function repeatedKeyOf(bytes: Uint8Array, from: number): string | undefined {
  const keys = new Set<string>();
  let repeated: string | undefined;
  eachMember(bytes, from, (key, start) => {
    if (keys.has(key)) repeated ??= key;
    keys.add(key);
    return endOfValue(bytes, start);
  });
  return repeated;
}

const names = 'think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis';
const opening = new RegExp(`^\\s*(<(${names})>|\\[think\\])`, 'i');
const closing = new RegExp(`</(${names})>|\\[/think\\]`, 'gi');
const beforeAnswer = /^\s*(```\w*\s*)?/;

/**
 * Returns the objects that stand after the block in which a model reasons before it answers, or after
 * several in a row, or undefined where one never ends. A closing mark within an object is a quotation. Some
 * models leave out the opening mark: then the objects before the closing one count where none
 * follows, or where the text begins with one: that is an answer, and what follows a quotation.
 */
export function afterReasoning(text: string, objects: FoundObject[]): FoundObject[] | undefined {
  const isOpened = opening.test(text);
  const ends = [...text.matchAll(closing)]
    .map(({ index, 0: mark }) => ({
      at: Buffer.byteLength(text.slice(0, index)),
      isFollowed: opening.test(text.slice(index + mark.length)),
    }))
    .filter(({ at }) => !objects.some((object) => object.start < at && at < object.end));
  if (ends.length === 0) return isOpened ? undefined : objects;
  if (objects[0]?.start === Buffer.byteLength(beforeAnswer.exec(text)![0])) return objects;
  const end = ends.find(({ isFollowed }) => !isFollowed)?.at;
  if (end === undefined) return undefined;
  const following = objects.filter(({ start }) => start > end);
  return isOpened || following.length > 0 ? following : objects;
}
