import { anytimeMean } from '@assay/statistics/anytime-mean';
import {
  anytimePassRateInterval,
  anytimePassRateTest,
} from '@assay/statistics/anytime-proportions';
import type { Scale } from '@assay/statistics/bootstrap';
import type { Interval } from '@assay/statistics/interval';
import type { PairedCounts } from '@assay/statistics/proportions';
import type { Units } from '@assay/statistics/units';

/**
 * The figures of a comparison that hold however often one looks while pairs are added. They depend
 * on the pairs and not on their order: so each look continues the same sequence, whichever
 * testcases have come in between.
 */
export interface AnytimeInference {
  pValue: number | null;
  interval: Interval | null;
  /** How both were made, or why there is no interval. */
  method: string;
}

export function anytimeOfProportions(counts: PairedCounts, level: number): AnytimeInference {
  const { both, candidateOnly, baselineOnly, neither } = counts;
  const changed = {
    candidateOnly,
    baselineOnly,
    pairs: both + candidateOnly + baselineOnly + neither,
  };
  return {
    pValue: anytimePassRateTest(changed),
    interval: anytimePassRateInterval({ ...changed, level }),
    method: 'Beta(6, 6) mixture of bets',
  };
}

export function anytimeOfMeans(
  units: Units,
  { scale, level }: { scale: Scale; level: number },
): AnytimeInference {
  const { pValue, interval } = anytimeMean(units, { scale, level });
  const method = 'normal mixture of effects, t statistic';
  return { pValue, interval, method: interval === null ? `${method}: no bound yet` : method };
}

export const tooFewForAnytime = (method: string): AnytimeInference => ({
  pValue: null,
  interval: null,
  method,
});
