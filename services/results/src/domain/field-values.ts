import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { RecordInput, RunOutline } from '@assay/contracts/run-records';
import { isPointer, pointerSegments } from '@assay/json/pointer';
import type { Dependencies } from './dependencies.ts';

/** Testcases in one question. */
const batch = 500;

type Place = 'inputs' | 'metadata';

/** A field of records, or of their testcases, as a request names it. */
export interface Field {
  /** Where it is looked for: in the first of these that has it. */
  places: Place[];
  pointer: string;
  /** The part of the request that names it. */
  path: string;
}

/** The values of a field as JSON text, and where it was found. */
export interface FoundValues {
  place: Place;
  values: Map<string, string>;
}

/**
 * A first segment that is neither `inputs` nor `metadata` is looked for in both.
 * @throws VALIDATION_ERROR when the text is no JSON Pointer into these.
 */
export function readField(text: string, path: string): Field {
  if (!isPointer(text) || text === '')
    throw invalidAt(
      path,
      'is no JSON Pointer into inputs or metadata; one looks like /inputs/topic',
    );
  const [first, ...inside] = pointerSegments(text);
  if (first !== 'inputs' && first !== 'metadata')
    return { places: ['inputs', 'metadata'], pointer: text, path };
  if (inside.length === 0)
    throw invalidAt(path, `must go on to what it means in ${first}, as /${first}/topic does`);
  return { places: [first], pointer: text.slice(first.length + 1), path };
}

/**
 * The values of a field in a run by record or by testcase: of a testcase that of its latest record.
 * Metadata is the testcase's own.
 * @throws VALIDATION_ERROR when it is found nowhere. `among` says in which.
 */
export async function findFieldValues(
  { runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  {
    field: { places, pointer, path },
    run,
    keys,
    testcasesOf,
    among,
  }: {
    field: Field;
    run: RunOutline;
    /** Which records or testcases are wanted. */
    keys: { of: 'record' | 'testcase'; has: (id: string) => boolean };
    /** The wanted ones, by the ids of their testcases. */
    testcasesOf: () => Map<string, string[]>;
    among: string;
  },
): Promise<FoundValues> {
  const find: Record<Place, () => Promise<Map<string, string>>> = {
    inputs: () => findInInputs(runRecords.streamInputs(identity, { runId: run.id, pointer }), keys),
    metadata: async () => {
      const ofTestcases = testcasesOf();
      const found = await findInMetadata(ask.testcases, identity, {
        testsetId: run.testsetId,
        pointer,
        testcaseIds: [...ofTestcases.keys()],
      });
      return new Map(
        [...found].flatMap(([testcaseId, text]) =>
          ofTestcases.get(testcaseId)!.map((key): [string, string] => [key, text]),
        ),
      );
    },
  };
  for (const place of places) {
    const values = await find[place]();
    if (values.size > 0) return { place, values };
  }
  throw invalidAt(path, `finds nothing in the ${places.join(' or the ')} of any ${among}`);
}

/** The text of each record, or of each testcase's latest record. */
async function findInInputs(
  inputs: AsyncIterable<RecordInput>,
  { of, has }: { of: 'record' | 'testcase'; has: (id: string) => boolean },
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { recordId, testcaseId, text } of inputs) {
    const key = of === 'record' ? recordId : testcaseId;
    if (key === null || !has(key)) continue;
    if (text === null) found.delete(key);
    else found.set(key, text);
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
