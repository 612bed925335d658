import type { Plan } from '@assay/contracts/results';
import { figure } from './comparison.ts';

export type { Plan } from '@assay/contracts/results';

/** The size of a difference: of pass rates in points of a hundred. */
export const sizeOf = (outputType: Plan['outputType'], size: number): string =>
  outputType === 'boolean' ? `${(100 * size).toFixed(1)} points` : figure(outputType, size);
