import { canonicalText } from '@assay/json/canonical';
import { isComposite } from '@assay/json/value';
import { type Evaluation, type EvaluatorInput, failed, scored } from './evaluation.ts';
import { jsonOf } from './json-text.ts';
import { rounded } from './quote.ts';
import { textOf, withTexts } from './text.ts';

/**
 * Precision, recall and their harmonic mean from counts; 1 where both sides are empty, 0 where one
 * is.
 */
export function overlapScore({
  common,
  output,
  expected,
}: {
  common: number;
  output: number;
  expected: number;
}) {
  if (output === 0 && expected === 0) return { f1: 1, reasoning: 'both are empty.' };
  const f1 = (2 * common) / (output + expected);
  const [precision, recall] = [
    output === 0 ? 0 : common / output,
    expected === 0 ? 0 : common / expected,
  ];
  return {
    f1,
    reasoning: `precision ${rounded(precision)}, recall ${rounded(recall)}, F1 ${rounded(f1)}.`,
  };
}

/**
 * F1 of the words that output and expected share, each as often as both have it: that of SQuAD
 * (Rajpurkar et al., 2016), which takes lower case, drops punctuation and the articles a, an and
 * the, and splits at white space. Here also outside ASCII.
 */
export const tokenF1 = withTexts((texts) => {
  const [output, expected] = [tokens(texts.output), tokens(texts.expected)];
  const unmatched = new Map<string, number>();
  for (const token of expected) unmatched.set(token, (unmatched.get(token) ?? 0) + 1);
  let common = 0;
  for (const token of output) {
    const count = unmatched.get(token) ?? 0;
    if (count === 0) continue;
    unmatched.set(token, count - 1);
    common += 1;
  }
  const { f1, reasoning } = overlapScore({
    common,
    output: output.length,
    expected: expected.length,
  });
  return scored(f1, `${countOf(common, 'word')} in common: ${reasoning}`);
});

const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

const articles = new Set(['a', 'an', 'the']);

const tokens = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[\p{P}\p{S}]/gu, '')
    .split(/\s+/)
    .filter((token) => token !== '' && !articles.has(token));

/**
 * F1 of two sets: the members of an array, equal as JSON values (repeats count once), or the parts
 * of a text between commas and line breaks, trimmed. A text that holds a JSON array is that array.
 */
export function setF1({ output, expected }: EvaluatorInput): Evaluation {
  const wanted = members(expected);
  if (wanted === undefined)
    return failed(
      'The expected value is neither an array nor a text: set_f1 has no set to compare with.',
    );
  const got = members(output) ?? new Set([memberKey(output)]);
  let common = 0;
  for (const member of got) if (wanted.has(member)) common += 1;
  const { f1, reasoning } = overlapScore({ common, output: got.size, expected: wanted.size });
  return scored(f1, `${countOf(common, 'member')} in common: ${reasoning}`);
}

function members(value: unknown): Set<string> | undefined {
  const read = jsonOf(value);
  if (Array.isArray(read)) return new Set(read.map(memberKey));
  if (value === null) return new Set();
  if (isComposite(value)) return undefined;
  const parts = textOf(value).split(/[,\r\n]/);
  return new Set(
    parts
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(memberKey),
  );
}

const memberKey = (value: unknown): string =>
  canonicalText(typeof value === 'string' ? value.normalize('NFC') : value);
