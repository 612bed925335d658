import { isNumber } from '@assay/json/value';
import type { Argument, Expression, Member, Slice } from '../tree.ts';
import { filters } from './catalogue.ts';
import { isNumeric, negative } from './compare.ts';
import { createArguments } from './filter.ts';
import { fieldAt, sliceOf } from './member.ts';
import { fieldsMethods, textMethods } from './methods.ts';
import { operators } from './operators.ts';
import { formatCount, type RenderState } from './render-state.ts';
import { plain } from './rendered.ts';
import { find, type Scope } from './scope.ts';
import { comparisons, tests } from './tests.ts';
import {
  createFields,
  fieldOf,
  isFields,
  isOfKind,
  isTrue,
  itemsOf,
  type MarkedArguments,
  type MarkedValue,
  nameOf,
  namesOf,
  sentence,
  type Value,
  wholeNumberOf,
} from './values.ts';

/** The value of an expression; `state.readsRecord` is set when it can hold text of the record. */
export function evaluate(node: Expression, scope: Scope, state: RenderState): Value {
  state.step();
  enter(state);
  const value = (evaluators[node.type] as Evaluator<Expression>)(node, scope, state);
  state.depth--;
  return value;
}

/** Adds levels to `state.depth`. The caller subtracts as many when it leaves them. */
export function enter(state: RenderState, levels = 1): void {
  state.depth += levels;
  if (state.depth > state.limits.depthMax)
    state.fail(
      `The template goes deeper than ${formatCount(state.limits.depthMax)} levels: a macro that calls itself must come to an end.`,
    );
}

/** As `evaluate`, but with the output of a macro as text. */
export const evaluatePlain = (node: Expression, scope: Scope, state: RenderState): Value =>
  plain(evaluate(node, scope, state), state);

/**
 * The value of an expression that cannot be printed from here, and whether it can hold text of the
 * record.
 */
export function evaluateApart(node: Expression, scope: Scope, state: RenderState): MarkedValue {
  const before = state.readsRecord;
  state.readsRecord = false;
  const value = evaluate(node, scope, state);
  const isData = state.readsRecord || (isOfKind(value, 'rendered') && value.isData);
  state.readsRecord = before;
  return { value, isData };
}

/**
 * True if the condition holds. A condition is never printed itself, so it does not set
 * `state.readsRecord`.
 */
export const isTruthy = (node: Expression, scope: Scope, state: RenderState): boolean =>
  isTrue(evaluateApart(node, scope, state).value);

type Evaluator<T> = (node: T, scope: Scope, state: RenderState) => Value;

const literal = ({ value }: { value: string | number }) => value;
const list: Evaluator<{ value: Expression[] }> = ({ value }, scope, state) =>
  value.map((item) => evaluatePlain(item, scope, state));

