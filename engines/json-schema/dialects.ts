import type { ErrorObject, Options } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import formats from 'ajv-formats';
import { type Dialect, refStandsAlone } from './dialect.ts';
import { replaceKeywords } from './keywords.ts';
import { schemaLimits } from './limits.ts';
import { compilePattern } from './pattern.ts';

/**
 * A fresh ajv for one schema of this dialect. Meta-schemas are not in it: `metaSchemaErrors` has
 * checked the schema before.
 */
export function createAjv(dialect: Dialect): Ajv {
  const options = {
    meta: false,
    validateSchema: false,
    ignoreKeywordsWithRef: refStandsAlone(dialect),
  };
  return create({ dialect, options });
}

const metaSchemaAjvs = new Map<Dialect, Ajv>();

/**
 * Returns the errors of a schema by the dialect's own meta-schema. A schema of draft 4 comes
 * translated, and is read as draft 7.
 */
export function metaSchemaErrors({
  dialect,
  schema,
}: {
  dialect: Dialect;
  schema: unknown;
}): ErrorObject[] {
  const address = metaSchemaAddress(dialect);
  const ajv = metaSchemaAjvs.get(dialect) ?? createMetaSchemaAjv(dialect);
  metaSchemaAjvs.set(dialect, ajv);
  const validate = ajv.getSchema(address);
  return validate === undefined || validate(schema) === true ? [] : (validate.errors ?? []);
}

function metaSchemaAddress(dialect: Dialect): string {
  if (dialect === 'draft-06') return 'http://json-schema.org/draft-06/schema';
  if (refStandsAlone(dialect)) return 'http://json-schema.org/draft-07/schema';
  return `https://json-schema.org/draft/${dialect}/schema`;
}

function createMetaSchemaAjv(dialect: Dialect): Ajv {
  const ajv = create({ dialect, options: { validateSchema: false } });
  if (dialect === 'draft-06') ajv.addMetaSchema(draft06);
  // Patterns are checked by RE2 where they stand, with its reason.
  ajv.addFormat('regex', true);
  return ajv;
}

// `inlineRefs` and the optimizer make the generated code grow faster than the schema. `verbose`
// gives messages the value and the rule.
function create({ dialect, options }: { dialect: Dialect; options: Options }): Ajv {
  const all: Options = {
    strict: false,
    logger: false,
    allErrors: true,
    verbose: true,
    messages: false,
    ownProperties: true,
    inlineRefs: false,
    addUsedSchema: false,
    loopRequired: 20,
    code: {
      optimize: false,
      process: boundErrors,
      regExp: Object.assign((source: string) => compilePattern(source), { code: 'compilePattern' }),
    },
    ...options,
  };
  const ajv =
    dialect === '2020-12'
      ? new Ajv2020(all)
      : dialect === '2019-09'
        ? new Ajv2019(all)
        : new Ajv(all);
  formats.default(ajv as never, { mode: 'fast', keywords: false });
  replaceKeywords(ajv);
  if (options.meta === false)
    for (const keyword of newerKeywords(dialect)) ajv.removeKeyword(keyword);
  return ajv;
}

// ajv keeps every error: a document of millions of numbers where texts are wanted fills the heap,
// and a worker that is ended in the middle of a garbage collection can take the process with it.
// The generated code goes on counting errors, since validity depends on the count, but stops
// keeping them. Inside a text of the schema the replacement could only change that text.
function boundErrors(code: string): string {
  const room = `vErrors.length<${schemaLimits.errorsReadMax}`;
  return code
    .replace(/vErrors\.push\((err\d+)\)/g, `(${room}&&vErrors.push($1))`)
    .replace(
      /vErrors = vErrors === null \? ([\w.]+)\.errors : vErrors\.concat\(\1\.errors\);\s*errors = vErrors\.length;/g,
      `if(vErrors===null){vErrors=$1.errors;errors=vErrors.length;}else{errors+=$1.errors.length;if(${room})vErrors=vErrors.concat($1.errors);}`,
    );
}

// Keywords that this class of ajv knows and the dialect does not have: annotations there.
function newerKeywords(dialect: Dialect): string[] {
  if (dialect === 'draft-06') return ['if', 'then', 'else'];
  if (dialect === 'draft-04') return ['if', 'then', 'else', 'const', 'contains', 'propertyNames'];
  return [];
}

/** Formats that are checked; any other is an annotation. */
export function isKnownFormat({ ajv, format }: { ajv: Ajv; format: unknown }): boolean {
  return typeof format === 'string' && Object.hasOwn(ajv.formats, format);
}
