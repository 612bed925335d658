import { isNumeric } from './compare.ts';
import { textOf } from './filter.ts';
import { formatCount, type RenderState } from './render-state.ts';
import { nameOf, type Value, wholeNumberOf } from './values.ts';

/** Operators that make a value of two others. */
export const operators: Readonly<
  Record<string, (a: Value, b: Value, state: RenderState) => Value>
> = {
  '~': (a, b, state) => joined(textOf(a, state), textOf(b, state), state),
  '+': (a, b, state) => {
    if (Array.isArray(a) && Array.isArray(b)) {
      state.step(a.length + b.length);
      return [...a, ...b];
    }
    return typeof a === 'string' || typeof b === 'string'
      ? joined(textOf(a, state), textOf(b, state), state)
      : arithmetic('+', a, b, state);
  },
  '*': (a, b, state) => {
    const [left, right] = [wholeNumberOf(a), wholeNumberOf(b)];
    if (typeof a === 'string' && right !== undefined) return repeated(a, right, state);
    return typeof b === 'string' && left !== undefined
      ? repeated(b, left, state)
      : arithmetic('*', a, b, state);
  },
  '-': (a, b, state) => arithmetic('-', a, b, state),
  '/': (a, b, state) => arithmetic('/', a, b, state),
  '//': (a, b, state) => arithmetic('//', a, b, state),
  '%': (a, b, state) => arithmetic('%', a, b, state),
  '**': (a, b, state) => arithmetic('**', a, b, state),
};

const calculations: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  // As in Python, the remainder has the sign of the divisor.
  '%': (a, b) => a - b * Math.floor(a / b),
  '**': (a, b) => a ** b,
};

function arithmetic(operator: string, a: Value, b: Value, state: RenderState): number {
  if (!isNumeric(a) || !isNumeric(b))
    return state.fail(`\`${operator}\` cannot work on ${nameOf(a)} and ${nameOf(b)}.`);
  const result = calculations[operator]!(Number(a), Number(b));
  return Number.isFinite(result)
    ? result
    : state.fail(`\`${operator}\` gives no finite number here.`);
}

/** Two texts become one without being copied, until it is read. */
function joined(a: string, b: string, state: RenderState): string {
  state.characters(Math.min(a.length, b.length));
  if (a.length + b.length > state.limits.workCharactersMax)
    state.fail(
      `A text becomes longer than ${formatCount(state.limits.workCharactersMax)} characters.`,
    );
  return a + b;
}

function repeated(text: string, count: number, state: RenderState): string {
  state.characters(text.length * Math.max(0, count));
  return text.repeat(Math.max(0, count));
}
