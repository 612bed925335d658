import type { MetricVersionOutline } from '@assay/contracts/metrics';

/**
 * Whether the system failed, as a metric that every record has: true is the bad value. It stands
 * beside the metrics of a run and is none of them.
 */
export const errorsMetric: MetricVersionOutline = {
  metricVersionId: 'errors',
  metricId: 'errors',
  name: 'errors',
  evalType: 'heuristic',
  outputType: 'boolean',
  passingThreshold: null,
  lowerIsBetter: true,
  isScoredByService: true,
  evalModelName: null,
  annotators: 1,
};

export const isErrorsMetric = ({ metricId }: Pick<MetricVersionOutline, 'metricId'>): boolean =>
  metricId === errorsMetric.metricId;
