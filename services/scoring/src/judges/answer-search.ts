import { endOfChecked } from '@assay/json/check';
import { eachMember, endOfValue, openBrace } from '@assay/json/scan';

/** An object that stands whole in a text, and in no other object. */
export interface FoundObject {
  value: Record<string, unknown>;
  /** Where it starts in the text's UTF-8, and where it ends. */
  start: number;
  end: number;
  /** A key that it has twice: it says two things, of which `value` has the last. */
  repeatedKey: string | undefined;
}

/** An answer has one level; anything nested deeper was quoted. */
const depthMax = 32;

/**
 * Returns the JSON objects of a text in their order, whatever stands around them: prose, a code
 * fence, other braces. Objects within an object belong to it, and are not listed.
 */
export function findObjects(text: string): FoundObject[] {
  const bytes = Buffer.from(text);
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

/**
 * Returns the objects that stand after the block in which a model reasons before it answers, or
 * undefined where that block never ends. A closing mark within an object is a quotation. Some
 * models leave out the opening mark: then the objects before the closing one count where none
 * follows.
 */
export function afterReasoning(text: string, objects: FoundObject[]): FoundObject[] | undefined {
  const isOpened = opening.test(text);
  const end = [...text.matchAll(closing)]
    .map((mark) => Buffer.byteLength(text.slice(0, mark.index)))
    .find((at) => !objects.some((object) => object.start < at && at < object.end));
  if (end === undefined) return isOpened ? undefined : objects;
  const following = objects.filter(({ start }) => start > end);
  return isOpened || following.length > 0 ? following : objects;
}
