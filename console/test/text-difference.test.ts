import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Piece, textDifference } from '../src/parts/difference/text-difference.ts';

const joined = (pieces: Piece[], side: 'before' | 'after') =>
  pieces
    .filter((piece) => piece.side === 'both' || piece.side === side)
    .map(({ text }) => text)
    .join('');

test.each(['words', 'lines'] as const)(
  'the pieces of a difference by %s, put together, are the two texts',
  (by) => {
    const text = () =>
      fc.array(fc.constantFrom('a', 'b', ' ', '\n', 'word', '.')).map((all) => all.join(''));
    fc.assert(
      fc.property(text(), text(), (before, after) => {
        const pieces = textDifference(before, after, by);
        expect(joined(pieces, 'before')).toBe(before);
        expect(joined(pieces, 'after')).toBe(after);
        if (before === after) expect(pieces.every(({ side }) => side === 'both')).toBe(true);
      }),
    );
  },
);
