import { size, type Unit } from './figures.ts';

export type { Plan } from '@assay/contracts/results';

/** The size of a difference: of pass rates in points of a hundred. */
export const sizeOf = (unit: Unit, difference: number): string =>
  `${size(unit, difference)}${unit === 'boolean' ? ' points' : ''}`;
