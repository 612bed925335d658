import type { Issue } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';

/** Finds the metrics that judge pairs of runs: they score no records, so no run can have them. */
export const judgesOfPairs = (
  versions: MetricVersionOutline[],
  metricIds: readonly string[],
): Issue[] =>
  versions
    .filter(({ subject }) => subject === 'pair')
    .map(({ metricId }) => ({
      path: `/metricIds/${metricIds.indexOf(metricId)}`,
      message: 'judges pairs of runs and scores no records: POST /pairwise-comparisons asks it',
    }));
