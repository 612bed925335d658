import type { Identity } from '@assay/contracts/define';
import type { RunOutline } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';
import { findFieldValues, readField } from '../field-values.ts';

/**
 * Numbers the groups of testcases: equal numbers where `groupBy` finds the same JSON text. One for
 * which it finds nothing is a group of its own. Inputs are those of the testcase's latest record in
 * `run`, metadata is the testcase's own.
 * @throws VALIDATION_ERROR when `groupBy` is no JSON Pointer into these, or finds nothing for any
 * testcase.
 */
export async function groupTestcases(
  dependencies: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  {
    groupBy,
    run,
    testcaseIds,
  }: { groupBy: string; run: RunOutline; testcaseIds: readonly string[] },
): Promise<Map<string, number>> {
  const field = readField(groupBy, '/groupBy');
  if (testcaseIds.length === 0) return new Map();
  const wanted = new Set(testcaseIds);
  const { values } = await findFieldValues(dependencies, identity, {
    field,
    run,
    keys: { of: 'testcase', has: (id) => wanted.has(id) },
    testcasesOf: () => new Map(testcaseIds.map((id) => [id, [id]])),
    among: 'testcase that both runs have',
  });
  return numbered(testcaseIds, values);
}

function numbered(testcaseIds: readonly string[], found: Map<string, string>): Map<string, number> {
  const numbers = new Map<string, number>();
  let count = 0;
  const numberOf = (text: string | undefined): number => {
    const known = text === undefined ? undefined : numbers.get(text);
    if (known !== undefined) return known;
    if (text !== undefined) numbers.set(text, count);
    return count++;
  };
  return new Map(testcaseIds.map((testcaseId) => [testcaseId, numberOf(found.get(testcaseId))]));
}
