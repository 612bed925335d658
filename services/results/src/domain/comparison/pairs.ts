import { type StatedScale, scaleOf } from '@assay/contracts/scale';
import type { Scale } from '@assay/statistics/bootstrap';
import { mean } from '@assay/statistics/describe';
import {
  detectableMeanDifference,
  detectablePassRateDifference,
} from '@assay/statistics/detectable-difference';
import { type GuardedResult, guardedMeanTest } from '@assay/statistics/guarded-test';
import type { Interval } from '@assay/statistics/interval';
import {
  midPMcNemar,
  newcombePairedInterval,
  type PairedCounts,
} from '@assay/statistics/proportions';
import { gatherUnits, type Units } from '@assay/statistics/units';
import {
  type AnytimeInference,
  anytimeOfMeans,
  anytimeOfProportions,
  tooFewForAnytime,
} from './anytime.ts';

/**
 * One metric's values of the testcases that both runs have a value for, at the same place in both
 * lists; booleans as 0 and 1.
 */
export interface MetricPairs extends StatedScale {
  level: number;
  baseline: Float64Array;
  candidate: Float64Array;
  /** The group that each pair is of; each is a group by itself when left out. */
  groups?: Int32Array;
}

export interface PairStatistics extends ReturnType<typeof comparePairs> {
  anytime: AnytimeInference;
}

/** The statistics inferred from pairs; null where there are too few. */
interface Inference {
  confidenceInterval: Interval | null;
  method: string;
  pValue: number | null;
  test: string;
  /**
   * The answer of the guard against skew, where there is one: then the interval follows the verdict.
   * `held` also where nothing is decided, and a few large changes widen the interval past the
   * difference that the spread makes detectable.
   */
  guard: GuardedResult['guard'] | null;
  /** Null where the interval reaches further: no figure made of the spread is true of such pairs. */
  minimumDetectableDifference: number | null;
}

/** The figures of one look at the pairs of a metric, and those of any number of looks. */
export const describePairs = (pairs: MetricPairs): PairStatistics => ({
  ...comparePairs(pairs),
  anytime: inferAnytime(pairs),
});

/**
 * Compares one metric (contract section 3, Results): mid-p McNemar and Newcombe for booleans that
 * are all 0 or 1; the guarded sign-flip test and the symmetric bootstrap-t of the mean difference
 * for means of booleans, numbers, and whatever is grouped. Nothing is inferred from fewer than two
 * pairs, or two groups. Pure, and heavy for many pairs: it runs in a worker.
 */
export function comparePairs(pairs: MetricPairs) {
  const { lowerIsBetter, baseline, candidate, groups } = pairs;
  const differences = candidate.map((value, pair) => value - baseline[pair]!);
  const units = gatherUnits({ values: differences, groups });
  const unitCount = units?.sums.length ?? 0;
  return {
    paired: differences.length,
    ...(groups ? { numGroups: unitCount } : {}),
    baselineMean: mean(baseline),
    candidateMean: mean(candidate),
    difference: mean(differences),
    ...infer(pairs, units),
    ...(lowerIsBetter ? { lowerIsBetter: true as const } : {}),
    improved: count(differences, (difference) => (lowerIsBetter ? difference < 0 : difference > 0)),
    regressed: count(differences, (difference) =>
      lowerIsBetter ? difference > 0 : difference < 0,
    ),
    unchanged: count(differences, (difference) => difference === 0),
  };
}

function inferAnytime(pairs: MetricPairs): AnytimeInference {
  const { level, baseline, candidate, groups } = pairs;
  const values = candidate.map((value, pair) => value - baseline[pair]!);
  const units = gatherUnits({ values, groups });
  if (units === null || units.sums.length < 2) return tooFewForAnytime(tooFew(pairs));
  return isProportion(pairs)
    ? anytimeOfProportions(countPairs(pairs), level)
    : anytimeOfMeans(units, { scale: scaleOfDifferences(pairs), level });
}

function infer(pairs: MetricPairs, units: Units | null): Inference {
  if (units === null || units.sums.length < 2)
    return {
      confidenceInterval: null,
      pValue: null,
      minimumDetectableDifference: null,
      guard: null,
      method: tooFew(pairs),
      test: tooFew(pairs),
    };
  return isProportion(pairs) ? ofProportions(pairs) : ofMeans(pairs, units);
}

/** Whether the pairs are of single passes and failures, which are not drawn in groups. */
export const isProportion = ({ outputType, baseline, candidate, groups }: MetricPairs): boolean =>
  outputType === 'boolean' &&
  !groups &&
  [baseline, candidate].every((values) => values.every(isPassOrFail));

const isPassOrFail = (value: number): boolean => value === 0 || value === 1;
const tooFew = ({ groups }: MetricPairs): string => (groups ? 'too few groups' : 'too few pairs');

function ofProportions(pairs: MetricPairs): Inference {
  const { level } = pairs;
  const counts = countPairs(pairs);
  return {
    confidenceInterval: newcombePairedInterval({ ...counts, level }),
    method: 'Newcombe paired score, method 10',
    pValue: midPMcNemar(counts),
    test: 'mid-p McNemar',
    guard: null,
    minimumDetectableDifference: detectablePassRateDifference(counts, level),
  };
}

export function countPairs({ baseline, candidate }: MetricPairs): PairedCounts {
  const counts: PairedCounts = { both: 0, candidateOnly: 0, baselineOnly: 0, neither: 0 };
  baseline.forEach((passed, pair) => {
    const passes = candidate[pair] === 1;
    if (passed === 1) counts[passes ? 'both' : 'baselineOnly']++;
    else counts[passes ? 'candidateOnly' : 'neither']++;
  });
  return counts;
}

/** Has no interval where units that all change in one direction would still decide nothing. */
function ofMeans(pairs: MetricPairs, units: Units): Inference {
  const { level } = pairs;
  const scale = scaleOfDifferences(pairs);
  const { interval, method, ...tested } = guardedMeanTest(units, { scale, level });
  const isDecidable = leastFlipsPValue(units.sums.length) <= 1 - level;
  const confidenceInterval = isDecidable ? interval : null;
  const detectable = detectableMeanDifference(units, level);
  const isWide = detectable > 0 && halfWidth(confidenceInterval) > detectable;
  return {
    ...tested,
    guard: isWide && tested.pValue > 1 - level ? 'held' : tested.guard,
    confidenceInterval,
    method: isDecidable ? method : tooFew(pairs),
    // Units without spread do not show how far others would differ.
    minimumDetectableDifference: isWide ? null : detectable || null,
  };
}

const halfWidth = (interval: Interval | null): number =>
  interval === null ? 0 : (interval.high - interval.low) / 2;

/** The least and the greatest difference of two values. */
export function scaleOfDifferences(metric: StatedScale): Scale {
  const { low, high } = scaleOf(metric);
  return { low: low - high, high: high - low };
}

/** The p-value of so many units that all changed in one direction. */
export const leastFlipsPValue = (unitCount: number): number => 2 ** (1 - unitCount);

const count = (values: Float64Array, isCounted: (value: number) => boolean): number =>
  values.reduce((sum, value) => sum + (isCounted(value) ? 1 : 0), 0);
