import { parseByValue } from '@assay/json/parse';
import { workerTask } from '@assay/runtime/concurrency/worker-task';
import { LRUCache } from 'lru-cache';
import { compileSchema, type Validate } from './compile.ts';
import { plainValue } from './exact-numbers.ts';
import { schemaLimits } from './limits.ts';
import type { DocumentProblem, SchemaProblem } from './problem.ts';
import { reportErrors } from './report.ts';

export interface CheckTask {
  kind: 'check';
  schemaText: string;
}
export interface ValidateTask {
  kind: 'validate';
  schemaText: string;
  schemaHash: string;
  /** JSON texts, one after another. */
  texts: Uint8Array<ArrayBuffer>;
  /** Where each of them ends. */
  ends: number[];
}

/**
 * The problems of documents by their positions. Documents without problems, which are most, are
 * left out.
 */
export type FoundProblems = [position: number, problems: DocumentProblem[]][];

const compiled = new LRUCache<string, { validate: Validate | SchemaProblem[]; bytes: number }>({
  max: schemaLimits.compiledMax,
  maxSize: schemaLimits.compiledBytesMax,
  sizeCalculation: ({ bytes }) => Math.max(1, bytes),
});

/** Runs on a thread that is stopped at its deadline. */
export default workerTask((task: CheckTask | ValidateTask, atItem) => {
  if (task.kind === 'check') return check(task.schemaText);
  const validate = compiledFor(task);
  const texts = Buffer.from(task.texts.buffer);
  return task.ends.flatMap((end, position): FoundProblems => {
    atItem(position);
    const problems = validateDocument({
      validate,
      text: texts.toString('utf8', task.ends[position - 1] ?? 0, end),
    });
    return problems.length > 0 ? [[position, problems]] : [];
  });
});

function check(schemaText: string): SchemaProblem[] {
  const result = compileSchema(schemaText);
  return 'problems' in result ? result.problems : [];
}

function compiledFor({ schemaText, schemaHash }: ValidateTask): Validate | SchemaProblem[] {
  const known = compiled.get(schemaHash);
  if (known) return known.validate;
  const validate = compileOnce(schemaText);
  compiled.set(schemaHash, { validate, bytes: schemaText.length });
  return validate;
}

function compileOnce(schemaText: string): Validate | SchemaProblem[] {
  const result = compileSchema(schemaText);
  return 'problems' in result ? result.problems : result.validate;
}

function validateDocument({
  validate,
  text,
}: {
  validate: Validate | SchemaProblem[];
  text: string;
}): DocumentProblem[] {
  if (Array.isArray(validate))
    return [{ path: '/data', message: `The schema is not valid: ${validate[0]?.message}` }];
  try {
    const exact = { data: parseByValue(text) };
    const plain = plainValue(exact) as { data: unknown };
    return validate(plain.data, { parentData: plain, parentDataProperty: 'data' })
      ? []
      : reportErrors({
          errors: validate.errors ?? [],
          prefix: '/data',
          whole: 'The data',
          data: exact.data,
        });
  } catch (error) {
    return [{ path: '/data', message: faultOf(error) }];
  } finally {
    // The errors hold on to the document.
    if (!Array.isArray(validate)) validate.errors = null;
  }
}

function faultOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'The data is not valid JSON.';
  if (error instanceof RangeError)
    return 'The data is nested too deeply to check against the schema.';
  return 'The data cannot be checked against the schema.';
}
