import { parseByValue } from '@assay/json/parse';
import { hasMoreLevels, isObject } from '@assay/json/value';
import type { ErrorObject } from 'ajv';
import { type Dialect, dialectOf } from './dialect.ts';
import { createAjv, metaSchemaErrors } from './dialects.ts';
import { plainValue } from './exact-numbers.ts';
import { inspect } from './inspect.ts';
import { schemaLimits } from './limits.ts';
import type { SchemaProblem } from './problem.ts';
import { reportErrors } from './report.ts';

import { forAjv, fromDraft4 } from './translate.ts';

/** The object that a value is a member of: there its number has all digits. */
interface DataPlace {
  parentData: object;
  parentDataProperty: string;
}

export type Validate = ((data: unknown, place?: DataPlace) => boolean) & {
  errors?: ErrorObject[] | null;
};

/**
 * Compiles a user's schema, or returns its problems. Only for a worker: it can take as long as the
 * deadline. Throws only when the stack or the heap is exhausted.
 */
export function compileSchema(
  schemaText: string,
): { validate: Validate } | { problems: SchemaProblem[] } {
  const read = readSchema(schemaText);
  if ('problems' in read) return read;
  const { schema, dialect } = read;
  const { problems, targets } = inspect({ schema, dialect });
  const all = [...metaSchemaProblems({ schema, dialect }), ...problems];
  if (all.length > 0) return { problems: all.slice(0, schemaLimits.problemsMax) };
  try {
    const ajv = createAjv(dialect);
    return {
      validate: ajv.compile(forAjv({ schema, dialect, ajv, targets }) as object) as Validate,
    };
  } catch (error) {
    return problem(
      error instanceof RangeError
        ? 'The schema is nested too deeply.'
        : `The schema cannot be used: ${(error as Error).message}.`,
    );
  }
}

function readSchema(
  schemaText: string,
): { schema: unknown; dialect: Dialect } | { problems: SchemaProblem[] } {
  const bytes = Buffer.byteLength(schemaText);
  if (bytes > schemaLimits.schemaBytesMax)
    return problem(
      `The schema has ${bytes} bytes; at most ${schemaLimits.schemaBytesMax} are allowed.`,
    );
  const sent = parse(schemaText);
  if (sent === undefined) return problem('The schema is not valid JSON.');
  if (!isObject(sent)) return problem('The schema must be an object.');
  const dialect = dialectOf(Object.hasOwn(sent, '$schema') ? sent.$schema : undefined);
  if (dialect === undefined)
    return problem(
      '"$schema" must name draft 4, 6, 7, 2019-09 or 2020-12 of JSON Schema.',
      '/$schema',
    );
  if (hasMoreLevels(sent, schemaLimits.depthMax))
    return problem(`The schema is nested more than ${schemaLimits.depthMax} levels deep.`);
  return { schema: plainValue(dialect === 'draft-04' ? fromDraft4(sent) : sent), dialect };
}

function metaSchemaProblems({
  schema,
  dialect,
}: {
  schema: unknown;
  dialect: Dialect;
}): SchemaProblem[] {
  const found = reportErrors({
    errors: metaSchemaErrors({ dialect, schema }),
    prefix: '',
    whole: 'The schema',
  });
  return dialect === 'draft-04' ? found.map(inDraft4Words) : found;
}

// The schema was checked as draft 7, whose words the author did not write.
function inDraft4Words({ path, message }: SchemaProblem): SchemaProblem {
  const [, flag, bound] = /\/(exclusive(Minimum|Maximum))$/.exec(path) ?? [];
  if (flag === undefined || bound === undefined)
    return { path: path.replace(/\/\$id$/, '/id'), message };
  return {
    path,
    message: `In draft 4 "${flag}" must be true or false, and needs "${bound.toLowerCase()}" beside it.`,
  };
}

function problem(message: string, path = ''): { problems: SchemaProblem[] } {
  return { problems: [{ path, message }] };
}

function parse(text: string): unknown {
  try {
    return parseByValue(text);
  } catch {
    return undefined;
  }
}
