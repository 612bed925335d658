import type { Fault } from './fault.ts';
import { nearest } from './nearest.ts';
import { filters, methods } from './render/catalogue.ts';
import { comparisons, tests } from './render/tests.ts';
import {
  type Argument,
  type Call,
  type Expression,
  type For,
  type Identifier,
  type Member,
  type Node,
  type Parameter,
  partsOf,
  type Statement,
} from './tree.ts';
import { constants, type Subject, templateVariables, variableAliases } from './variables.ts';

/** The names that a part of a template can use: its own, and those around it. */
interface Scope {
  names: Set<string>;
  parent?: Scope;
}

/** The state of reading a template from its start to its end. */
interface Reading {
  /** The variables that the subject has, and those with their aliases. */
  listed: readonly string[];
  variables: readonly string[];
  faults: Fault[];
  /**
   * Bodies of macros, which run later than they are written: names that are set after them count.
   */
  later: (() => void)[];
}

/**
 * Returns a fault for each name that is unknown when the template is rendered: variables, filters,
 * tests, and methods called on template variables. In doubt a name passes: a variable that is set
 * in one branch counts as set after it, and `is defined` shows that the author knows that the
 * variable may be missing.
 */
export function findNameFaults(program: Statement[], subject: Subject): Fault[] {
  const listed = templateVariables[subject];
  const variables = [...listed, ...Object.keys(variableAliases)];
  const reading: Reading = { listed, variables, faults: [], later: [] };
  const globals: Scope = {
    names: new Set([...variables, ...Object.keys(constants), 'range', 'namespace']),
  };
  visitAll(program, { names: new Set(), parent: globals }, reading);
  // A macro's body may hold macros.
  for (const visitBody of reading.later) visitBody();
  return reading.faults.sort((a, b) => a.at - b.at);
}

const inside = (parent: Scope, names: Iterable<string> = []): Scope => ({
  names: new Set(names),
  parent,
});

/**
 * In the order in which they are written. Only blocks make this call itself: an expression may be
 * too deep for that.
 */
function visitAll(nodes: readonly object[], scope: Scope, reading: Reading): void {
  const rest = [...nodes].reverse();
  for (let node = rest.pop(); node; node = rest.pop())
    rest.push(...visit(node as Node, scope, reading).reverse());
}

/** Gives the parts that are still to be visited, in the same scope. */
function visit(node: Node, scope: Scope, reading: Reading): object[] {
  switch (node.type) {
    case 'Identifier':
      if (!isKnown(node.value, scope)) reading.faults.push(unknownVariable(node, scope, reading));
      return [];
    case 'MemberExpression':
      return node.computed ? [node.object, node.property] : [node.object];
    case 'CallExpression':
      checkMethod(node, scope, reading);
      return [node.callee, ...node.args];
    case 'KeywordArgumentExpression':
      return [node.value];
    case 'BinaryExpression':
      return [node.left, node.right];
    case 'UnaryExpression':
      return [node.argument];
    case 'SelectExpression':
      return [node.test, node.lhs];
    case 'FilterExpression': {
      const name = nameOfFilter(node.filter, reading);
      const isOptional = node.operand.type === 'Identifier' && (name === 'default' || name === 'd');
      return [...(isOptional ? [] : [node.operand]), ...argumentsOf(node.filter)];
    }
    case 'TestExpression':
      expectName({ name: node.test, of: 'test', known: Object.keys(tests) }, reading);
      if (node.operand.type === 'Identifier' && /^(un)?defined$/.test(node.test.value))
        scope.names.add(node.operand.value);
      return [node.operand];
    case 'For':
    case 'Set':
    case 'Macro':
    case 'CallStatement':
    case 'FilterStatement':
      visitBlock(node, scope, reading);
      return [];
    default:
      return partsOf(node);
  }
}

type Block = Extract<
  Statement,
  { type: 'For' | 'Set' | 'Macro' | 'CallStatement' | 'FilterStatement' }
>;

function visitBlock(node: Block, scope: Scope, reading: Reading): void {
  switch (node.type) {
    case 'For':
      visitLoop(node, scope, reading);
      break;
    case 'Set':
      visitAll(node.value ? [node.value] : node.body, node.value ? scope : inside(scope), reading);
      bind(node.assignee, scope, reading);
      break;
    case 'Macro':
      scope.names.add(node.name.value);
      reading.later.push(() =>
        visitMacro(node.args, node.body, inside(scope, ['caller']), reading),
      );
      break;
    case 'CallStatement':
      visitAll([node.call], scope, reading);
      visitMacro(node.callerArgs ?? [], node.body, inside(scope), reading);
      break;
    case 'FilterStatement':
      nameOfFilter(node.filter, reading);
      visitAll(argumentsOf(node.filter), scope, reading);
      visitAll(node.body, inside(scope), reading);
  }
}

function visitLoop(
  { loopvar, iterable, body, defaultBlock }: For,
  scope: Scope,
  reading: Reading,
): void {
  const isSelect = iterable.type === 'SelectExpression';
  visitAll([isSelect ? iterable.lhs : iterable], scope, reading);
  const round = inside(scope);
  bind(loopvar, round, reading);
  if (isSelect) visitAll([iterable.test], round, reading);
  round.names.add('loop');
  visitAll(body, round, reading);
  visitAll(defaultBlock, inside(scope), reading);
}

