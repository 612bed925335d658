/** A heuristic metric's `builtin` (contract section 3): an evaluator's name and its options. */
export interface Builtin {
  name: string;
  options?: Record<string, unknown>;
}

export type OutputType = 'boolean' | 'int' | 'float';

/**
 * The result of an evaluator: the metric's value and a sentence that explains it, or the reason why
 * nothing could be judged.
 */
export type Evaluation =
  | { ok: true; value: boolean | number; reasoning: string }
  | { ok: false; message: string };

/**
 * A fault of a metric's `builtin`; `path` is a JSON Pointer into the request, such as
 * `/builtin/options/pattern`.
 */
export interface Problem {
  path: string;
  message: string;
}

/**
 * A problem of a document with a schema; `isUnchecked` if the document could not be checked in its
 * time or memory.
 */
export type DocumentProblem = Problem & { isUnchecked?: true };

/**
 * The part of `createSchemaChecker` of `@assay/json-schema/schema` that the evaluators need;
 * documents are JSON texts.
 */
export interface SchemaChecker {
  check: (schemaText: string) => Promise<Problem[]>;
  validate: (task: {
    schemaText: string;
    schemaHash: string;
    documents: (string | Uint8Array)[];
  }) => Promise<DocumentProblem[][]>;
}

/**
 * The input of an evaluator: the values that the pointers name (`expected` is undefined if it is
 * not read) and checked options.
 */
export interface EvaluatorInput {
  output: unknown;
  expected: unknown;
  options: Record<string, unknown>;
  schemaChecker: SchemaChecker;
}

export const scored = (value: boolean | number, reasoning: string): Evaluation => ({
  ok: true,
  value,
  reasoning,
});

export const failed = (message: string): Evaluation => ({ ok: false, message });
