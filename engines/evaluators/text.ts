import { shortestNumber } from '@assay/json/numbers';
import { isComposite } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import { type Evaluation, type EvaluatorInput, failed } from './evaluation.ts';

/**
 * A value as text: a string as it is, nothing for null, anything else as its JSON text, with all
 * digits of its numbers in their shortest form. In Unicode's composed form (NFC, UAX 15), so that
 * the two ways to write "é" are one.
 */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text =
    typeof value === 'string'
      ? value
      : writeJson(value, { numberText: ({ text: sent }) => shortestNumber(sent) });
  return text.normalize('NFC');
}

/**
 * Compares output and expected as texts; an expected value that is no text to compare with fails.
 */
export const withTexts =
  (
    evaluate: (texts: {
      output: string;
      expected: string;
      options: Record<string, unknown>;
    }) => Evaluation,
  ) =>
  ({ output, expected, options }: EvaluatorInput): Evaluation => {
    if (expected === null || isComposite(expected)) {
      const kind = expected === null ? 'null' : Array.isArray(expected) ? 'an array' : 'an object';
      return failed(
        `The expected value is ${kind}, and this evaluator compares texts: point options.expected at a text or a number, or use json_equal.`,
      );
    }
    return evaluate({ output: textOf(output), expected: textOf(expected), options });
  };

/**
 * The two texts as `ignoreCase` and `trim` ask. Upper case, since lower case is not one: "σ" and
 * "ς", "ß" and "SS".
 */
export function prepared(text: string, { ignoreCase, trim }: Record<string, unknown>): string {
  const trimmed = trim === true ? text.trim() : text;
  return ignoreCase === true ? trimmed.toUpperCase() : trimmed;
}