function visitMacro(
  parameters: Parameter[],
  body: Statement[],
  scope: Scope,
  reading: Reading,
): void {
  for (const parameter of parameters)
    scope.names.add(parameter.type === 'Identifier' ? parameter.value : parameter.key.value);
  for (const name of ['varargs', 'kwargs']) scope.names.add(name);
  visitAll(
    parameters.filter(({ type }) => type !== 'Identifier'),
    scope,
    reading,
  );
  visitAll(body, scope, reading);
}

/** The left side of `{% set … %}`, and the variable of a loop. */
function bind(target: Node, scope: Scope, reading: Reading): void {
  if (target.type === 'Identifier') scope.names.add(target.value);
  else if (target.type === 'TupleLiteral')
    for (const item of target.value) bind(item, scope, reading);
  else if (target.type === 'MemberExpression' && !target.computed)
    visitAll([target.object], scope, reading);
  else
    reading.faults.push({ at: firstPlace(target), message: 'sets something here that is no name' });
}

function nameOfFilter(filter: Expression, reading: Reading): string | undefined {
  const name = filter.type === 'CallExpression' ? filter.callee : filter;
  if (name.type !== 'Identifier') {
    reading.faults.push({
      at: firstPlace(filter),
      message: 'uses something here that is no filter',
    });
    return undefined;
  }
  expectName({ name, of: 'filter', known: Object.keys(filters) }, reading);
  checkNamed(name, argumentsOf(filter), reading);
  return name.value;
}

const argumentsOf = (filter: Expression): Argument[] =>
  filter.type === 'CallExpression' ? filter.args : [];

/**
 * The place among the arguments of the filters that take another filter, or a test, by its name.
 */
const named: Record<string, { of: 'filter' | 'test'; index: number }> = {
  map: { of: 'filter', index: 0 },
  select: { of: 'test', index: 0 },
  reject: { of: 'test', index: 0 },
  selectattr: { of: 'test', index: 1 },
  rejectattr: { of: 'test', index: 1 },
};

function checkNamed(filter: Identifier, args: Argument[], reading: Reading): void {
  const taken = Object.hasOwn(named, filter.value) ? named[filter.value]! : undefined;
  const argument = taken && args[taken.index];
  if (argument?.type !== 'StringLiteral') return;
  const known =
    taken!.of === 'filter'
      ? Object.keys(filters)
      : [...Object.keys(tests), ...Object.keys(comparisons)];
  expectName({ name: { ...filter, value: argument.value }, of: taken!.of, known }, reading);
}

function checkMethod({ callee }: Call, scope: Scope, reading: Reading): void {
  const data = dataBehind(callee, scope, reading);
  if (!data) return;
  if (callee.type !== 'MemberExpression')
    reading.faults.push({ at: data.at, message: `calls \`${data.value}\`, which is no macro` });
  else if (callee.property.type === 'Identifier' && !callee.computed)
    expectName(
      {
        name: { ...callee.property, at: callee.property.at },
        of: 'method',
        known: methods,
      },
      reading,
    );
}

/** The variable of the record that something belongs to, as `inputs` in `inputs.a[0].b`. */
function dataBehind(callee: Node, scope: Scope, { variables }: Reading): Identifier | undefined {
  let root = callee;
  while (root.type === 'MemberExpression') root = (root as Member).object;
  return root.type === 'Identifier' && variables.includes(root.value) && !isOwn(root.value, scope)
    ? root
    : undefined;
}

/** Whether a template has bound the name itself. */
function isOwn(name: string, scope: Scope): boolean {
  for (let around: Scope = scope; around.parent; around = around.parent)
    if (around.names.has(name)) return true;
  return false;
}

function isKnown(name: string, scope: Scope): boolean {
  for (let around: Scope | undefined = scope; around; around = around.parent)
    if (around.names.has(name)) return true;
  return false;
}

function unknownVariable({ value, at }: Identifier, scope: Scope, { listed }: Reading): Fault {
  return lazily(at ?? 0, () => {
    const known = new Set(listed);
    for (let around: Scope | undefined = scope; around; around = around.parent)
      for (const name of around.names) known.add(name);
    if (known.has(value)) return `uses \`${value}\` before it is set`;
    return unknown({
      name: value,
      of: 'variable',
      verb: 'names',
      suggested: known,
      listed,
    });
  });
}

function expectName(
  {
    name,
    of,
    known,
  }: { name: Identifier; of: 'filter' | 'test' | 'method'; known: readonly string[] },
  { faults }: Reading,
): void {
  if (known.includes(name.value)) return;
  faults.push(
    lazily(name.at, () =>
      unknown({ name: name.value, of, verb: 'has', suggested: known, listed: known }),
    ),
  );
}

/** A hostile template has thousands of faults, of which few are told. */
const lazily = (at: number, message: () => string): Fault => ({
  at,
  get message() {
    return message();
  },
});

function unknown({
  name,
  of,
  verb,
  suggested,
  listed,
}: {
  name: string;
  of: string;
  verb: string;
  suggested: Iterable<string>;
  listed: readonly string[];
}): string {
  const close = nearest(name, suggested);
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  const hint = close === undefined ? '; there are' : `; did you mean \`${close}\`? There are`;
  return `${verb} the unknown ${of} \`${shown}\`${hint} ${listed.join(', ')}`;
}

function firstPlace(node: object): number {
  if ('at' in node && typeof node.at === 'number') return node.at;
  return Math.max(0, ...partsOf(node).map(firstPlace));
}
