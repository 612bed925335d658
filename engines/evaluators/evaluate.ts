import { parseByValue, parseJson } from '@assay/json/parse';
import { quote } from '@assay/json/scan';
import { catalogue } from './catalogue.ts';
import { findProblems } from './check.ts';
import {
  type Builtin,
  type Evaluation,
  failed,
  type OutputType,
  type SchemaChecker,
  scored,
} from './evaluation.ts';
import { documentsOf, noDocument, schemaOf, verdictOf } from './json-match.ts';
import { pick, spanOf } from './pick.ts';
import { rounded } from './quote.ts';

/**
 * Judges one record by a built-in evaluator. A wrong output gets a value (false, or 0); a case that
 * the metric or the record leaves undecidable (a pointer that finds nothing, no number in
 * `expected`, texts too long) gets `{ ok: false, message }`. Throws only the errors of the schema
 * checker.
 */
export async function evaluate({
  builtin,
  outputType,
  expected,
  outputs,
  schemaChecker,
}: {
  builtin: Builtin;
  outputType: OutputType;
  expected: unknown;
  outputs: unknown;
  schemaChecker: SchemaChecker;
}): Promise<Evaluation> {
  const problem = findProblems({ builtin, outputType })[0];
  if (problem) return failed(`${problem.path}: ${problem.message}`);
  const { evaluate: evaluateInput, readsExpected } = catalogue.get(builtin.name)!;
  const options = builtin.options ?? {};
  const output = pick({
    record: outputs,
    field: 'outputs',
    pointer: options.output as string | undefined,
  });
  if (!output.found) return failed(output.message);
  if (!readsExpected)
    return convert(
      await evaluateInput({ output: output.value, expected: undefined, options, schemaChecker }),
      { outputType, options },
    );
  const wanted = pick({
    record: expected,
    field: 'expected',
    pointer: options.expected as string | undefined,
  });
  if (!wanted.found) return failed(wanted.message);
  return convert(
    await evaluateInput({ output: output.value, expected: wanted.value, options, schemaChecker }),
    { outputType, options },
  );
}

/** Reads the JSON text of a metric's options with all digits of their numbers. */
export const readOptions = (text: string): Record<string, unknown> =>
  parseByValue(text) as Record<string, unknown>;

/**
 * Parses a payload of a record for an evaluator, with all digits of its numbers. How a number was
 * written matters to `exact_match` alone: for the others `1.0` is 1, which takes a tenth of the
 * memory.
 */
export const readPayload = (text: string, { name }: Builtin): unknown =>
  name === 'exact_match' ? parseJson(text) : parseByValue(text);

interface SchemaMetric {
  builtin: Builtin;
  outputType: OutputType;
}

/**
 * `evaluate` for `json_schema` in two steps, so that a large record is read on another thread than
 * the one that waits for the checker: first the texts of which one has to fit, or the evaluation
 * where there are none. An output that is no text is not built: 15 MB of JSON take some 150 MB.
 */
export function readDocuments({
  builtin,
  outputType,
  outputs,
}: SchemaMetric & { outputs: Uint8Array }):
  | { documents: Uint8Array<ArrayBuffer>[] }
  | { evaluation: Evaluation } {
  const problem = findProblems({ builtin, outputType })[0];
  if (problem) return { evaluation: failed(`${problem.path}: ${problem.message}`) };
  const options = builtin.options ?? {};
  const pointer = options.output as string | undefined;
  const span = spanOf(outputs, pointer);
  if (span && outputs[span.start] !== quote)
    return { documents: [new Uint8Array(outputs.subarray(span.start, span.end))] };
  const record = readPayload(new TextDecoder().decode(outputs), builtin);
  const output = pick({ record, field: 'outputs', pointer });
  if (!output.found) return { evaluation: failed(output.message) };
  const documents = documentsOf(output.value, options);
  return documents.length > 0
    ? { documents: documents.map((text) => new TextEncoder().encode(text)) }
    : { evaluation: convert(noDocument, { outputType, options }) };
}

/** Then the check of these texts. */
export async function checkDocuments({
  builtin,
  outputType,
  documents,
  schemaChecker,
}: SchemaMetric & { documents: Uint8Array[]; schemaChecker: SchemaChecker }): Promise<Evaluation> {
  const options = builtin.options ?? {};
  return convert(verdictOf(await schemaChecker.validate({ ...schemaOf(options), documents })), {
    outputType,
    options,
  });
}

/**
 * The evaluator's value as the metric's: a share passes a boolean metric from the threshold on, a
 * yes is 1 in a float metric.
 */
function convert(
  evaluation: Evaluation,
  metric: { outputType: OutputType; options: Record<string, unknown> },
): Evaluation {
  if (!evaluation.ok) return evaluation;
  const { value, reasoning } = evaluation;
  if (metric.outputType === 'float') return scored(Number(value), reasoning);
  if (typeof value === 'boolean') return evaluation;
  const threshold = Number(metric.options.threshold);
  return scored(value >= threshold, `${reasoning} The threshold is ${rounded(threshold)}.`);
}
