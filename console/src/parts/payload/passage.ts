import { visible } from '../../text/format.ts';
import { tokensOf } from '../../text/pointer.ts';
import { type JsonNode, memberAt, rootOf, stringOf } from './scan.ts';
import type { Scanner } from './scanner.ts';

/**
 * Passages of strings, as the API keeps them: offsets count the characters of the value, which are
 * code points. What is drawn has more, since characters without a form are drawn as marks.
 */
export interface Passage {
  /** The string, as a JSON Pointer into the payload. */
  pointer: string;
  start: number;
  end: number;
  /** Its first characters. */
  text: string;
}

/** A part of a string that is drawn as one text. */
export interface Piece {
  pointer: string;
  text: string;
  /** Characters of the string before this part. */
  before: number;
  /** Whether it is drawn in another form, such as Markdown, so that its places there are others. */
  isFormatted?: boolean;
}

/** Characters of a passage's text that an annotation keeps. */
const keptCharacters = 1000;

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * The passage of a piece between two places in what is drawn of it, counted in UTF-16 as the
 * browser does. A mark that is partly selected belongs to it. Undefined for none.
 */
export function passageBetween(
  { pointer, text, before }: Piece,
  drawnStart: number,
  drawnEnd: number,
): Passage | undefined {
  let drawn = 0;
  let count = 0;
  let start: number | undefined;
  const kept: string[] = [];
  for (const character of text) {
    if (drawn >= drawnEnd) break;
    drawn += visible(character).length;
    if (drawn > drawnStart) {
      start ??= count;
      if (kept.length < keptCharacters) kept.push(character);
    }
    count += 1;
  }
  if (start === undefined || drawnStart >= drawnEnd) return undefined;
  // Half of a surrogate pair cannot be sent; its replacement is one character too.
  return {
    pointer,
    start: before + start,
    end: before + count,
    text: kept.join('').toWellFormed(),
  };
}

/** The places of a passage in what is drawn of a piece; undefined where it has no part of it. */
export function drawnPlaces(
  { text, before }: Piece,
  passage: Passage,
): { start: number; end: number } | undefined {
  let drawn = 0;
  let count = before;
  let start: number | undefined;
  for (const character of text) {
    if (count >= passage.end) break;
    if (count >= passage.start) start ??= drawn;
    drawn += visible(character).length;
    count += 1;
  }
  return start === undefined ? undefined : { start, end: drawn };
}

/** A part of what is drawn, and the passages that it belongs to. */
export interface Segment<Shown> {
  text: string;
  passages: Shown[];
}

/** What is drawn of a piece, cut where a passage begins or ends. */
export function segmentsOf<Shown extends Passage>(
  piece: Piece,
  passages: Shown[],
): Segment<Shown>[] {
  const drawn = visible(piece.text);
  const places = passages.flatMap((passage) => {
    const place =
      passage.pointer === piece.pointer && isThere(piece, passage)
        ? drawnPlaces(piece, passage)
        : undefined;
    return place ? [{ ...place, passage }] : [];
  });
  const cuts = [...new Set([0, drawn.length, ...places.flatMap(({ start, end }) => [start, end])])];
  cuts.sort((one, other) => one - other);
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1]!;
    return {
      text: drawn.slice(from, to),
      passages: places
        .filter(({ start, end }) => start <= from && end >= to)
        .map(({ passage }) => passage),
    };
  });
}

/** Whether the piece has the characters that the passage says; one that has others is not drawn. */
function isThere({ text, before }: Piece, passage: Passage): boolean {
  let count = before;
  const kept = [...passage.text];
  for (const character of text) {
    const said = kept[count - passage.start];
    if (count >= passage.start + kept.length) break;
    if (said !== undefined && said !== character.toWellFormed()) return false;
    count += 1;
  }
  return true;
}

/** The value that a pointer leads to; undefined for none. */
export async function nodeAt(
  bytes: Uint8Array,
  scanner: Pick<Scanner, 'members'>,
  pointer: string,
): Promise<JsonNode | undefined> {
  let node = rootOf(bytes);
  for (const token of tokensOf(pointer)) {
    if (node.kind !== 'object' && node.kind !== 'array') return undefined;
    const offsets = await scanner.members(node);
    const index =
      node.kind === 'array' ? indexIn(offsets, token) : fieldIn(bytes, node, offsets, token);
    if (index === -1) return undefined;
    node = memberAt(bytes, node, offsets, index).value;
  }
  return node;
}

const indexIn = (offsets: Uint32Array, token: string): number =>
  /^(?:0|[1-9]\d{0,9})$/.test(token) && Number(token) < offsets.length ? Number(token) : -1;

/** Of fields with one name the last counts, as it does for `JSON.parse`. */
function fieldIn(bytes: Uint8Array, node: JsonNode, offsets: Uint32Array, token: string): number {
  for (let index = offsets.length - 1; index >= 0; index -= 1) {
    const { key } = memberAt(bytes, node, offsets, index);
    if (stringOf(bytes, key!).text === token) return index;
  }
  return -1;
}
