import type { CallBlock, Expression, For, Parameter, Statement } from '../tree.ts';
import { applyFilter, call, enter, evaluateApart, evaluateArguments, holds } from './expressions.ts';
import { textOf } from './filter.ts';
import { plain } from './rendered.ts';
import { callable, inside, type Scope } from './scope.ts';
import { createFields, type Given, type GivenArguments, isOfKind, itemsOf, kind, type Loop, type Rendered, type Value } from './values.ts';
import type { Work } from './work.ts';

/** Appends output to the prompt, or to the text of a block. */
export type Put = (text: string, isData: boolean) => void;

/** How a block ends before its end, by `{% break %}` or `{% continue %}`. */
type Signal = 'Break' | 'Continue' | undefined;

/** Runs statements and puts out their text, in pieces that tell data from the template's own words. */
export function run(body: readonly Statement[], scope: Scope, put: Put, work: Work): Signal {
  enter(work);
  for (const statement of body) {
    const signal = runOne(statement, scope, put, work);
    if (signal) return leave(signal, work);
  }
  return leave(undefined, work);
}

function leave(signal: Signal, work: Work): Signal {
  work.depth--;
  return signal;
}

function runOne(node: Statement, scope: Scope, put: Put, work: Work): Signal {
  work.step();
  switch (node.type) {
    case 'Comment':
      return undefined;
    case 'Break':
    case 'Continue':
      return node.type;
    case 'If':
      return run(holds(node.test, scope, work) ? node.body : node.alternate, scope, put, work);
    case 'For':
      return runLoop(node, scope, put, work);
    case 'Set': {
      if (node.value) return assign(node.assignee, evaluateApart(node.value, scope, work), scope, work);
      const { value, signal } = capture(node.body, inside(scope), work);
      assign(node.assignee, { value, isData: value.isData }, scope, work);
      return signal;
    }
    case 'Macro':
      scope.names.set(node.name.value, { value: macro(node.args, node.body, scope, work), isData: false });
      return undefined;
    case 'CallStatement':
      return print(callBlock(node, scope, work), put, work);
    case 'FilterStatement': {
      const { value, signal } = capture(node.body, inside(scope), work);
      const before = work.touched;
      work.touched = false;
      print({ value: applyFilter(plain(value, work), node.filter, scope, work), isData: work.touched }, put, work);
      work.touched = before;
      return signal;
    }
    default:
      return print(evaluateApart(node, scope, work), put, work);
  }
}

function print({ value, isData }: Given, put: Put, work: Work): undefined {
  if (!isOfKind(value, 'rendered')) return void printText(value, isData, put, work);
  work.step(value.pieces.length);
  for (const piece of value.pieces) put(piece.text, piece.isData);
}

/** A namespace is seen to hold data only when it becomes text. */
function printText(value: Value, isData: boolean, put: Put, work: Work): void {
  const before = work.touched;
  work.touched = isData;
  const text = textOf(value, work);
  put(text, work.touched);
  work.touched = before;
}

/** The text of a block, kept in its pieces. */
function capture(body: readonly Statement[], scope: Scope, work: Work): { value: Rendered; signal: Signal } {
  const value: Rendered = { [kind]: 'rendered', pieces: [], isData: false, isEmpty: true };
  const put: Put = (text, isData) => {
    work.characters(text.length);
    value.pieces.push({ text, isData });
    value.isData ||= isData;
    value.isEmpty &&= text === '';
  };
  const before = work.touched;
  const signal = run(body, scope, put, work);
  work.touched = before;
  return { value, signal };
}

function assign(target: Expression, { value, isData }: Given, scope: Scope, work: Work): undefined {
  if (target.type === 'Identifier') {
    work.at = target.at ?? work.at;
    scope.names.set(target.value, { value, isData });
  } else if (target.type === 'TupleLiteral') {
    const items = itemsOf(plain(value, work), work);
    if (items.length !== target.value.length) work.fail(`There are ${items.length} values for ${target.value.length} names.`);
    for (const [index, name] of target.value.entries()) assign(name, { value: items[index], isData }, scope, work);
  } else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
    const namespace = evaluateApart(target.object, scope, work).value;
    work.at = target.property.at ?? work.at;
    if (!isOfKind(namespace, 'namespace')) return work.fail('Only the fields of a `namespace()` can be set.');
    namespace.fields.set(target.property.value, value);
    namespace.isData ||= isData;
  } else work.fail('Only a name, several names, or a field of a `namespace()` can be set.');
}

function runLoop({ loopvar, iterable, body, defaultBlock }: For, scope: Scope, put: Put, work: Work): Signal {
  const isSelect = iterable.type === 'SelectExpression';
  const { value, isData } = evaluateApart(isSelect ? iterable.lhs : iterable, scope, work);
  const all = itemsOf(plain(value, work), work);
  const round = (item: Value): Scope => {
    const names = inside(scope);
    assign(loopvar, { value: item, isData }, names, work);
    return names;
  };
  const items = isSelect ? all.filter((item) => holds(iterable.test, round(item), work)) : all;
  for (const [index, item] of items.entries()) {
    work.step();
    const names = round(item);
    const loop: Loop = { [kind]: 'loop', items, index, isData };
    names.names.set('loop', { value: loop, isData: false });
    if (run(body, names, put, work) === 'Break') break;
  }
  return items.length === 0 ? run(defaultBlock, inside(scope), put, work) : undefined;
}

/** A macro sees the names around its definition, also names that are set after it. Surplus arguments are in `varargs` and `kwargs`. */
function macro(parameters: readonly Parameter[], body: readonly Statement[], scope: Scope, work: Work) {
  return callable((given: GivenArguments) => {
    enter(work, callLevels);
    const names = inside(scope);
    const named = new Map(given.named);
    for (const [index, parameter] of parameters.entries()) {
      const { key, value } = parameter.type === 'Identifier' ? { key: parameter, value: undefined } : parameter;
      const wanted = given.positional[index] ?? named.get(key.value) ?? (value && evaluateApart(value, names, work));
      names.names.set(key.value, wanted ?? { value: undefined, isData: false });
      named.delete(key.value);
    }
    bindRest(names, given.positional.slice(parameters.length), named, work);
    const { value } = capture(body, names, work);
    work.depth -= callLevels;
    return value;
  });
}

const callLevels = 4;

function bindRest(scope: Scope, positional: Given[], named: Map<string, Given>, work: Work): void {
  const text = ({ value }: Given) => (isOfKind(value, 'rendered') ? plain(value, work) : value);
  const isData = (all: Iterable<Given>) => [...all].some((given) => given.isData);
  const caller = named.get('caller');
  if (caller) scope.names.set('caller', caller);
  named.delete('caller');
  scope.names.set('varargs', { value: positional.map(text), isData: isData(positional) });
  const fields = createFields([...named].map(([name, given]) => [name, text(given)]));
  scope.names.set('kwargs', { value: fields, isData: isData(named.values()) });
}

/** `{% call(a) f() %}`: the macro `f` calls the block by the name of `caller`. */
function callBlock({ call: { callee, args }, callerArgs, body }: CallBlock, scope: Scope, work: Work): Given {
  const called = evaluateApart(callee, scope, work).value;
  const given = evaluateArguments(args, scope, work);
  given.named.set('caller', { value: macro(callerArgs ?? [], body, scope, work), isData: false });
  return { value: call(called, given, work), isData: true };
}
