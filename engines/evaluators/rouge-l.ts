import { failed, scored } from './evaluation.ts';
import { createMatchRows, isComparable, trimShared } from './match-rows.ts';
import { overlapScore } from './overlap.ts';
import { withTexts } from './text.ts';

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * ROUGE-L: the F1 of the longest common subsequence of words. Lin, ROUGE: a package for automatic
 * evaluation of summaries (2004), with β = 1. Words are runs of letters, marks and digits in lower
 * case; nothing is stemmed.
 */
export const rougeL = withTexts((texts) => {
  const ids = new Map<string, number>();
  const output = wordIds(texts.output, ids);
  const expected = wordIds(texts.expected, ids);
  const { shared, ...trimmed } = trimShared({ first: output, second: expected });
  if (!isComparable({ first: trimmed.shorter.length, second: trimmed.longer.length })) {
    return failed(
      `Texts of ${output.length} and ${expected.length} words are too long for a longest common subsequence.`,
    );
  }
  const common = shared + commonSubsequence(trimmed);
  const value = overlapScore({ common, output: output.length, expected: expected.length });
  return scored(value.f1, `The longest common subsequence has ${common} words: ${value.reasoning}`);
});

const wordIds = (text: string, ids: Map<string, number>): Uint32Array =>
  Uint32Array.from(text.toLowerCase().match(wordPattern) ?? [], (word) => {
    const id = ids.get(word) ?? ids.size;
    ids.set(word, id);
    return id;
  });

/**
 * The length of the longest common subsequence, 32 rows of the table at a time. Hyyrö, Bit-parallel
 * LCS-length computation revisited (2004): a row's zero bits are its steps; `carry` is that of the
 * long addition.
 */
export function commonSubsequence({
  shorter,
  longer,
}: {
  shorter: Uint32Array;
  longer: Uint32Array;
}): number {
  const words = Math.ceil(shorter.length / 32);
  const rowOf = createMatchRows(shorter);
  const state = new Int32Array(words).fill(-1);
  for (let column = 0; column < longer.length; column++) {
    const row = rowOf(longer[column]!);
    let carry = 0;
    for (let word = 0; word < words; word++) {
      const current = state[word]!;
      const matched = current & row[word]!;
      const sum = (current >>> 0) + (matched >>> 0) + carry;
      carry = sum > 0xffff_ffff ? 1 : 0;
      state[word] = sum | 0 | (current & ~matched);
    }
  }
  return shorter.reduce(
    (steps, _, place) => steps + (((state[place >>> 5]! >>> (place & 31)) & 1) ^ 1),
    0,
  );
}
