import type { Argument, Expression, Member, Slice } from '../tree.ts';
import { filters } from './catalogue.ts';
import { isNumeric } from './compare.ts';
import { createArguments } from './filter.ts';
import { fieldAt, sliceOf } from './member.ts';
import { fieldsMethods, textMethods } from './methods.ts';
import { operators } from './operators.ts';
import { comparisons, questions } from './questions.ts';
import { plain } from './rendered.ts';
import { find, type Scope } from './scope.ts';
import {
  createFields,
  fieldOf,
  type Given,
  type GivenArguments,
  isFields,
  isOfKind,
  isTrue,
  itemsOf,
  nameOf,
  namesOf,
  sentence,
  type Value,
} from './values.ts';
import { figure, type Work } from './work.ts';

/** The value of an expression; `work.touched` is set when it can hold text of the record. */
export function evaluate(node: Expression, scope: Scope, work: Work): Value {
  work.step();
  enter(work);
  const value = (evaluators[node.type] as Evaluator<Expression>)(node, scope, work);
  work.depth--;
  return value;
}

/** Adds levels to `work.depth`. The caller subtracts as many when it leaves them. */
export function enter(work: Work, levels = 1): void {
  work.depth += levels;
  if (work.depth > work.limits.depthMax)
    work.fail(`The template goes deeper than ${figure(work.limits.depthMax)} levels: a macro that calls itself must come to an end.`);
}

/** As `evaluate`, but with the output of a macro as text. */
export const evaluatePlain = (node: Expression, scope: Scope, work: Work): Value => plain(evaluate(node, scope, work), work);

/** The value of an expression that cannot be printed from here, and whether it can hold text of the record. */
export function evaluateApart(node: Expression, scope: Scope, work: Work): Given {
  const before = work.touched;
  work.touched = false;
  const value = evaluate(node, scope, work);
  const isData = work.touched || (isOfKind(value, 'rendered') && value.isData);
  work.touched = before;
  return { value, isData };
}

/** True if the condition holds. A condition is never printed itself, so it does not set `work.touched`. */
export const holds = (node: Expression, scope: Scope, work: Work): boolean => isTrue(evaluateApart(node, scope, work).value);

type Evaluator<T> = (node: T, scope: Scope, work: Work) => Value;

const literal = ({ value }: { value: string | number }) => value;
const list: Evaluator<{ value: Expression[] }> = ({ value }, scope, work) => value.map((item) => evaluatePlain(item, scope, work));

const evaluators: { [T in Expression['type']]: Evaluator<Extract<Expression, { type: T }>> } = {
  Identifier: ({ value: name, at }, scope, work) => {
    work.at = at ?? work.at;
    const given = find(name, scope, work);
    if (given?.isData) work.touched = true;
    return given?.value;
  },
  StringLiteral: literal,
  IntegerLiteral: literal,
  FloatLiteral: literal,
  ArrayLiteral: list,
  TupleLiteral: list,
  ObjectLiteral: ({ value }, scope, work) =>
    createFields([...value].map(([name, field]) => [nameFrom(evaluatePlain(name, scope, work), work), evaluatePlain(field, scope, work)])),
  MemberExpression: (node, scope, work) => {
    const object = evaluatePlain(node.object, scope, work);
    if (node.property.type === 'SliceExpression') return slice(object, node.property, scope, work);
    return fieldAt(object, keyOf(node, scope, work), work);
  },
  CallExpression: ({ callee, args }, scope, work) => {
    if (callee.type === 'MemberExpression' && callee.property.type !== 'SliceExpression') return callMember(callee, args, scope, work);
    const called = evaluateApart(callee, scope, work).value;
    return call(called, evaluateArguments(args, scope, work), work);
  },
  FilterExpression: ({ operand, filter }, scope, work) => {
    const before = work.touched;
    const value = applyFilter(evaluatePlain(operand, scope, work), filter, scope, work);
    if (isCount(filter)) work.touched = before;
    return value;
  },
  TestExpression: ({ operand, negate, test }, scope, work) => {
    const { value } = evaluateApart(operand, scope, work);
    work.at = test.at ?? work.at;
    if (!Object.hasOwn(questions, test.value)) return work.fail(`There is no test \`${test.value}\`.`);
    return questions[test.value]!(plainApart(value, work), work) !== negate;
  },
  BinaryExpression: ({ operator, left, right }, scope, work) => {
    const { value: name } = operator;
    if (name === 'and' || name === 'or') {
      const first = evaluate(left, scope, work);
      return isTrue(first) === (name === 'or') ? first : evaluate(right, scope, work);
    }
    const before = work.touched;
    const [a, b] = [evaluatePlain(left, scope, work), evaluatePlain(right, scope, work)];
    work.at = operator.at ?? work.at;
    if (!Object.hasOwn(comparisons, name)) return operators[name]!(a, b, work);
    work.touched = before;
    return comparisons[name]!(a, b, work);
  },
  UnaryExpression: ({ operator, argument }, scope, work) => {
    if (operator.value === 'not') return !holds(argument, scope, work);
    const value = evaluatePlain(argument, scope, work);
    work.at = operator.at ?? work.at;
    if (!isNumeric(value)) return work.fail(`\`${operator.value}\` needs a number, not ${nameOf(value)}.`);
    return operator.value === '-' ? -Number(value) : Number(value);
  },
  Ternary: ({ condition, trueExpr, falseExpr }, scope, work) => evaluate(holds(condition, scope, work) ? trueExpr : falseExpr, scope, work),
  SelectExpression: ({ lhs, test }, scope, work) => (holds(test, scope, work) ? evaluate(lhs, scope, work) : undefined),
};

