import { withDoubles } from '@assay/json/doubles';
import { notedPath, notesMax, type RecordNote } from './conversion.ts';
import type { System, Testcase } from './evaluation.ts';

const digitsShownMax = 100;

/** A value for the user's own code, with the nearest double of each number. */
export const forUsersCode = <Value>(value: Value): Value =>
  withDoubles(value, () => undefined) as Value;

/** Systems that read JSON themselves, in another program: no number is rounded for them. */
const readersOfJson = new WeakSet<System>();

/** Marks a system that passes its inputs on as JSON, by `writeJson`. */
export function asReaderOfJson(system: System): System {
  readersOfJson.add(system);
  return system;
}

/**
 * A testcase as the system sees it. A function of JavaScript is given the nearest double of a number
 * that no double says, with a note for each.
 */
export function seenBySystem<Case extends Testcase>(
  system: System,
  testcase: Case,
): { seen: Case; notes: RecordNote[] } {
  if (readersOfJson.has(system)) return { seen: testcase, notes: [] };
  const notes: RecordNote[] = [];
  const { inputs, expected } = testcase;
  const plain = withDoubles({ inputs, expected }, ({ path, number }) => {
    if (notes.length === notesMax) return;
    const sent =
      number.text.length > digitsShownMax
        ? `${number.text.slice(0, digitsShownMax)}…`
        : number.text;
    notes.push({
      code: 'holds_doubles',
      path: notedPath(path),
      message: `No number of JavaScript holds ${sent}: the system was given ${Number(number.text)}.`,
    });
  });
  return { seen: { ...testcase, ...(plain as Pick<Case, 'inputs' | 'expected'>) }, notes };
}
