import { roundedFor } from '@assay/contracts/record-notes';
import { withDoubles } from '@assay/json/doubles';
import type { RecordNote } from './conversion.ts';
import type { System, Testcase } from './evaluation.ts';

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
  const { inputs, expected, metadata } = testcase;
  const { plain, notes } = roundedFor(
    { inputs, expected },
    { holder: 'number of JavaScript', reader: 'the system' },
  );
  return { seen: { ...testcase, ...plain, metadata: forUsersCode(metadata) }, notes };
}
