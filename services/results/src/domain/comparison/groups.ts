import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { RunOutline, TestcaseInput } from '@assay/contracts/run-records';
import { isPointer, pointerSegments } from '@assay/json/pointer';
import type { Dependencies } from '../dependencies.ts';

/** Testcases in one question. */
const batch = 500;

type Place = 'inputs' | 'metadata';

/**
 * Numbers the groups of testcases: equal numbers where `groupBy` finds the same JSON text. One for
 * which it finds nothing is a group of its own. Inputs are those of the testcase's latest record in
 * `run`, metadata is the testcase's own.
 * @throws VALIDATION_ERROR when `groupBy` is no JSON Pointer into these, or finds nothing for any
 * testcase.
 */
export async function groupTestcases(
  { runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  {
    groupBy,
    run,
    testcaseIds,
  }: { groupBy: string; run: RunOutline; testcaseIds: readonly string[] },
): Promise<Map<string, number>> {
  const { places, pointer } = readGroupBy(groupBy);
  const find = {
    inputs: () =>
      findInInputs(runRecords.streamInputs(identity, { runId: run.id, pointer }), testcaseIds),
    metadata: () =>
      findInMetadata(ask.testcases, identity, { testsetId: run.testsetId, pointer, testcaseIds }),
  };
  if (testcaseIds.length === 0) return new Map();
  for (const place of places) {
    const found = await find[place]();
    if (found.size > 0) return numbered(testcaseIds, found);
  }
  throw invalidAt(
    '/groupBy',
    `finds nothing in the ${places.join(' or the ')} of any testcase that both runs have`,
  );
}

/** A first segment that is neither `inputs` nor `metadata` is looked for in both. */
function readGroupBy(groupBy: string): { places: Place[]; pointer: string } {
  if (!isPointer(groupBy) || groupBy === '')
    throw invalidAt(
      '/groupBy',
      'is no JSON Pointer into inputs or metadata; one looks like /inputs/topic',
    );
  const [first, ...inside] = pointerSegments(groupBy);
  if (first !== 'inputs' && first !== 'metadata')
    return { places: ['inputs', 'metadata'], pointer: groupBy };
  if (inside.length === 0)
    throw invalidAt('/groupBy', `must go on to what it means in ${first}, as /${first}/topic does`);
  return { places: [first], pointer: groupBy.slice(first.length + 1) };
}

/** The text of each testcase's latest record. */
async function findInInputs(
  inputs: AsyncIterable<TestcaseInput>,
  testcaseIds: readonly string[],
): Promise<Map<string, string>> {
  const wanted = new Set(testcaseIds);
  const found = new Map<string, string>();
  for await (const { testcaseId, text } of inputs) {
    if (!wanted.has(testcaseId)) continue;
    if (text === null) found.delete(testcaseId);
    else found.set(testcaseId, text);
  }
  return found;
}

async function findInMetadata(
  { metadataAt }: Dependencies['ask']['testcases'],
  identity: Identity,
  {
    testsetId,
    pointer,
    testcaseIds,
  }: { testsetId: string | null; pointer: string; testcaseIds: readonly string[] },
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (testsetId === null) return found;
  for (let from = 0; from < testcaseIds.length; from += batch) {
    const { values } = await metadataAt(identity, {
      testsetId,
      ids: testcaseIds.slice(from, from + batch),
      pointer,
    });
    for (const { id, value } of values) if (value !== null) found.set(id, value);
  }
  return found;
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
