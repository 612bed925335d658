import type { OutputType } from '@assay/contracts/metrics';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { mean } from '@assay/statistics/describe';
import { minimumDetectableDifference } from '@assay/statistics/detectable-difference';
import type { Interval } from '@assay/statistics/interval';
import { signFlipTest } from '@assay/statistics/permutation';
import {
  exactMcNemar,
  newcombePairedInterval,
  type PairedCounts,
} from '@assay/statistics/proportions';

/**
 * One metric's values of the testcases that both runs have a value for, at the same place in both
 * lists; booleans as 0 and 1.
 */
export interface MetricPairs {
  outputType: OutputType;
  level: number;
  baseline: Float64Array;
  candidate: Float64Array;
  /** The group that each pair is of; each is a group by itself when left out. */
  groups?: Int32Array;
}

export type PairStatistics = ReturnType<typeof comparePairs>;

/** The statistics inferred from pairs; null where there are too few. */
interface Inference {
  confidenceInterval: Interval | null;
  method: string;
  pValue: number | null;
  test: string;
  minimumDetectableDifference: number | null;
}

/**
 * Compares one metric (contract section 3, Results): exact McNemar and Newcombe for booleans;
 * sign-flip and BCa bootstrap of the mean difference for numbers, for shares of passes, and for
 * whatever is grouped.
 * Nothing is inferred from fewer than two pairs, or two groups. Pure, and heavy for many pairs: it
 * runs in a worker.
 */
export function comparePairs({ outputType, level, baseline, candidate, groups }: MetricPairs) {
  const differences = candidate.map((value, pair) => value - baseline[pair]!);
  const unitCount = groups ? new Set(groups).size : differences.length;
  const isProportion =
    outputType === 'boolean' && !groups && isOfPasses(baseline) && isOfPasses(candidate);
  return {
    paired: differences.length,
    ...(groups ? { numGroups: unitCount } : {}),
    baselineMean: mean(baseline),
    candidateMean: mean(candidate),
    difference: mean(differences),
    ...(unitCount < 2
      ? nothing(groups ? 'too few groups' : 'too few pairs')
      : {
          ...(isProportion
            ? ofProportions({ baseline, candidate, level })
            : ofMeans({ differences, groups, level })),
          minimumDetectableDifference: detectable({ differences, groups, level }),
        }),
    improved: count(differences, (difference) => difference > 0),
    regressed: count(differences, (difference) => difference < 0),
    unchanged: count(differences, (difference) => difference === 0),
  };
}

/** False where several records of a testcase make a share of passes. */
const isOfPasses = (values: Float64Array): boolean =>
  values.every((value) => value === 0 || value === 1);

const nothing = (why: string): Inference => ({
  confidenceInterval: null,
  method: why,
  pValue: null,
  test: why,
  minimumDetectableDifference: null,
});

type ShownInference = Omit<Inference, 'minimumDetectableDifference'>;

function ofProportions({
  baseline,
  candidate,
  level,
}: Pick<MetricPairs, 'baseline' | 'candidate' | 'level'>): ShownInference {
  const counts: PairedCounts = { both: 0, candidateOnly: 0, baselineOnly: 0, neither: 0 };
  baseline.forEach((passed, pair) => {
    const passes = candidate[pair] === 1;
    if (passed === 1) counts[passes ? 'both' : 'baselineOnly']++;
    else counts[passes ? 'candidateOnly' : 'neither']++;
  });
  return {
    confidenceInterval: newcombePairedInterval({ ...counts, level }),
    method: 'Newcombe paired score, method 10',
    pValue: exactMcNemar(counts),
    test: 'exact McNemar',
  };
}

interface Differences extends Pick<MetricPairs, 'level'> {
  differences: Float64Array;
  groups: Int32Array | undefined;
}

function ofMeans({ differences, groups, level }: Differences): ShownInference {
  const { low, high, method } = bootstrapMean({ values: differences, groups, level })!;
  const { pValue, method: test } = signFlipTest({ differences, groups })!;
  return { confidenceInterval: { low, high, level }, method, pValue, test };
}

/**
 * The minimum detectable difference; null for pairs without spread, which do not show how far other
 * pairs would differ.
 */
const detectable = (differences: Differences): number | null =>
  minimumDetectableDifference(differences) || null;

const count = (values: Float64Array, isCounted: (value: number) => boolean): number =>
  values.reduce((sum, value) => sum + (isCounted(value) ? 1 : 0), 0);
