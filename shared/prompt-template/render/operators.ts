import { isNumeric } from './compare.ts';
import { textOf } from './filter.ts';
import { nameOf, type Value } from './values.ts';
import { figure, type Work } from './work.ts';

/** Operators that make a value of two others. */
export const operators: Readonly<Record<string, (a: Value, b: Value, work: Work) => Value>> = {
  '~': (a, b, work) => joined(textOf(a, work), textOf(b, work), work),
  '+': (a, b, work) => {
    if (Array.isArray(a) && Array.isArray(b)) {
      work.step(a.length + b.length);
      return [...a, ...b];
    }
    return typeof a === 'string' || typeof b === 'string' ? joined(textOf(a, work), textOf(b, work), work) : arithmetic('+', a, b, work);
  },
  '*': (a, b, work) => {
    if (typeof a === 'string' && Number.isInteger(b)) return repeated(a, b as number, work);
    return typeof b === 'string' && Number.isInteger(a) ? repeated(b, a as number, work) : arithmetic('*', a, b, work);
  },
  '-': (a, b, work) => arithmetic('-', a, b, work),
  '/': (a, b, work) => arithmetic('/', a, b, work),
  '//': (a, b, work) => arithmetic('//', a, b, work),
  '%': (a, b, work) => arithmetic('%', a, b, work),
  '**': (a, b, work) => arithmetic('**', a, b, work),
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

function arithmetic(operator: string, a: Value, b: Value, work: Work): number {
  if (!isNumeric(a) || !isNumeric(b)) return work.fail(`\`${operator}\` cannot work on ${nameOf(a)} and ${nameOf(b)}.`);
  const result = calculations[operator]!(Number(a), Number(b));
  return Number.isFinite(result) ? result : work.fail(`\`${operator}\` gives no finite number here.`);
}

/** Two texts become one without being copied, until it is read. */
function joined(a: string, b: string, work: Work): string {
  work.characters(Math.min(a.length, b.length));
  if (a.length + b.length > work.limits.workCharactersMax)
    work.fail(`A text becomes longer than ${figure(work.limits.workCharactersMax)} characters.`);
  return a + b;
}

function repeated(text: string, count: number, work: Work): string {
  work.characters(text.length * Math.max(0, count));
  return text.repeat(Math.max(0, count));
}
