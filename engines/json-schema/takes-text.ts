import { valueAt } from '@assay/json/pointer';
import { isObject } from '@assay/json/value';
import { dialectOf, refStandsAlone } from './dialect.ts';
import { type Index, indexOf, resolve } from './references.ts';
import { childPointer, children } from './structure.ts';

/** Keywords that say something about texts alone. */
const ofTexts = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
];

/** Keywords that say something about objects, lists or numbers alone. */
const ofOthers = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['propertyNames', 'required', 'minProperties', 'maxProperties'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['minContains', 'maxContains', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
];

type Schema = Record<string, unknown>;

/**
 * Whether a text as it stands may meet a schema (contract section 5, Evaluators): where the schema
 * asks for a text, or says nothing about what a value is. Any other text is the JSON that it holds.
 */
export function takesText(schema: unknown): boolean {
  const branches = branchesOf(schema);
  return branches.some(asksForText) || !branches.some(saysKind);
}

function asksForText(branch: Schema): boolean {
  const { type, enum: values } = branch;
  return (
    (Array.isArray(type) ? type.includes('string') : type === 'string') ||
    has(branch, ofTexts) ||
    typeof branch.const === 'string' ||
    (Array.isArray(values) && values.some((value) => typeof value === 'string'))
  );
}

const saysKind = (branch: Schema): boolean => has(branch, ['type', 'const', 'enum', ...ofOthers]);

const has = (branch: Schema, keywords: string[]): boolean =>
  keywords.some((keyword) => Object.hasOwn(branch, keyword));

/** The top of a schema, and all that `$ref`, `anyOf`, `oneOf` and `allOf` reach from it. */
function branchesOf(root: unknown): Schema[] {
  const isAlone = isObject(root) && refStandsAlone(dialectOf(root.$schema) ?? '2020-12');
  let index: Index | undefined;
  const branches = new Map<string, Schema>();
  // The list grows while it is walked. A place that was seen ends a circle.
  const pointers = [''];
  for (const pointer of pointers) {
    const schema = valueAt({ root, pointer });
    if (branches.has(pointer) || !isObject(schema)) continue;
    const { $ref: reference } = schema;
    const isReference = typeof reference === 'string';
    if (isReference) {
      index ??= indexOf(root);
      const found = resolve({ index, schema: root, reference, from: pointer });
      if ('pointer' in found) pointers.push(found.pointer);
    }
    const branch = isReference && isAlone ? { $ref: reference } : schema;
    branches.set(pointer, branch);
    for (const child of children(branch))
      if (['anyOf', 'oneOf', 'allOf'].includes(child.keyword))
        pointers.push(childPointer({ pointer, child }));
  }
  return [...branches.values()];
}
