import { RE2JS } from 're2js';
import { type Evaluation, type EvaluatorInput, failed, scored } from './evaluation.ts';
import { quote } from './quote.ts';
import { prepared, textOf, withTexts } from './text.ts';

/**
 * Characters of the output times instructions of the pattern; the slowest pattern tried at this
 * size took 1.8 s.
 */
const regexStepsMax = 200_000_000;

/** Whether the output is the expected text. */
export const exactMatch = withTexts(({ output, expected, options }) =>
  prepared(output, options) === prepared(expected, options)
    ? scored(true, `The output is ${quote(expected)}.`)
    : scored(false, `The output is ${quote(output)}, expected ${quote(expected)}.`),
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
