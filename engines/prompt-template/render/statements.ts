import type { CallBlock, Expression, For, Parameter, Statement } from '../tree.ts';
import {
  applyFilter,
  call,
  enter,
  evaluateApart,
  evaluateArguments,
  isTruthy,
} from './expressions.ts';
import { textOf } from './filter.ts';
import type { RenderState } from './render-state.ts';
import { plain } from './rendered.ts';
import { callable, inside, type Scope } from './scope.ts';
import {
  createFields,
  isOfKind,
  itemsOf,
  kind,
  type Loop,
  type MarkedArguments,
  type MarkedValue,
  type RenderedText,
  type Value,
} from './values.ts';

/** Appends output to the prompt, or to the text of a block. */
export type Put = (text: string, isData: boolean) => void;

/** How a block ends before its end, by `{% break %}` or `{% continue %}`. */
type Signal = 'Break' | 'Continue' | undefined;

/**
 * Runs statements and puts out their text, in pieces that tell data from the template's own words.
 */
export function run(
  body: readonly Statement[],
  scope: Scope,
  put: Put,
  state: RenderState,
): Signal {
  enter(state);
  for (const statement of body) {
    const signal = runOne(statement, scope, put, state);
    if (signal) return leave(signal, state);
  }
  return leave(undefined, state);
}

function leave(signal: Signal, state: RenderState): Signal {
  state.depth--;
  return signal;
}

function runOne(node: Statement, scope: Scope, put: Put, state: RenderState): Signal {
  state.step();
  switch (node.type) {
    case 'Comment':
      return undefined;
    case 'Break':
    case 'Continue':
      return node.type;
    case 'If':
      return run(isTruthy(node.test, scope, state) ? node.body : node.alternate, scope, put, state);
    case 'For':
      return runLoop(node, scope, put, state);
    case 'Set': {
      if (node.value)
        return assign(node.assignee, evaluateApart(node.value, scope, state), scope, state);
      const { value, signal } = capture(node.body, inside(scope), state);
      assign(node.assignee, { value, isData: value.isData }, scope, state);
      return signal;
    }
    case 'Macro':
      scope.names.set(node.name.value, {
        value: macro(node.args, node.body, scope, state),
        isData: false,
      });
      return undefined;
    case 'CallStatement':
      return print(callBlock(node, scope, state), put, state);
    case 'FilterStatement': {
      const { value, signal } = capture(node.body, inside(scope), state);
      const before = state.readsRecord;
      state.readsRecord = false;
      print(
        {
          value: applyFilter(plain(value, state), node.filter, scope, state),
          isData: state.readsRecord,
        },
        put,
        state,
      );
      state.readsRecord = before;
      return signal;
    }
    default:
      return print(evaluateApart(node, scope, state), put, state);
  }
}

function print({ value, isData }: MarkedValue, put: Put, state: RenderState): undefined {
  if (!isOfKind(value, 'rendered')) return void printText(value, isData, put, state);
  state.step(value.pieces.length);
  for (const piece of value.pieces) put(piece.text, piece.isData);
}

/** A namespace is seen to hold data only when it becomes text. */
function printText(value: Value, isData: boolean, put: Put, state: RenderState): void {
  const before = state.readsRecord;
  state.readsRecord = isData;
  const text = textOf(value, state);
  put(text, state.readsRecord);
  state.readsRecord = before;
}

/** The text of a block, kept in its pieces. */
function capture(
  body: readonly Statement[],
  scope: Scope,
  state: RenderState,
): { value: RenderedText; signal: Signal } {
  const value: RenderedText = { [kind]: 'rendered', pieces: [], isData: false, isEmpty: true };
  const put: Put = (text, isData) => {
    state.characters(text.length);
    value.pieces.push({ text, isData });
    value.isData ||= isData;
    value.isEmpty &&= text === '';
  };
  const before = state.readsRecord;
  const signal = run(body, scope, put, state);
  state.readsRecord = before;
  return { value, signal };
}

