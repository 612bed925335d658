import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { PairGroup } from '@assay/contracts/results';
import { isNumeric, passes } from '@assay/contracts/scale';
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
    regressed: metric.candidate.lowerIsBetter ? rose : fell,
    improved: metric.candidate.lowerIsBetter ? fell : rose,
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

/**
 * Whether a testcase's value passes; null without a threshold. Of a boolean the value is the share of
 * its records that are true: it passes if most records do.
 */
export function isPassing(metric: MetricVersionOutline, value: number): boolean | null {
  if (isNumeric(metric.outputType)) return passes(metric, value);
  return metric.lowerIsBetter ? value < 0.5 : value > 0.5;
}

function passingOf(metric: MetricVersionOutline) {
  const says = (wanted: boolean) => (value: number) =>
    !Number.isNaN(value) && isPassing(metric, value) === wanted;
  return { passes: says(true), fails: says(false) };
}
