import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countCharacters,
  drawnPlaces,
  nodeAt,
  type Passage,
  type Piece,
  passageBetween,
  segmentsOf,
} from '../src/parts/payload/passage.ts';
import { answerTo } from '../src/parts/payload/question.ts';
import { type JsonNode, rootOf, stringOf, textOf } from '../src/parts/payload/scan.ts';
import { visible } from '../src/text/format.ts';
import { pointerTo } from '../src/text/pointer.ts';

/** Characters that are drawn as they are, as marks, or that take two places of UTF-16. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'é',
        '😀',
        '👩‍🚀',
        '\n',
        '\t',
        '\u0000',
        '\r',
        '\u202E',
        '\u2066',
        '⟨U+202E⟩',
      ),
      fc.constantFrom('\uD83D', '\uDE00', '\u{E0041}', '"', '\\', '\u200B'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((parts) => parts.join('') || 'a');

/** A text, and two different places between its characters. */
const cutText = hostileText.chain((text) =>
  fc.tuple(
    fc.constant(text),
    fc
      .uniqueArray(fc.nat(countCharacters(text)), { minLength: 2, maxLength: 2 })
      .map((places) => places.sort((one, other) => one - other)),
  ),
);

const slice = (text: string, start: number, end: number) => [...text].slice(start, end).join('');

const passageOf = (text: string, start: number, end: number): Passage => ({
  pointer: '/a',
  start,
  end,
  text: slice(text, start, Math.min(end, start + 1000)).toWellFormed(),
});

describe('a passage', () => {
  test('that is drawn, and selected as it is drawn, is the same passage', () => {
    fc.assert(
      fc.property(cutText, ([text, [start, end]]) => {
        const piece = { pointer: '/a', text, before: 0 };
        const passage = passageOf(text, start!, end!);
        const drawn = drawnPlaces(piece, passage)!;
        expect(visible(text).slice(drawn.start, drawn.end)).toBe(
          visible(slice(text, start!, end!)),
        );
        expect(passageBetween(piece, drawn.start, drawn.end)).toEqual(passage);
      }),
    );
  });

  test('has all characters that a selection touches, and no other', () => {
    fc.assert(
      fc.property(hostileText, fc.nat(), fc.nat(), fc.nat(1000), (text, one, other, before) => {
        const drawn = visible(text);
        const [from, to] = [one % (drawn.length + 1), other % (drawn.length + 1)].sort(
          (low, high) => low - high,
        ) as [number, number];
        const piece = { pointer: '/a', text, before };
        const passage = passageBetween(piece, from, to);
        if (from === to) {
          expect(passage).toBeUndefined();
          return;
        }
        const { start, end } = passage!;
        expect(passage!.text).toBe(slice(text, start - before, end - before).toWellFormed());
        const places = drawnPlaces(piece, passage!)!;
        expect(places.start).toBeLessThanOrEqual(from);
        expect(places.end).toBeGreaterThanOrEqual(to);
        const inner = { ...passage!, start: start + 1, end: end - 1 };
        const innerPlaces = inner.end > inner.start ? drawnPlaces(piece, inner)! : undefined;
        if (innerPlaces) {
          expect(innerPlaces.start).toBeGreaterThan(from);
          expect(innerPlaces.end).toBeLessThan(to);
        }
      }),
    );
  });

  test('of a string in pieces is drawn in each piece that has a part of it, and nowhere else', () => {
    fc.assert(
      fc.property(cutText, fc.integer({ min: 12, max: 40 }), ([text, [start, end]], bytesMax) => {
        const passage = passageOf(text, start!, end!);
        const marked = piecesOf(text, bytesMax).flatMap((piece) => {
          const segments = segmentsOf(piece, [passage]);
          expect(segments.map(({ text }) => text).join('')).toBe(visible(piece.text));
          return segments.filter(({ passages }) => passages.length > 0).map(({ text }) => text);
        });
        expect(marked.join('')).toBe(visible(slice(text, start!, end!)));
      }),
    );
  });

  test('beside and across others keeps its own characters', () => {
    const piece = { pointer: '/a', text: 'one\u202Etwo😀three', before: 0 };
    const [first, second] = [passageOf(piece.text, 0, 5), passageOf(piece.text, 4, 8)];
    expect(segmentsOf(piece, [first, second])).toEqual([
      { text: 'one⟨U+202E⟩', passages: [first] },
      { text: 't', passages: [first, second] },
      { text: 'wo😀', passages: [second] },
      { text: 'three', passages: [] },
    ]);
  });

  test('whose characters are not at its offsets is not drawn', () => {
    const piece = { pointer: '/a', text: 'a text', before: 0 };
    const passage = { pointer: '/a', start: 2, end: 6, text: 'test' };
    expect(segmentsOf(piece, [passage])).toEqual([{ text: 'a text', passages: [] }]);
  });

  test('keeps the first thousand characters of its text', () => {
    const passage = passageBetween({ pointer: '/a', text: '😀'.repeat(3000), before: 7 }, 0, 5000);
    expect(passage).toMatchObject({ start: 7, end: 2507 });
    expect(countCharacters(passage!.text)).toBe(1000);
  });
});

test('a pointer leads to the value that JSON.parse has there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      const scanner = {
        members: async (node: JsonNode) => answerTo(bytes, { node, membersMax: undefined }),
      };
      const parsed = JSON.parse(JSON.stringify(value));
      for (const [pointer, leaf] of leavesOf(parsed)) {
        const node = await nodeAt(bytes, scanner, pointer);
        expect(JSON.parse(textOf(bytes, node!))).toEqual(leaf);
        expect(await nodeAt(bytes, scanner, `${pointer}/0/no`)).toBeUndefined();
      }
      expect(await nodeAt(bytes, scanner, '/~0not~1there')).toBeUndefined();
    }),
  );
});

/** A text as the viewer reads it from the bytes, piece by piece. */
function piecesOf(text: string, bytesMax: number): Piece[] {
  const bytes = new TextEncoder().encode(JSON.stringify(text));
  const pieces: Piece[] = [];
  let from: number | undefined = 0;
  let before = 0;
  while (from !== undefined) {
    const read: ReturnType<typeof stringOf> = stringOf(bytes, rootOf(bytes), { from, bytesMax });
    pieces.push({ pointer: '/a', text: read.text, before });
    before += countCharacters(read.text);
    from = read.next;
  }
  return pieces;
}

function leavesOf(value: unknown, pointer = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[pointer, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, pointerTo(pointer, key)));
}
