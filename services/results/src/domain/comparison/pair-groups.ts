import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { PairGroup } from '@assay/contracts/results';
import type { ComparedMetric } from './sides.ts';
import { type TestcaseValues, testcasesOfEither, type ValuesOfBoth, valuesOf } from './values.ts';

type Member = (testcase: TestcaseValues) => boolean;

/**
 * Tells whether a testcase is of each group. By its values it regressed, improved, or neither; by
 * the passing thresholds both passed, both failed, or neither; or only one run has a value of it.
 */
export function groupsOf(metric: ComparedMetric): Record<PairGroup, Member> {
  const [ofBaseline, ofCandidate] = [thresholdOf(metric.baseline), thresholdOf(metric.candidate)];
  // A value that is not there is NaN, which is neither less than anything nor more.
  const ofPair =
    (is: (baseline: number, candidate: number) => boolean): Member =>
    ({ baseline, candidate }) =>
      is(baseline?.value ?? Number.NaN, candidate?.value ?? Number.NaN);
  return {
    regressed: ofPair((baseline, candidate) => candidate < baseline),
    improved: ofPair((baseline, candidate) => candidate > baseline),
    changed: ofPair((baseline, candidate) => candidate < baseline || candidate > baseline),
    bothPass: ofPair((baseline, candidate) => baseline >= ofBaseline && candidate >= ofCandidate),
    bothFail: ofPair((baseline, candidate) => baseline < ofBaseline && candidate < ofCandidate),
    unpairedBaseline: ({ baseline, candidate }) => Boolean(baseline && !candidate),
    unpairedCandidate: ({ baseline, candidate }) => Boolean(candidate && !baseline),
  };
}

/** How many testcases are of each group. */
export function countGroups(
  gathered: ValuesOfBoth,
  metric: ComparedMetric,
): Record<PairGroup, number> {
  const groups = Object.entries(groupsOf(metric)) as [PairGroup, Member][];
  const counts = Object.fromEntries(groups.map(([name]) => [name, 0])) as Record<PairGroup, number>;
  for (const testcase of valuesOf(testcasesOfEither(gathered), gathered, metric))
    for (const [name, isMember] of groups) if (isMember(testcase)) counts[name]++;
  return counts;
}

/** The least value that passes; booleans are 0 and 1. */
const thresholdOf = ({ outputType, passingThreshold }: MetricVersionOutline): number =>
  outputType === 'boolean' ? 1 : (passingThreshold ?? Number.NaN);
