import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenOutSize } from '../../json/pattern-size.ts';

test.for([
  ['', 0],
  ['abc', 3],
  ['a{1000}', 1000],
  ['ba{3}c', 5],
  ['a{2,5}b{3,}', 8],
  ['(?:ab){10}', 20],
  ['((a{10}){10}){10}', 1000],
  ['(?P<name>ab|c){4}', 12],
  ['(?i)a{2}', 2],
  ['(?i:a{2}){3}', 6],
  ['[a-z]{7}[^]{}]{2}', 9],
  ['[[:alpha:]{5}]{3}', 3],
  ['\\p{Greek}{4}\\x{1F600}\\d{2}', 7],
  ['\\{5}', 3],
  ['\\Q{9}\\E{2}', 4],
  ['x*?y+z?', 3],
  ['a{0}', 0],
  ['a{,5}', 5],
  ['a{2}?b', 3],
  ['(((', 0],
  [')){3}', 0],
] as const)(
  'the pattern %s has the size %i with its repetitions written out',
  ([pattern, size]) => {
    expect(writtenOutSize(pattern)).toBe(size);
  },
);

test('the size of any text is found, and is no less than nothing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab(){}[]\\|*?+,:<>P09^-QEpx'), maxLength: 60 }),
      (pattern) => {
        expect(writtenOutSize(pattern)).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
