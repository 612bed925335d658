import { canonicalText } from '@assay/json/canonical';
import type { AnySchemaObject, CodeKeywordDefinition, FuncKeywordDefinition } from 'ajv';
import { _, type Ajv, type KeywordCxt, Name } from 'ajv';
import { firstRepeat, isMultipleOf } from './equality.ts';

type Code = ReturnType<typeof _>;

/**
 * Puts our own const, enum, uniqueItems, multipleOf and unevaluatedProperties in the place of
 * ajv's, which inherited names mislead.
 */
export function replaceKeywords(ajv: Ajv): void {
  for (const definition of [constKeyword, enumKeyword, uniqueItemsKeyword, multipleOfKeyword]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  const known = ajv.getKeyword('unevaluatedProperties');
  if (typeof known !== 'object') return;
  ajv.removeKeyword('unevaluatedProperties');
  ajv.addKeyword(unevaluatedPropertiesKeyword);
}

const constKeyword: FuncKeywordDefinition = {
  keyword: 'const',
  compile: (expected: unknown) => {
    const key = canonicalText(expected);
    return (value: unknown) => canonicalText(value) === key;
  },
};

const enumKeyword: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  compile: (allowed: unknown[]) => {
    const keys = new Set(allowed.map(canonicalText));
    return (value: unknown) => keys.has(canonicalText(value));
  },
};

const uniqueItemsKeyword: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (unique: boolean) => (items: unknown[]) => !unique || firstRepeat(items) === undefined,
};

const multipleOfKeyword: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (divisor: number) => (value: number) => isMultipleOf({ value, divisor }),
};

// ajv notes evaluated names as members of a plain object. Ours asks for own members only;
// `__proto__` cannot be noted there at all, so where the names are known only at run time it counts
// as evaluated.
const unevaluatedPropertiesKeyword: CodeKeywordDefinition = {
  keyword: 'unevaluatedProperties',
  type: 'object',
  schemaType: ['boolean', 'object'],
  trackErrors: true,
  error: {
    message: 'unevaluated',
    params: ({ params }) => _`{unevaluatedProperty: ${params.unevaluatedProperty}}`,
  },
  code(context: KeywordCxt) {
    const { gen, data, it } = context;
    const { props } = it;
    const eachField = (skip: (key: Name) => Code | undefined) =>
      gen.forIn('key', data, (key: Name) => {
        const condition = skip(key);
        if (condition === undefined) fieldCode(context, key);
        else gen.if(_`!${condition}`, () => fieldCode(context, key));
      });
    if (props instanceof Name)
      gen.if(_`${props} !== true`, () => eachField((key) => notedAtRunTime(context, props, key)));
    else if (props !== true) eachField((key) => notedWhenCompiled(props, key));
    it.props = true;
    context.ok(_`${context.errsCount as Name} === errors`);
  },
};

function notedAtRunTime({ gen }: KeywordCxt, props: Name, key: Name): Code {
  const hasOwn = gen.scopeValue('func', { ref: Object.hasOwn, code: _`Object.hasOwn` });
  return _`(${key} === "__proto__" || (${props} && ${hasOwn}(${props}, ${key})))`;
}

function notedWhenCompiled(
  props: Record<string, true | undefined> | undefined,
  key: Name,
): Code | undefined {
  const names = Object.keys(props ?? {});
  if (names.length === 0) return undefined;
  return _`(${names.map((name) => _`${key} === ${name}`).reduce((all, one) => _`${all} || ${one}`)})`;
}

function fieldCode(context: KeywordCxt, key: Name): void {
  const { gen } = context;
  const schema: boolean | AnySchemaObject = context.schema;
  if (schema === true) return;
  if (schema === false) {
    context.setParams({ unevaluatedProperty: key });
    context.error();
    return;
  }
  context.subschema(
    { keyword: 'unevaluatedProperties', dataProp: key, dataPropType: 1 },
    gen.name('valid'),
  );
}