function plainApart(value: Value, work: Work): Value {
  const before = work.touched;
  const text = plain(value, work);
  work.touched = before;
  return text;
}

const nameFrom = (value: Value, work: Work): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : work.fail(`The name of a field must be a text, not ${nameOf(value)}.`);

function keyOf({ property, computed }: Member, scope: Scope, work: Work): Value {
  if (computed) return evaluatePlain(property as Expression, scope, work);
  const { value, at } = property as { value: string | number; at?: number };
  work.at = at ?? work.at;
  return value;
}

function slice(object: Value, { start, stop, step }: Slice, scope: Scope, work: Work): Value {
  const bound = (node: Expression | undefined): number | undefined => {
    const value = node && evaluatePlain(node, scope, work);
    if (value === undefined || value === null) return undefined;
    return Number.isInteger(value) ? (value as number) : work.fail(`The bounds of a slice must be whole numbers, not ${nameOf(value)}.`);
  };
  const bounds = { start: bound(start), stop: bound(stop), step: bound(step) };
  if (typeof object === 'string') return sliceOf(object, bounds, work);
  return object === undefined ? undefined : sliceOf(itemsOf(object, work), bounds, work);
}

/** Own fields of a record are no functions: a method is found where it is called, and nowhere else. */
function callMember(callee: Member, args: Argument[], scope: Scope, work: Work): Value {
  const object = evaluatePlain(callee.object, scope, work);
  const key = keyOf(callee, scope, work);
  const { at } = work;
  const given = evaluateArguments(args, scope, work);
  work.at = at;
  const field = fieldAt(object, key, work);
  if (isOfKind(field, 'callable')) return call(field, given, work);
  if (isOfKind(object, 'loop') && key === 'cycle') return cycle(given, object.index, work);
  const methods = typeof object === 'string' ? textMethods : isFields(object) || object === undefined ? fieldsMethods : {};
  if (typeof key !== 'string' || !Object.hasOwn(methods, key))
    return work.fail(`${sentence(nameOf(object))} has no method \`${String(key).slice(0, 40)}\`.`);
  return methods[key]!(object, plainArguments(given, work), work);
}

function cycle({ positional }: GivenArguments, index: number, work: Work): Value {
  const given = positional[index % positional.length];
  if (given?.isData) work.touched = true;
  return given?.value;
}

export function call(called: Value, given: GivenArguments, work: Work): Value {
  return isOfKind(called, 'callable') ? called.call(given) : work.fail(`${sentence(nameOf(called))} cannot be called: it is no macro.`);
}

/** `a`, `*a`, `name=a` and `**a`, each with whether it can hold text of the record. */
export function evaluateArguments(args: Argument[], scope: Scope, work: Work): GivenArguments {
  const given: GivenArguments = { positional: [], named: new Map() };
  for (const argument of args) {
    if (argument.type === 'KeywordArgumentExpression') given.named.set(argument.key.value, evaluateApart(argument.value, scope, work));
    else if (argument.type === 'SpreadExpression') spread(argument, given, scope, work);
    else if (argument.type === 'KeywordSpreadExpression') spreadNamed(argument, given, scope, work);
    else given.positional.push(evaluateApart(argument as Expression, scope, work));
  }
  return given;
}

type Spread = { argument: Expression };

function spread({ argument }: Spread, { positional }: GivenArguments, scope: Scope, work: Work): void {
  const { value, isData } = evaluateApart(argument, scope, work);
  const items = itemsOf(plain(value, work), work);
  work.step(items.length);
  for (const item of items) positional.push({ value: item, isData });
}

function spreadNamed({ argument }: Spread, { named }: GivenArguments, scope: Scope, work: Work): void {
  const { value, isData } = evaluateApart(argument, scope, work);
  const fields = isFields(value) ? value : work.fail(`\`**\` needs an object, not ${nameOf(value)}.`);
  for (const name of namesOf(fields, work)) named.set(name, { value: fieldOf(fields, name), isData });
}

/** Arguments of filters and methods, whose result can hold their text. */
function plainArguments({ positional, named }: GivenArguments, work: Work) {
  const unwrap = ({ value, isData }: Given): Value => {
    if (isData) work.touched = true;
    return plain(value, work);
  };
  return createArguments(positional.map(unwrap), new Map([...named].map(([name, given]) => [name, unwrap(given)])));
}

export function applyFilter(value: Value, filter: Expression, scope: Scope, work: Work): Value {
  const given = filter.type === 'CallExpression' ? plainArguments(evaluateArguments(filter.args, scope, work), work) : createArguments();
  const name = filterName(filter);
  work.at = name?.at ?? work.at;
  if (!name || !Object.hasOwn(filters, name.value)) return work.fail(`There is no filter \`${name?.value.slice(0, 40) ?? ''}\`.`);
  return filters[name.value]!(value, given, work);
}

function filterName(filter: Expression) {
  const name = filter.type === 'CallExpression' ? filter.callee : filter;
  return name.type === 'Identifier' ? name : undefined;
}

/** True if the filter counts: a count of the record's contents is not text of the record. */
const isCount = (filter: Expression): boolean => ['count', 'length', 'wordcount'].includes(filterName(filter)?.value ?? '');