const evaluators: { [T in Expression['type']]: Evaluator<Extract<Expression, { type: T }>> } = {
  Identifier: ({ value: name, at }, scope, state) => {
    state.at = at ?? state.at;
    const given = find(name, scope, state);
    if (given?.isData) state.readsRecord = true;
    return given?.value;
  },
  StringLiteral: literal,
  IntegerLiteral: literal,
  FloatLiteral: literal,
  ArrayLiteral: list,
  TupleLiteral: list,
  ObjectLiteral: ({ value }, scope, state) =>
    createFields(
      [...value].map(([name, field]) => [
        nameFrom(evaluatePlain(name, scope, state), state),
        evaluatePlain(field, scope, state),
      ]),
    ),
  MemberExpression: (node, scope, state) => {
    const object = evaluatePlain(node.object, scope, state);
    if (node.property.type === 'SliceExpression') return slice(object, node.property, scope, state);
    return fieldAt(object, keyOf(node, scope, state), state);
  },
  CallExpression: ({ callee, args }, scope, state) => {
    if (callee.type === 'MemberExpression' && callee.property.type !== 'SliceExpression')
      return callMember(callee, args, scope, state);
    const called = evaluateApart(callee, scope, state).value;
    return call(called, evaluateArguments(args, scope, state), state);
  },
  FilterExpression: ({ operand, filter }, scope, state) => {
    const before = state.readsRecord;
    const value = applyFilter(evaluatePlain(operand, scope, state), filter, scope, state);
    if (isCount(filter)) state.readsRecord = before;
    return value;
  },
  TestExpression: ({ operand, negate, test }, scope, state) => {
    const { value } = evaluateApart(operand, scope, state);
    state.at = test.at;
    if (!Object.hasOwn(tests, test.value)) return state.fail(`There is no test \`${test.value}\`.`);
    return tests[test.value]!(plainApart(value, state), state) !== negate;
  },
  BinaryExpression: ({ operator, left, right }, scope, state) => {
    const { value: name } = operator;
    if (name === 'and' || name === 'or') {
      const first = evaluate(left, scope, state);
      return isTrue(first) === (name === 'or') ? first : evaluate(right, scope, state);
    }
    const before = state.readsRecord;
    const [a, b] = [evaluatePlain(left, scope, state), evaluatePlain(right, scope, state)];
    state.at = operator.at;
    if (!Object.hasOwn(comparisons, name)) return operators[name]!(a, b, state);
    state.readsRecord = before;
    return comparisons[name]!(a, b, state);
  },
  UnaryExpression: ({ operator, argument }, scope, state) => {
    if (operator.value === 'not') return !isTruthy(argument, scope, state);
    const value = evaluatePlain(argument, scope, state);
    state.at = operator.at;
    if (!isNumeric(value))
      return state.fail(`\`${operator.value}\` needs a number, not ${nameOf(value)}.`);
    if (operator.value === '-') return negative(value);
    return typeof value === 'boolean' ? Number(value) : value;
  },
  Ternary: ({ condition, trueExpr, falseExpr }, scope, state) =>
    evaluate(isTruthy(condition, scope, state) ? trueExpr : falseExpr, scope, state),
  SelectExpression: ({ lhs, test }, scope, state) =>
    isTruthy(test, scope, state) ? evaluate(lhs, scope, state) : undefined,
};

function plainApart(value: Value, state: RenderState): Value {
  const before = state.readsRecord;
  const text = plain(value, state);
  state.readsRecord = before;
  return text;
}

const nameFrom = (value: Value, state: RenderState): string =>
  typeof value === 'string' || isNumber(value)
    ? String(value)
    : state.fail(`The name of a field must be a text, not ${nameOf(value)}.`);

function keyOf({ property, computed }: Member, scope: Scope, state: RenderState): Value {
  if (computed) return evaluatePlain(property as Expression, scope, state);
  const { value, at } = property as { value: string | number; at?: number };
  state.at = at ?? state.at;
  return value;
}

function slice(
  object: Value,
  { start, stop, step }: Slice,
  scope: Scope,
  state: RenderState,
): Value {
  const bound = (node: Expression | undefined): number | undefined => {
    const value = node && evaluatePlain(node, scope, state);
    if (value === undefined || value === null) return undefined;
    return (
      wholeNumberOf(value) ??
      state.fail(`The bounds of a slice must be whole numbers, not ${nameOf(value)}.`)
    );
  };
  const bounds = { start: bound(start), stop: bound(stop), step: bound(step) };
  if (typeof object === 'string') return sliceOf(object, bounds, state);
  return object === undefined ? undefined : sliceOf(itemsOf(object, state), bounds, state);
}

/**
 * Own fields of a record are no functions: a method is found where it is called, and nowhere else.
 */
