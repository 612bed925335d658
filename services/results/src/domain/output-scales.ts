import type { OutputType } from '@assay/contracts/metrics';
import type { Scale } from '@assay/statistics/bootstrap';

/** The least and the greatest value of each output type; booleans count as 0 and 1. */
export const scaleOf: Record<OutputType, Scale> = {
  boolean: { low: 0, high: 1 },
  int: { low: 1, high: 5 },
  float: { low: 0, high: 1 },
};
