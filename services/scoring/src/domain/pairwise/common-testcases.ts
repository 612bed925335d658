import { createHash } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
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
    const ofAll = new Map<string, LatestRecord[]>();
    for (const [testcaseId, record] of latest) {
      ofAll.set(testcaseId, [...(common?.get(testcaseId) ?? []), record]);
      const turn = nextTurn();
      if (turn) await turn;
    }
    common = ofAll;
  }
  const testcases: CommonTestcase[] = [];
  for (const [testcaseId, records] of common!) {
    testcases.push({
      testcaseId,
      recordIds: records.map(({ id }) => id),
      differs: new Set(records.flatMap(({ hash }) => hash ?? [])).size > 1,
    });
    const turn = nextTurn();
    if (turn) await turn;
  }
  return testcases;
}

/**
 * Draws so many testcases at random, the same ones for the same seed, and returns them in the order
 * of their ids.
 */
export async function draw(
  testcases: CommonTestcase[],
  { count, seed }: { count: number; seed: string },
): Promise<CommonTestcase[]> {
  const drawn =
    testcases.length <= count ? testcases : await withLowestLots(testcases, { count, seed });
  return drawn.toSorted((a, b) => (a.testcaseId < b.testcaseId ? -1 : 1));
}

async function withLowestLots(
  testcases: CommonTestcase[],
  { count, seed }: { count: number; seed: string },
): Promise<CommonTestcase[]> {
  const lots = new Float64Array(testcases.length);
  let place = 0;
  for (const { testcaseId } of testcases) {
    lots[place++] = lotOf(seed, testcaseId);
    const turn = nextTurn();
    if (turn) await turn;
  }
  const highest = lots.toSorted()[count - 1]!;
  return testcases.filter((_, at) => lots[at]! <= highest).slice(0, count);
}

/** As many bytes of a hash as a number holds exactly. */
const lotOf = (seed: string, testcaseId: string): number =>
  createHash('sha256').update(`${seed}/${testcaseId}`).digest().readUIntBE(0, 6);
