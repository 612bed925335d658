import type { PassBounds } from '@assay/contracts/results';
import type { Absence } from './unknown-scores.ts';

/** How the records of one testcase came out; those to which a metric does not apply are in none. */
interface Outcomes {
  passed: number;
  failed: number;
  unknown: number;
}

/** Counts the outcomes of a metric by testcase. */
export function createPassTally() {
  const testcases: Outcomes[] = [];
  return {
    add(place: number, outcome: keyof Outcomes): void {
      testcases[place] ??= { passed: 0, failed: 0, unknown: 0 };
      testcases[place][outcome]++;
    },
    bounds: (request: BoundsRequest): PassBounds => passBounds(testcases, request),
  };
}

interface BoundsRequest {
  absence: Absence;
  /** Records that have to pass for a testcase to pass; 0: the share that passes counts. */
  minPasses: number;
}

/**
 * The pass rate over the testcases that a run is to have, between that where no unknown score passes
 * and that where each does (contract section 5, The gate).
 */
function passBounds(
  testcases: readonly Outcomes[],
  { absence, minPasses }: BoundsRequest,
): PassBounds {
  const sums = { low: 0, high: 0, known: 0 };
  let [count, known] = [absence.testcases, 0];
  for (const [place, outcomes] of testcases.entries()) {
    // A place without outcomes is a testcase to which the metric does not apply.
    if (!outcomes) continue;
    const { passed, failed } = outcomes;
    const unknown = outcomes.unknown + (absence.partly.get(place) ?? 0);
    const rate = (passing: number, records: number) =>
      minPasses > 0 ? Number(passing >= minPasses) : passing / records;
    const all = passed + failed + unknown;
    const [low, high] = [rate(passed, all), rate(passed + unknown, all)];
    count++;
    sums.low += low;
    sums.high += high;
    const isKnown = minPasses > 0 ? low === high : passed + failed > 0;
    if (!isKnown) continue;
    known++;
    sums.known += minPasses > 0 ? low : passed / (passed + failed);
  }
  // With fewer records than have to pass, an absent testcase fails all the same.
  const absent = absence.repeats >= minPasses ? absence.testcases : 0;
  return {
    testcases: count,
    low: count === 0 ? 0 : sums.low / count,
    high: count === 0 ? 0 : (sums.high + absent) / count,
    known: known === 0 ? null : sums.known / known,
  };
}
