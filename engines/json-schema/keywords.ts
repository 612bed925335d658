import { isMultipleOf } from '@assay/json/arithmetic';
import { canonicalText } from '@assay/json/canonical';
import { compareNumbers, decimalOf } from '@assay/json/numbers';
import type { JsonNumber } from '@assay/json/value';
import type { AnySchemaObject, CodeKeywordDefinition, FuncKeywordDefinition } from 'ajv';
import { _, type Ajv, type KeywordCxt, Name } from 'ajv';
import { firstRepeat } from './equality.ts';
import { exactMember, exactValue } from './exact-numbers.ts';

type Code = ReturnType<typeof _>;

/**
 * Puts our own const, enum, uniqueItems, bounds, multipleOf and unevaluatedProperties in the place of
 * ajv's: inherited names mislead some of them, and numbers beyond a double the others.
 */
export function replaceKeywords(ajv: Ajv): void {
  for (const definition of [constKeyword, enumKeyword, uniqueItemsKeyword, ...numberKeywords]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  const known = ajv.getKeyword('unevaluatedProperties');
  if (typeof known !== 'object') return;
  ajv.removeKeyword('unevaluatedProperties');
  ajv.addKeyword(unevaluatedPropertiesKeyword);
}

/** The place of a value, as ajv passes it. */
interface Place {
  parentData: unknown;
  parentDataProperty: string | number;
}

const exactAt = (value: unknown, place: Place | undefined): unknown =>
  exactMember(place?.parentData, place?.parentDataProperty ?? '', value);

const constKeyword: FuncKeywordDefinition = {
  keyword: 'const',
  compile: (expected: unknown, parentSchema) => {
    const text = canonicalText(exactMember(parentSchema, 'const', expected));
    return (value: unknown, place) => canonicalText(exactAt(value, place)) === text;
  },
};

const enumKeyword: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  compile: (allowed: unknown[]) => {
    const texts = new Set((exactValue(allowed) as unknown[]).map(canonicalText));
    return (value: unknown, place) => texts.has(canonicalText(exactAt(value, place)));
  },
};

const uniqueItemsKeyword: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (unique: boolean) => (items: unknown[]) =>
    !unique || firstRepeat(exactValue(items) as unknown[]) === undefined,
};

type ExactNumber = number | JsonNumber;
type Rule = (value: ExactNumber, rule: ExactNumber) => boolean;

/** Plain numbers are in the order of their doubles. */
const isInOrder =
  (holds: (order: number) => boolean): Rule =>
  (value, bound) =>
    holds(
      typeof value === 'number' && typeof bound === 'number'
        ? value - bound
        : compareNumbers(decimalOf(value), decimalOf(bound)),
    );

const rules: Record<string, Rule> = {
  minimum: isInOrder((order) => order >= 0),
  maximum: isInOrder((order) => order <= 0),
  exclusiveMinimum: isInOrder((order) => order > 0),
  exclusiveMaximum: isInOrder((order) => order < 0),
  multipleOf: (value, divisor) => isMultipleOf(decimalOf(value), decimalOf(divisor)),
};

const numberKeywords = Object.entries(rules).map(
  ([keyword, holds]): CodeKeywordDefinition => ({
    keyword,
    type: 'number',
    schemaType: 'number',
    code(context: KeywordCxt) {
      const { gen, data, schema, parentSchema, it } = context;
      const rule = exactMember(parentSchema, keyword, schema) as ExactNumber;
      const isBroken = gen.scopeValue('func', {
        ref: (value: number, parent: unknown, name: string | number) =>
          !holds(exactMember(parent, name, value) as ExactNumber, rule),
      });
      context.fail(_`${isBroken}(${data}, ${it.parentData}, ${it.parentDataProperty})`);
    },
  }),
);

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
