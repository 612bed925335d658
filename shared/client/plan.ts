import { figure, type Unit } from './comparison.ts';

export type { Plan } from '@assay/contracts/results';

/** The size of a difference: of pass rates in points of a hundred. */
export const sizeOf = (unit: Unit, size: number): string =>
  unit === 'boolean' ? `${(100 * size).toFixed(1)} points` : figure(unit, size);
