import { createHash } from 'node:crypto';
import { writeJson } from '@assay/json/write';
import {
  type DocumentProblem,
  type Evaluation,
  type EvaluatorInput,
  failed,
  scored,
} from './evaluation.ts';
import { findDifference, jsonOf } from './json-text.ts';
import { quote } from './quote.ts';

/**
 * Whether output and expected are equal as JSON values, as they are or with texts that hold an
 * object or array read as that.
 */
export function jsonEqual({ output, expected }: EvaluatorInput): Evaluation {
  if (findDifference(output, expected) === undefined)
    return scored(true, 'The output equals the expected value.');
  const difference = findDifference(jsonOf(output), jsonOf(expected));
  if (difference === undefined)
    return scored(true, 'The output, read as JSON, equals the expected value.');
  return scored(
    false,
    difference === ''
      ? 'The output is not the expected value.'
      : `The output differs at ${quote(difference)}.`,
  );
}

/**
 * Judges whether the output fits `options.schema`, as it is or, if it is a text that holds an
 * object or array, read as that. Rejects with the schema checker's own error if that rejects (it
 * could run no worker).
 */
export const jsonSchema = async ({
  output,
  options,
  schemaChecker,
}: EvaluatorInput): Promise<Evaluation> =>
  verdictOf(await schemaChecker.validate({ ...schemaOf(options), documents: documentsOf(output) }));

/** The texts of which one has to fit the schema. */
export function documentsOf(output: unknown): string[] {
  const read = jsonOf(output);
  return [read, ...(read === output ? [] : [output])].map((value) => writeJson(value));
}

export function schemaOf(options: Record<string, unknown>): {
  schemaText: string;
  schemaHash: string;
} {
  const schemaText = JSON.stringify(options.schema);
  return { schemaText, schemaHash: createHash('sha256').update(schemaText).digest('hex') };
}

/** Judges by the checker's problems of each text: one text without problems is enough. */
export function verdictOf(found: DocumentProblem[][]): Evaluation {
  if (found.some((problems) => problems.length === 0))
    return scored(true, 'The output fits the schema.');
  const unchecked = found.flat().find(({ isUnchecked }) => isUnchecked);
  if (unchecked) return failed(unchecked.message);
  return scored(false, `The output does not fit the schema. ${found[0]![0]!.message}`);
}
