import { codePoints, editDistance } from './edit-distance.ts';
import { failed, scored } from './evaluation.ts';
import { isComparable, trimShared } from './match-rows.ts';
import { rounded } from './quote.ts';
import { withTexts } from './text.ts';

/**
 * 1 − edit distance / length of the longer text, by code points after NFC; 1 for two empty texts.
 */
export const levenshtein = withTexts((texts) => {
  const output = codePoints(texts.output);
  const expected = codePoints(texts.expected);
  const longest = Math.max(output.length, expected.length);
  if (longest === 0) return scored(1, 'Both texts are empty.');
  const trimmed = trimShared({ first: output, second: expected });
  if (!isComparable({ first: trimmed.shorter.length, second: trimmed.longer.length })) {
    return failed(
      `Texts of ${output.length} and ${expected.length} characters are too long for an edit distance.`,
    );
  }
  const distance = editDistance(trimmed);
  const similarity = 1 - distance / longest;
  return scored(
    similarity,
    `${distance} edits in ${longest} characters: similarity ${rounded(similarity)}.`,
  );
});
