import type { Verdict } from '@assay/contracts/results';
import { anytimeMean, canDecideMean } from '@assay/statistics/anytime-mean';
import { anytimePassRateTest, canDecidePassRates } from '@assay/statistics/anytime-proportions';
import { mean } from '@assay/statistics/describe';
import { gatherUnits } from '@assay/statistics/units';
import { countPairs, isProportion, type MetricPairs, scaleOfDifferences } from './pairs.ts';
import { decide } from './verdict.ts';

/** The pairs of a metric that both runs have scored, and how many are to come. */
export interface PairsSoFar extends Omit<MetricPairs, 'groups'> {
  toCome: number;
}

export interface PairsLook {
  verdict: Verdict;
  canDecide: boolean;
}

/** What the pairs so far decide, by figures that hold at any look; and whether others still can. */
export function lookAtPairs({ toCome, ...pairs }: PairsSoFar): PairsLook {
  const { level, baseline, candidate } = pairs;
  const differences = candidate.map((value, pair) => value - baseline[pair]!);
  const units = gatherUnits({ values: differences });
  if (units === null || units.sums.length < 2)
    return { verdict: 'undecided', canDecide: differences.length + toCome >= 2 };
  const scale = scaleOfDifferences(pairs);
  const { candidateOnly, baselineOnly } = countPairs(pairs);
  const changed = { candidateOnly, baselineOnly, pairs: differences.length };
  const [pValue, canDecide] = isProportion(pairs)
    ? [anytimePassRateTest(changed), () => canDecidePassRates({ ...changed, level, toCome })]
    : [
        anytimeMean(units, { scale, level }).pValue,
        () => canDecideMean(units, { scale, level, toCome }),
      ];
  const tested = {
    pValue,
    difference: mean(differences),
    ...(pairs.lowerIsBetter ? { lowerIsBetter: true as const } : {}),
  };
  const { verdict } = decide([tested], level)[0]!;
  return { verdict, canDecide: toCome > 0 && canDecide() };
}
