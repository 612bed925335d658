import { areEqualNumbers, shortestNumber } from '@assay/json/numbers';
import { isNumber, type JsonNumber, numberText } from '@assay/json/value';
import { RE2JS } from 're2js';
import { type Evaluation, type EvaluatorInput, failed, scored } from './evaluation.ts';
import { quote } from './quote.ts';
import { prepared, textOf, withTexts } from './text.ts';

/**
 * Characters of the output times instructions of the pattern; the slowest pattern tried at this
 * size took 1.8 s.
 */
const regexStepsMax = 200_000_000;

/** Whether the output is the expected text or number. */
export function exactMatch(input: EvaluatorInput): Evaluation {
  const { output, expected, options } = input;
  if (isNumber(output) && isNumber(expected))
    return matched(areEqualNumbers(output, expected), numberText(output), numberText(expected));
  if (isNumber(output) && typeof expected === 'string')
    return matched(isTextOf(output, expected, options), numberText(output), expected);
  if (typeof output === 'string' && isNumber(expected))
    return matched(isTextOf(expected, output, options), output, numberText(expected));
  return textsMatch(input);
}

const textsMatch = withTexts(({ output, expected, options }) =>
  matched(prepared(output, options) === prepared(expected, options), output, expected),
);

/** Is the text a number as it was sent, or in its shortest form (contract section 5, Numbers)? */
function isTextOf(
  number: number | JsonNumber,
  text: string,
  options: EvaluatorInput['options'],
): boolean {
  const sent = numberText(number);
  return [sent, shortestNumber(sent)]
    .map((form) => prepared(form, options))
    .includes(prepared(text, options));
}

const matched = (isMatch: boolean, output: string, expected: string): Evaluation =>
  scored(
    isMatch,
    isMatch
      ? `The output is ${quote(expected)}.`
      : `The output is ${quote(output)}, expected ${quote(expected)}.`,
  );

/** Whether the expected text occurs in the output. */
export const contains = withTexts(({ output, expected, options }) => {
  const wanted = prepared(expected, options);
  if (wanted === '') return failed('The expected text is empty, and every output contains that.');
  const found = prepared(output, options).includes(wanted);
  return scored(
    found,
    found
      ? `The output contains ${quote(expected)}.`
      : `The output does not contain ${quote(expected)}.`,
  );
});

/**
 * Whether `options.pattern` (RE2) matches anywhere in the output; linear in the output's length.
 */
export function regexMatch({ output, options }: EvaluatorInput): Evaluation {
  const pattern = RE2JS.compile(String(options.pattern));
  const text = textOf(output);
  if (text.length * pattern.programSize() > regexStepsMax) {
    return failed(`The output has ${text.length} characters, too many for a pattern of this size.`);
  }
  const found = pattern.test(text);
  return scored(
    found,
    `${quote(String(options.pattern))} ${found ? 'matches' : 'does not match'} the output.`,
  );
}
