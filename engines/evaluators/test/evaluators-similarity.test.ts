import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance } from '../edit-distance.ts';
import { commonSubsequence } from '../rouge-l.ts';
import { score } from './similarity-score.ts';

/** The table of the textbook (Wagner and Fischer, 1974), a row at a time. */
function table(a: Uint32Array, b: Uint32Array) {
  let edits = Array.from({ length: b.length + 1 }, (_, j) => j);
  let common = new Array<number>(b.length + 1).fill(0);
  for (let i = 0; i < a.length; i++) {
    const nextEdits = [i + 1];
    const nextCommon = [0];
    for (let j = 0; j < b.length; j++) {
      const same = a[i] === b[j];
      nextEdits.push(Math.min(edits[j]! + (same ? 0 : 1), edits[j + 1]! + 1, nextEdits[j]! + 1));
      nextCommon.push(same ? common[j]! + 1 : Math.max(common[j + 1]!, nextCommon[j]!));
    }
    [edits, common] = [nextEdits, nextCommon];
  }
  return { edits: edits[b.length]!, common: common[b.length]! };
}

describe('levenshtein and rouge_l', () => {
  test('count as the textbook table does, across word boundaries of 32 and however many symbols there are', () => {
    const sequence = (symbols: number) => fc.array(fc.nat(symbols), { maxLength: 150 });
    const pairs = fc.oneof(
      fc.tuple(sequence(1), sequence(1)),
      fc.tuple(sequence(4), sequence(4)),
      fc.tuple(sequence(60), sequence(60)),
    );
    fc.assert(
      fc.property(pairs, ([left, right]) => {
        const [first, second] = [Uint32Array.from(left), Uint32Array.from(right)];
        const [shorter, longer] = first.length <= second.length ? [first, second] : [second, first];
        const { edits, common } = table(first, second);
        expect(editDistance({ shorter, longer })).toBe(edits);
        expect(commonSubsequence({ shorter, longer })).toBe(common);
      }),
      { numRuns: volume(500) },
    );
  });

  test('give the distances that every textbook gives', async () => {
    expect(await score('levenshtein', 'kitten', 'sitting')).toBeCloseTo(1 - 3 / 7, 14);
    expect(await score('levenshtein', 'Saturday', 'Sunday')).toBeCloseTo(1 - 3 / 8, 14);
    expect(await score('levenshtein', '', '')).toBe(1);
    expect(await score('levenshtein', '', 'abc')).toBe(0);
  });

  test('count characters, not their halves or ways of writing', async () => {
    expect(await score('levenshtein', '😀a', '😁a')).toBe(0.5);
    expect(await score('levenshtein', 'cafe\u0301', 'caf\u00e9')).toBe(1);
  });

  test('agree with the example of Lin (2004): police killed the gunman', async () => {
    // Section 3.1: ROUGE-L is 3/4 for "police kill the gunman" and 2/4 for "the gunman kill
    // police", against four words.
    expect(await score('rouge_l', 'police kill the gunman', 'police killed the gunman')).toBe(0.75);
    expect(await score('rouge_l', 'the gunman kill police', 'police killed the gunman')).toBe(0.5);
    expect(await score('rouge_l', 'The, GUNMAN!', 'the gunman')).toBe(1);
    expect(await score('rouge_l', 'Fußgänger überqueren', 'fußgänger')).toBeCloseTo(2 / 3, 14);
  });
});

describe('token_f1', () => {
  test('agrees with the SQuAD evaluation: case, punctuation and articles do not count, repeats do', async () => {
    expect(await score('token_f1', 'The Eiffel Tower!', 'eiffel tower')).toBe(1);
    // One word of two in common on each side.
    expect(await score('token_f1', 'in Paris', 'Paris, France')).toBe(0.5);
    expect(await score('token_f1', 'no no no', 'no')).toBe(0.5);
    expect(await score('token_f1', 'the', '')).toBe(1);
    expect(await score('token_f1', 'x', 'the')).toBe(0);
    expect(await score('token_f1', 'constructor toString', '__proto__')).toBe(0);
  });
});

describe('set_f1', () => {
  test('compares members as JSON values, whatever their order and repeats', async () => {
    expect(await score('set_f1', ['b', 'a', 'a'], ['a', 'b'])).toBe(1);
    expect(await score('set_f1', [{ x: 1, y: 2 }], [{ y: 2, x: 1 }])).toBe(1);
    expect(await score('set_f1', ['1'], [1])).toBe(0);
    expect(await score('set_f1', ['a', 'b', 'c'], ['a', 'd'])).toBeCloseTo(2 / 5, 14);
    expect(await score('set_f1', [], [])).toBe(1);
    expect(await score('set_f1', null, ['a'])).toBe(0);
  });

  test('reads a set from a text: a JSON array, or parts between commas and line breaks', async () => {
    expect(await score('set_f1', '["a", "b"]', ['a', 'b'])).toBe(1);
    expect(await score('set_f1', 'b, a\n', ['a', 'b'])).toBe(1);
    expect(await score('set_f1', 'a', { a: 1 })).toMatch(/neither/);
  });
});

describe('every similarity', () => {
  test('lies in 0..1, is 1 for equal texts and the same both ways', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 });
    for (const name of ['levenshtein', 'token_f1', 'rouge_l', 'set_f1']) {
      await fc.assert(
        fc.asyncProperty(text, text, async (a, b) => {
          const value = await score(name, a, b);
          expect(typeof value === 'number' && value >= 0 && value <= 1).toBe(true);
          expect(await score(name, a, a)).toBe(1);
          expect(await score(name, b, a)).toBeCloseTo(value as number, 12);
        }),
      );
    }
  });
});