function assign(
  target: Expression,
  { value, isData }: MarkedValue,
  scope: Scope,
  state: RenderState,
): undefined {
  if (target.type === 'Identifier') {
    state.at = target.at;
    scope.names.set(target.value, { value, isData });
  } else if (target.type === 'TupleLiteral') {
    const items = itemsOf(plain(value, state), state);
    if (items.length !== target.value.length)
      state.fail(`There are ${items.length} values for ${target.value.length} names.`);
    for (const [index, name] of target.value.entries())
      assign(name, { value: items[index], isData }, scope, state);
  } else if (target.type === 'MemberExpression' && target.property.type === 'Identifier') {
    const namespace = evaluateApart(target.object, scope, state).value;
    state.at = target.property.at;
    if (!isOfKind(namespace, 'namespace'))
      return state.fail('Only the fields of a `namespace()` can be set.');
    namespace.fields.set(target.property.value, value);
    namespace.isData ||= isData;
  } else state.fail('Only a name, several names, or a field of a `namespace()` can be set.');
}

function runLoop(
  { loopvar, iterable, body, defaultBlock }: For,
  scope: Scope,
  put: Put,
  state: RenderState,
): Signal {
  const isSelect = iterable.type === 'SelectExpression';
  const { value, isData } = evaluateApart(isSelect ? iterable.lhs : iterable, scope, state);
  const all = itemsOf(plain(value, state), state);
  const round = (item: Value): Scope => {
    const names = inside(scope);
    assign(loopvar, { value: item, isData }, names, state);
    return names;
  };
  const items = isSelect ? all.filter((item) => isTruthy(iterable.test, round(item), state)) : all;
  for (const [index, item] of items.entries()) {
    state.step();
    const names = round(item);
    const loop: Loop = { [kind]: 'loop', items, index, isData };
    names.names.set('loop', { value: loop, isData: false });
    if (run(body, names, put, state) === 'Break') break;
  }
  return items.length === 0 ? run(defaultBlock, inside(scope), put, state) : undefined;
}

/**
 * A macro sees the names around its definition, also names that are set after it. Surplus arguments
 * are in `varargs` and `kwargs`.
 */
function macro(
  parameters: readonly Parameter[],
  body: readonly Statement[],
  scope: Scope,
  state: RenderState,
) {
  return callable((given: MarkedArguments) => {
    enter(state, callLevels);
    const names = inside(scope);
    const named = new Map(given.named);
    for (const [index, parameter] of parameters.entries()) {
      const { key, value } =
        parameter.type === 'Identifier' ? { key: parameter, value: undefined } : parameter;
      const wanted =
        given.positional[index] ??
        named.get(key.value) ??
        (value && evaluateApart(value, names, state));
      names.names.set(key.value, wanted ?? { value: undefined, isData: false });
      named.delete(key.value);
    }
    bindRest(names, given.positional.slice(parameters.length), named, state);
    const { value } = capture(body, names, state);
    state.depth -= callLevels;
    return value;
  });
}

const callLevels = 4;

function bindRest(
  scope: Scope,
  positional: MarkedValue[],
  named: Map<string, MarkedValue>,
  state: RenderState,
): void {
  const text = ({ value }: MarkedValue) =>
    isOfKind(value, 'rendered') ? plain(value, state) : value;
  const isData = (all: Iterable<MarkedValue>) => [...all].some((given) => given.isData);
  const caller = named.get('caller');
  if (caller) scope.names.set('caller', caller);
  named.delete('caller');
  scope.names.set('varargs', { value: positional.map(text), isData: isData(positional) });
  const fields = createFields([...named].map(([name, given]) => [name, text(given)]));
  scope.names.set('kwargs', { value: fields, isData: isData(named.values()) });
}

/** `{% call(a) f() %}`: the macro `f` calls the block by the name of `caller`. */
function callBlock(
  { call: { callee, args }, callerArgs, body }: CallBlock,
  scope: Scope,
  state: RenderState,
): MarkedValue {
  const called = evaluateApart(callee, scope, state).value;
  const given = evaluateArguments(args, scope, state);
  given.named.set('caller', { value: macro(callerArgs ?? [], body, scope, state), isData: false });
  return { value: call(called, given, state), isData: true };
}
