import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { PairGroup } from '@assay/contracts/results';
import { isErrorsMetric } from '../errors-metric.ts';
import { isLowerBetter } from '../output-scales.ts';
import type { ComparedMetric } from './sides.ts';
import { type TestcaseValues, testcasesOfEither, type ValuesOfBoth, valuesOf } from './values.ts';

type Member = (testcase: TestcaseValues) => boolean;

/**
 * Tells whether a testcase is of each group. By its values it regressed, improved, or neither; by
 * the passing thresholds both passed, both failed, or neither; or only one run has a value of it.
 */
export function groupsOf(metric: ComparedMetric): Record<PairGroup, Member> {
  const [inBaseline, inCandidate] = [passingOf(metric.baseline), passingOf(metric.candidate)];
  // A value that is not there is NaN, which is neither less than anything nor more.
  const ofPair =
    (is: (baseline: number, candidate: number) => boolean): Member =>
    ({ baseline, candidate }) =>
      is(baseline?.value ?? Number.NaN, candidate?.value ?? Number.NaN);
  const fell = ofPair((baseline, candidate) => candidate < baseline);
  const rose = ofPair((baseline, candidate) => candidate > baseline);
  return {
    regressed: isLowerBetter(metric.candidate) ? rose : fell,
    improved: isLowerBetter(metric.candidate) ? fell : rose,
    changed: ofPair((baseline, candidate) => candidate < baseline || candidate > baseline),
    bothPass: ofPair(
      (baseline, candidate) => inBaseline.passes(baseline) && inCandidate.passes(candidate),
    ),
    bothFail: ofPair(
      (baseline, candidate) => inBaseline.fails(baseline) && inCandidate.fails(candidate),
    ),
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

/** A boolean is the share of the testcase's records that pass: the testcase passes if most do. */
function passingOf(metric: MetricVersionOutline) {
  const { outputType, passingThreshold } = metric;
  if (isErrorsMetric(metric))
    return { passes: (value: number) => value <= 0.5, fails: (value: number) => value > 0.5 };
  const threshold = passingThreshold ?? Number.NaN;
  return outputType === 'boolean'
    ? { passes: (value: number) => value > 0.5, fails: (value: number) => value <= 0.5 }
    : {
        passes: (value: number) => value >= threshold,
        fails: (value: number) => value < threshold,
      };
}
