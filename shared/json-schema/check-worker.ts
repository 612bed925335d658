import { compileSchema, type Validate } from './compile.ts';
import { schemaLimits } from './limits.ts';
import type { DocumentProblem, SchemaProblem } from './problem.ts';
import { reportErrors } from './report.ts';

/** What the main thread reads of a task that is under way: when it began, by the process's monotonic clock, and at which document it is. */
export const progressSlots = { startedAtMs: 0, document: 1, length: 2 } as const;

export type CheckTask = { kind: 'check'; schemaText: string; progress: Float64Array };
export type ValidateTask = {
  kind: 'validate';
  schemaText: string;
  schemaHash: string;
  documents: (Uint8Array | string)[];
  /** Stop at a document's first error: for documents whose errors do not fit in memory. */
  firstErrorOnly: boolean;
  progress: Float64Array;
};

// Least recently used first.
const compiled = new Map<string, { validate: Validate | SchemaProblem[]; bytes: number }>();

/** Runs in a worker thread that is killed at its deadline. */
export default function work(task: CheckTask | ValidateTask): SchemaProblem[] | DocumentProblem[][] {
  task.progress[progressSlots.document] = -1;
  task.progress[progressSlots.startedAtMs] = Number(process.hrtime.bigint()) / 1e6;
  if (task.kind === 'check') return check(task.schemaText);
  const validate = compiledFor(task);
  return task.documents.map((document, position) => {
    task.progress[progressSlots.document] = position;
    return validateDocument({ validate, document });
  });
}

function check(schemaText: string): SchemaProblem[] {
  const result = compileSchema({ schemaText, firstErrorOnly: false });
  return 'problems' in result ? result.problems : [];
}

function compiledFor({ schemaText, schemaHash, firstErrorOnly }: ValidateTask): Validate | SchemaProblem[] {
  const key = `${schemaHash} ${firstErrorOnly}`;
  const known = compiled.get(key)?.validate ?? compileOnce({ schemaText, firstErrorOnly });
  compiled.delete(key);
  compiled.set(key, { validate: known, bytes: schemaText.length });
  dropOldest();
  return known;
}

function dropOldest(): void {
  let bytes = 0;
  for (const [position, [key, entry]] of [...compiled].reverse().entries()) {
    bytes += entry.bytes;
    if (position >= schemaLimits.compiledMax || bytes > schemaLimits.compiledBytesMax) compiled.delete(key);
  }
}

function compileOnce(wanted: { schemaText: string; firstErrorOnly: boolean }): Validate | SchemaProblem[] {
  const result = compileSchema(wanted);
  return 'problems' in result ? result.problems : result.validate;
}

function validateDocument({
  validate,
  document,
}: {
  validate: Validate | SchemaProblem[];
  document: Uint8Array | string;
}): DocumentProblem[] {
  if (Array.isArray(validate)) return [{ path: '/data', message: `The schema is not valid: ${validate[0]?.message}` }];
  try {
    const data: unknown = JSON.parse(
      typeof document === 'string' ? document : Buffer.from(document.buffer, document.byteOffset, document.byteLength).toString(),
    );
    return validate(data) ? [] : reportErrors({ errors: validate.errors ?? [], prefix: '/data', whole: 'The data' });
  } catch (error) {
    return [{ path: '/data', message: faultOf(error) }];
  } finally {
    // The errors hold on to the document.
    if (!Array.isArray(validate)) validate.errors = null;
  }
}

function faultOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'The data is not valid JSON.';
  if (error instanceof RangeError) return 'The data is nested too deeply to check against the schema.';
  return 'The data cannot be checked against the schema.';
}
