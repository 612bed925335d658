import type { Identity } from '@assay/contracts/define';
import type { ComparisonWarning } from '@assay/contracts/results';
import { recordsMax } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';
import type { Sides } from './sides.ts';
import type { Content, ValuesOfBoth } from './values.ts';

/** Testcases whose inputs and expected are read: where most were changed, a few show it. */
const readMax = 2 * recordsMax;
/** Testcases that are named. */
const examplesMax = 5;

/** A testcase whose latest records in two runs may be of other inputs or another expected. */
interface Suspect {
  testcaseId: string;
  baseline: Content;
  candidate: Content;
}

/**
 * Warns of testcases that were changed between the runs: their latest records are of other inputs
 * or another expected. Such a pair compares answers to two questions.
 */
export async function warnOfChangedTestcases(
  { runRecords }: Pick<Dependencies, 'runRecords'>,
  identity: Identity,
  { sides, gathered, testcaseIds }: { sides: Sides; gathered: ValuesOfBoth; testcaseIds: string[] },
): Promise<ComparisonWarning[]> {
  const suspects = suspectsOf(testcaseIds, gathered);
  const read = suspects.slice(0, readMax);
  const changed = { inputs: new Set<string>(), expected: new Set<string>() };
  for (let from = 0; from < read.length; from += recordsMax) {
    const some = read.slice(from, from + recordsMax);
    const contentsOf = async (side: keyof Sides) => {
      const recordIds = some.map((suspect) => suspect[side].recordId);
      const { contents } = await runRecords.readContents(identity, {
        runId: sides[side].id,
        recordIds,
      });
      return new Map(contents.map((content) => [content.recordId, content]));
    };
    const [baseline, candidate] = await Promise.all([
      contentsOf('baseline'),
      contentsOf('candidate'),
    ]);
    for (const suspect of some) {
      const [before, after] = [
        baseline.get(suspect.baseline.recordId),
        candidate.get(suspect.candidate.recordId),
      ];
      // A record may have been deleted since.
      if (!before || !after) continue;
      if (before.inputs !== after.inputs) changed.inputs.add(suspect.testcaseId);
      if (before.expected !== after.expected) changed.expected.add(suspect.testcaseId);
    }
  }
  const all = new Set([...changed.inputs, ...changed.expected]);
  if (all.size === 0) return [];
  const isWhole = suspects.length <= readMax;
  return [
    {
      code: 'testcases_differ',
      message: `${isWhole ? '' : 'At least '}${all.size} of ${testcaseIds.length} testcases ${all.size === 1 ? 'was' : 'were'} changed between the runs (${namesOf(changed)}): a difference may be theirs.`,
      details: {
        testcases: testcaseIds.length,
        inputs: changed.inputs.size,
        expected: changed.expected.size,
        examples: [...all].slice(0, examplesMax),
      },
    },
  ];
}

/** Those whose hashes differ; a record of an earlier release has none, and is not suspected. */
function suspectsOf(testcaseIds: string[], { baseline, candidate }: ValuesOfBoth): Suspect[] {
  return testcaseIds.flatMap((testcaseId) => {
    const before = baseline.contents[baseline.places.get(testcaseId)!]!;
    const after = candidate.contents[candidate.places.get(testcaseId)!]!;
    return before.hash && after.hash && before.hash !== after.hash
      ? [{ testcaseId, baseline: before, candidate: after }]
      : [];
  });
}

function namesOf({ inputs, expected }: Record<'inputs' | 'expected', Set<string>>): string {
  if (expected.size === 0) return 'their inputs';
  if (inputs.size === 0) return 'what is expected';
  return `the inputs of ${inputs.size}, what is expected of ${expected.size}`;
}