function callMember(callee: Member, args: Argument[], scope: Scope, state: RenderState): Value {
  const object = evaluatePlain(callee.object, scope, state);
  const key = keyOf(callee, scope, state);
  const { at } = state;
  const given = evaluateArguments(args, scope, state);
  state.at = at;
  const field = fieldAt(object, key, state);
  if (isOfKind(field, 'callable')) return call(field, given, state);
  if (isOfKind(object, 'loop') && key === 'cycle') return cycle(given, object.index, state);
  const methods =
    typeof object === 'string'
      ? textMethods
      : isFields(object) || object === undefined
        ? fieldsMethods
        : {};
  if (typeof key !== 'string' || !Object.hasOwn(methods, key))
    return state.fail(`${sentence(nameOf(object))} has no method \`${String(key).slice(0, 40)}\`.`);
  return methods[key]!(object, plainArguments(given, state), state);
}

function cycle({ positional }: MarkedArguments, index: number, state: RenderState): Value {
  const given = positional[index % positional.length];
  if (given?.isData) state.readsRecord = true;
  return given?.value;
}

export function call(called: Value, given: MarkedArguments, state: RenderState): Value {
  return isOfKind(called, 'callable')
    ? called.call(given)
    : state.fail(`${sentence(nameOf(called))} cannot be called: it is no macro.`);
}

/** `a`, `*a`, `name=a` and `**a`, each with whether it can hold text of the record. */
export function evaluateArguments(
  args: Argument[],
  scope: Scope,
  state: RenderState,
): MarkedArguments {
  const given: MarkedArguments = { positional: [], named: new Map() };
  for (const argument of args) {
    if (argument.type === 'KeywordArgumentExpression')
      given.named.set(argument.key.value, evaluateApart(argument.value, scope, state));
    else if (argument.type === 'SpreadExpression') spread(argument, given, scope, state);
    else if (argument.type === 'KeywordSpreadExpression')
      spreadNamed(argument, given, scope, state);
    else given.positional.push(evaluateApart(argument as Expression, scope, state));
  }
  return given;
}

interface Spread {
  argument: Expression;
}

function spread(
  { argument }: Spread,
  { positional }: MarkedArguments,
  scope: Scope,
  state: RenderState,
): void {
  const { value, isData } = evaluateApart(argument, scope, state);
  const items = itemsOf(plain(value, state), state);
  state.step(items.length);
  for (const item of items) positional.push({ value: item, isData });
}

function spreadNamed(
  { argument }: Spread,
  { named }: MarkedArguments,
  scope: Scope,
  state: RenderState,
): void {
  const { value, isData } = evaluateApart(argument, scope, state);
  const fields = isFields(value)
    ? value
    : state.fail(`\`**\` needs an object, not ${nameOf(value)}.`);
  for (const name of namesOf(fields, state))
    named.set(name, { value: fieldOf(fields, name), isData });
}

/** Arguments of filters and methods, whose result can hold their text. */
function plainArguments({ positional, named }: MarkedArguments, state: RenderState) {
  const unwrap = ({ value, isData }: MarkedValue): Value => {
    if (isData) state.readsRecord = true;
    return plain(value, state);
  };
  return createArguments(
    positional.map(unwrap),
    new Map([...named].map(([name, given]) => [name, unwrap(given)])),
  );
}

export function applyFilter(
  value: Value,
  filter: Expression,
  scope: Scope,
  state: RenderState,
): Value {
  const given =
    filter.type === 'CallExpression'
      ? plainArguments(evaluateArguments(filter.args, scope, state), state)
      : createArguments();
  const name = filterName(filter);
  state.at = name?.at ?? state.at;
  if (!name || !Object.hasOwn(filters, name.value))
    return state.fail(`There is no filter \`${name?.value.slice(0, 40) ?? ''}\`.`);
  return filters[name.value]!(value, given, state);
}

function filterName(filter: Expression) {
  const name = filter.type === 'CallExpression' ? filter.callee : filter;
  return name.type === 'Identifier' ? name : undefined;
}

/** True if the filter counts: a count of the record's contents is not text of the record. */
const isCount = (filter: Expression): boolean =>
  ['count', 'length', 'wordcount'].includes(filterName(filter)?.value ?? '');
