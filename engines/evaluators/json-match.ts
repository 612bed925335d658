import { createHash } from 'node:crypto';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { takesText } from '@assay/json-schema/takes-text';
import {
  type DocumentProblem,
  type Evaluation,
  type EvaluatorInput,
  failed,
  scored,
} from './evaluation.ts';
import { fencedJson, findDifference, isJson, jsonOf } from './json-text.ts';
import { quote } from './quote.ts';

/**
 * Whether output and expected are equal as JSON values, as they are or with texts that hold an
 * object or array read as that. With `fenced` an output is the JSON in its code fence.
 */
export function jsonEqual({ output: given, expected, options }: EvaluatorInput): Evaluation {
  const json = options.fenced === true && typeof given === 'string' ? fencedJson(given) : undefined;
  const output = json === undefined ? given : parseByValue(json);
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
 * Judges whether the output fits `options.schema`; a text as {@link documentsOf} reads it. Rejects
 * with the schema checker's own error if that rejects (it could run no worker).
 */
export async function jsonSchema({
  output,
  options,
  schemaChecker,
}: EvaluatorInput): Promise<Evaluation> {
  const documents = documentsOf(output, options);
  return documents.length === 0
    ? noDocument
    : verdictOf(await schemaChecker.validate({ ...schemaOf(options), documents }));
}

/** A text that holds no JSON, where the schema asks for no text. */
export const noDocument = scored(false, 'The output is a text that is not JSON.');

/**
 * The JSON texts of which one has to fit the schema (contract section 5, Evaluators): of an output
 * that is a text the JSON that the whole of it is, with `fenced` else that in a code fence, and the
 * text itself where the schema asks for a text.
 */
export function documentsOf(output: unknown, options: Record<string, unknown>): string[] {
  if (typeof output !== 'string') return [writeJson(output ?? null)];
  const json = isJson(output) ? output : options.fenced === true ? fencedJson(output) : undefined;
  return [
    ...(json === undefined ? [] : [json]),
    ...(takesText(options.schema) ? [JSON.stringify(output)] : []),
  ];
}

export function schemaOf(options: Record<string, unknown>): {
  schemaText: string;
  schemaHash: string;
} {
  const schemaText = writeJson(options.schema);
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
