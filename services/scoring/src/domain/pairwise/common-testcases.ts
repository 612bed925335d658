import { createHash } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import type { Dependencies } from '../dependencies.ts';

/** A testcase that all runs have a record of. */
export interface CommonTestcase {
  testcaseId: string;
  /** The latest record of each run. */
  recordIds: string[];
  /** Whether these records are of different inputs or another expected. */
  differs: boolean;
}

interface LatestRecord {
  id: string;
  /** Undefined for records of earlier releases. */
  hash: string | undefined;
}

/** Returns the testcases that all runs have a record of, run by run: only those are remembered. */
export async function commonTestcases(
  { streamRatings }: Pick<Dependencies['comparedRuns'], 'streamRatings'>,
  identity: Identity,
  runIds: readonly string[],
): Promise<CommonTestcase[]> {
  let common: Map<string, LatestRecord[]> | undefined;
  for (const runId of runIds) {
    const latest = new Map<string, LatestRecord>();
    const lines = streamRatings(identity, { runId, withVotes: false, withHashes: true });
    for await (const { id, testcaseId, contentHash } of lines)
      if (testcaseId !== null && (!common || common.has(testcaseId)))
        latest.set(testcaseId, { id, hash: contentHash });
    const former = common;
    common = new Map(
      [...latest].map(([testcaseId, record]) => [
        testcaseId,
        [...(former?.get(testcaseId) ?? []), record],
      ]),
    );
  }
  return [...common!].map(([testcaseId, records]) => ({
    testcaseId,
    recordIds: records.map(({ id }) => id),
    differs: new Set(records.flatMap(({ hash }) => hash ?? [])).size > 1,
  }));
}

/**
 * Draws so many testcases at random, the same ones for the same seed, and returns them in the order
 * of their ids.
 */
export function draw(
  testcases: CommonTestcase[],
  { count, seed }: { count: number; seed: string },
): CommonTestcase[] {
  const drawn =
    testcases.length <= count
      ? testcases
      : testcases
          .map((testcase) => ({ testcase, lot: lotOf(seed, testcase.testcaseId) }))
          .sort((a, b) => (a.lot < b.lot ? -1 : 1))
          .slice(0, count)
          .map(({ testcase }) => testcase);
  return drawn.toSorted((a, b) => (a.testcaseId < b.testcaseId ? -1 : 1));
}

const lotOf = (seed: string, testcaseId: string): string =>
  createHash('sha256').update(`${seed}/${testcaseId}`).digest('hex');
